//! What the Workspace has, changed while the server runs: Principals and AgentDeployments.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;

use super::life::Current;
use super::restart::RestartError;
use crate::catalog::error::{PrincipalError, PublishError};
use crate::catalog::{Catalog, Target};
use crate::clock::Clock;
use crate::core::id::PrincipalId;
use crate::core::moment::Moment;
use crate::ledger::entropy::SystemEntropy;
use crate::scenario::error::ScenarioError;

/// A Principal and what it may.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct PrincipalStatus {
    /// `prin_…`
    pub id: String,
    /// Names such as `approve`.
    pub permissions: BTreeSet<String>,
}

/// An AgentDeployment and its current revision.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DeploymentStatus {
    /// `adep_…`
    pub id: String,
    /// Its name.
    pub name: String,
    /// The number of its current revision.
    pub revision: u32,
}

/// A change of the Workspace that was not made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WorkspaceError {
    /// The scenario is refused: line, field and fix.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// The AgentDeployment does not exist.
    #[error("there is no AgentDeployment {id}; publish under a name to get a new one")]
    UnknownDeployment {
        /// What was asked for.
        id: String,
    },
    /// A Principal cannot have these permissions.
    #[error("{0}")]
    Permission(String),
    /// What was given does not fit.
    #[error("{0}")]
    Invalid(String),
    /// The storage failed, or the server does not run.
    #[error(transparent)]
    Unavailable(#[from] RestartError),
}

/// Changes the Workspace. Every change is on the disk when its call returns, and there after a restart. Calls block for as
/// long as the disk takes.
#[derive(Debug, Clone)]
pub struct Workspace {
    pub(super) current: Current,
    pub(super) clock: Arc<dyn Clock>,
}

impl Workspace {
    /// Every Principal.
    pub fn principals(&self) -> Vec<PrincipalStatus> {
        let all = self
            .catalog()
            .map(|catalog| catalog.principals())
            .unwrap_or_default();
        let status = all.into_iter().map(|principal| PrincipalStatus {
            id: principal.id.to_string(),
            permissions: principal.permissions,
        });
        status.collect()
    }

    /// Adds a Principal with these permissions, or replaces those that it has: from the next call on it may do that and
    /// nothing else.
    ///
    /// # Errors
    ///
    /// [`WorkspaceError`] if the id is not `prin_` and 32 lower-case hexadecimal digits, a permission is unknown (`approve` is the
    /// one that there is), or the storage fails. Nothing is changed then.
    pub fn set_principal(
        &self,
        id: &str,
        permissions: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<(), WorkspaceError> {
        let permissions = permissions.into_iter().map(Into::into).collect();
        let set = self.catalog()?.set_principal(&principal(id)?, permissions);
        set.map_err(|error| match error {
            PrincipalError::Storage(error) => WorkspaceError::Unavailable(error.into()),
            other => WorkspaceError::Permission(other.to_string()),
        })
    }

    /// Removes a Principal; false if there is none. Sessions that act as it stay.
    ///
    /// # Errors
    ///
    /// [`WorkspaceError`] if the id is none or the storage fails.
    pub fn remove_principal(&self, id: &str) -> Result<bool, WorkspaceError> {
        let removed = self.catalog()?.remove_principal(&principal(id)?);
        removed.map_err(|error| WorkspaceError::Unavailable(error.into()))
    }

    /// Every AgentDeployment.
    pub fn deployments(&self) -> Vec<DeploymentStatus> {
        let all = self
            .catalog()
            .map(|catalog| catalog.deployments())
            .unwrap_or_default();
        let status = all.iter().map(|deployment| DeploymentStatus {
            id: deployment.id.to_string(),
            name: deployment.name.clone(),
            revision: deployment.next_number().saturating_sub(1),
        });
        status.collect()
    }

    /// Publishes a scenario under its own name: the next revision of the AgentDeployment that has it, or a new one
    /// (SES-12: Sessions keep the revision that they were admitted with).
    ///
    /// # Errors
    ///
    /// [`WorkspaceError`] says what is wrong with the scenario. Nothing is changed then.
    pub fn publish(&self, yaml: &str) -> Result<DeploymentStatus, WorkspaceError> {
        self.publish_to(Target::OwnName, yaml)
    }

    /// The same under another name, 1 to 64 letters, digits, `-` and `_`.
    ///
    /// # Errors
    ///
    /// As for [`publish`](Self::publish), and if the name is none.
    pub fn publish_as(&self, name: &str, yaml: &str) -> Result<DeploymentStatus, WorkspaceError> {
        self.publish_to(Target::Name(name), yaml)
    }

    /// Publishes the next revision of an AgentDeployment, whatever the scenario's own name.
    ///
    /// # Errors
    ///
    /// As for [`publish`](Self::publish), and if there is no such AgentDeployment.
    pub fn publish_revision(
        &self,
        deployment_id: &str,
        yaml: &str,
    ) -> Result<DeploymentStatus, WorkspaceError> {
        self.publish_to(Target::Deployment(deployment_id), yaml)
    }

    fn publish_to(&self, target: Target<'_>, yaml: &str) -> Result<DeploymentStatus, WorkspaceError> {
        let catalog = self.catalog()?;
        let now = Moment::from(self.clock.now());
        let published = catalog.publish(target, yaml, now, &mut SystemEntropy);
        let (id, revision) = published.map_err(|error| match error {
            PublishError::Scenario(error) => WorkspaceError::Scenario(error),
            PublishError::UnknownDeployment { id } => WorkspaceError::UnknownDeployment { id },
            PublishError::Storage(error) => WorkspaceError::Unavailable(error.into()),
            other => WorkspaceError::Invalid(other.to_string()),
        })?;
        let name = catalog
            .deployment(id.as_str())
            .map(|deployment| deployment.name.clone());
        Ok(DeploymentStatus {
            id: id.to_string(),
            name: name.unwrap_or_default(),
            revision,
        })
    }

    fn catalog(&self) -> Result<Catalog, WorkspaceError> {
        Ok(self.current.life()?.catalog)
    }
}

fn principal(id: &str) -> Result<PrincipalId, WorkspaceError> {
    PrincipalId::parse(id).ok_or_else(|| {
        let message = format!("{id:?} is no Principal: write prin_ and 32 lower-case hexadecimal digits");
        WorkspaceError::Invalid(message)
    })
}
