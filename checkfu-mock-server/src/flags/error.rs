//! Why the program was not started as it was told.

use std::path::PathBuf;

use checkfu_mock_server::{CapabilityError, ScenarioError, StartError};

/// Flags that make no sense.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FlagError {
    #[error(transparent)]
    Start(#[from] StartError),
    #[error("--disable: {0}")]
    Capability(#[from] CapabilityError),
    #[error("{flags}: {source}")]
    Named { flags: String, source: StartError },
    #[error("{flag} {path}: {source}")]
    File {
        /// With its variable.
        flag: &'static str,
        path: PathBuf,
        source: std::io::Error,
    },
    #[error("--scenario {path}: {source}")]
    Scenario { path: PathBuf, source: ScenarioError },
}
