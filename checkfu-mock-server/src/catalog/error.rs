//! Why a catalog was not changed.

use super::principal::KNOWN;
use crate::scenario::error::ScenarioError;
use crate::storage::error::StorageError;

/// A scenario that was not published.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PublishError {
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    #[error("there is no AgentDeployment {id}; publish under a name to get a new one")]
    UnknownDeployment { id: String },
    #[error("the name of a deployment {problem}")]
    Name { problem: String },
    #[error(transparent)]
    Storage(#[from] StorageError),
}

/// A Principal that was not changed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum PrincipalError {
    #[error("there is no permission {name:?}; choose from {}", KNOWN.join(", "))]
    Permission { name: String },
    #[error("a Principal has at most {most} permissions; leave some out")]
    TooMany { most: usize },
    #[error(transparent)]
    Storage(#[from] StorageError),
}
