//! Why the ledger could not be written or does not hold.

use std::path::{Path, PathBuf};

/// Why the ledger could not be written or does not hold.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// A file could not be read or written.
    #[error("{}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// A file is not what its name says.
    #[error("{}: {reason}", path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// A comment names a requirement that does not exist.
    #[error("{}:{line}: no requirement is called {id}", path.display())]
    UnknownId {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// The id as written.
        id: String,
    },
    /// LEDGER.md differs from what the sources say.
    #[error("LEDGER.md is stale: run `cargo run -p checkfu-ledger -- write` and commit the result")]
    Stale,
    /// Tests that the ledger names but no run shows.
    #[error("{what}:\n  {}", tests.join("\n  "))]
    Tests {
        /// What is wrong with them.
        what: &'static str,
        /// Their names.
        tests: Vec<String>,
    },
}

impl Failure {
    pub(crate) fn io(path: &Path, source: std::io::Error) -> Self {
        Self::Io {
            path: path.to_owned(),
            source,
        }
    }

    pub(crate) fn malformed(path: &Path, reason: impl ToString) -> Self {
        Self::Malformed {
            path: path.to_owned(),
            reason: reason.to_string(),
        }
    }
}
