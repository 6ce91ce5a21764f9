//! What a Workspace has: AgentDeployments and Principals. Both can change while the server runs, and what changed is there
//! after a restart.

mod contents;
pub(crate) mod error;
pub(crate) mod principal;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, Weak};

use rusqlite::Connection;

use crate::core::id::{DeploymentId, Entropy, PrincipalId, WorkspaceId};
use crate::core::moment::Moment;
use crate::deployment::Deployment;
use crate::scenario::model::Scenario;
use crate::scenario::parse::{check_name, parse};
use crate::storage::catalog as tables;
use crate::storage::error::StorageError;
use contents::Contents;
use error::{PrincipalError, PublishError};
use principal::{KNOWN, Principal};

/// The deployments and Principals of one Workspace. Clones share them. What writes blocks until it is on the disk.
#[derive(Debug, Clone)]
pub(crate) struct Catalog(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    workspace: WorkspaceId,
    /// The writer's own connection, as long as the server has it; between its transactions it is free.
    connection: Weak<Mutex<Connection>>,
    /// One change at a time; readers do not wait for it.
    changing: Mutex<()>,
    contents: RwLock<Contents>,
}

/// Where a scenario is published.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Target<'a> {
    /// Under a name: the next revision of the deployment that has it, else a new deployment.
    Name(&'a str),
    /// Under the scenario's own name, likewise.
    OwnName,
    /// The next revision of this deployment.
    Deployment(&'a str),
}

const MAX_PERMISSIONS: usize = 32;

impl Catalog {
    /// Reads the catalog of a database. What every server has, and the Principals that this one was told of, is put there
    /// first if it was never there: Sessions stay pinned to the revisions that they were admitted with, whatever a later
    /// version of the server brings (SES-12).
    ///
    /// # Errors
    ///
    /// The database cannot be read or written, or holds a scenario that this version does not understand.
    pub(crate) fn open(
        connection: &Arc<Mutex<Connection>>,
        workspace: &WorkspaceId,
        principals: &[PrincipalId],
    ) -> Result<Self, StorageError> {
        let mut guard = connection.lock().unwrap_or_else(PoisonError::into_inner);
        let contents = Contents::open(&mut guard, workspace, principals)?;
        drop(guard);
        Ok(Self(Arc::new(Shared {
            workspace: workspace.clone(),
            connection: Arc::downgrade(connection),
            changing: Mutex::new(()),
            contents: RwLock::new(contents),
        })))
    }

    /// Every deployment, in the order of publication.
    pub(crate) fn deployments(&self) -> Vec<Arc<Deployment>> {
        self.read(|contents| contents.deployments.clone())
    }

    pub(crate) fn deployment(&self, id: &str) -> Option<Arc<Deployment>> {
        self.read(|contents| contents.deployment(id).cloned())
    }

    /// The number of a deployment's current revision.
    pub(crate) fn latest(&self, id: &DeploymentId) -> Option<u32> {
        let deployment = self.deployment(id.as_str())?;
        deployment.current().map(|revision| revision.number)
    }

    /// What the Agent of a revision does.
    pub(crate) fn scenario(&self, id: &DeploymentId, revision: u32) -> Option<Arc<Scenario>> {
        self.read(|contents| {
            let revision = contents.deployment(id.as_str())?.revision(revision)?;
            Some(Arc::clone(&revision.scenario))
        })
    }

    /// Publishes a scenario as an immutable revision; gives its deployment and its number (SES-11, SES-12).
    ///
    /// # Errors
    ///
    /// Nothing is changed if the scenario is refused, the name is none, the deployment is unknown or the storage fails.
    pub(crate) fn publish(
        &self,
        target: Target<'_>,
        yaml: &str,
        now: Moment,
        entropy: &mut dyn Entropy,
    ) -> Result<(DeploymentId, u32), PublishError> {
        let scenario = Arc::new(parse(yaml)?);
        let _change = self.change();
        let mut deployment = self.target(target, &scenario, now, entropy)?;
        let number = deployment.next_number();
        deployment.publish(scenario, now);
        self.write(|connection| {
            let row = tables::add_deployment(
                connection,
                &self.0.workspace,
                deployment.id.as_str(),
                &deployment.name,
                deployment.created_at,
            )?;
            let row = row.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
            tables::add_revision(connection, row, number, yaml, now)
        })?;
        let id = deployment.id.clone();
        self.update(|contents| contents.put(deployment));
        Ok((id, number))
    }

    /// Publishes a scenario under its own name unless the current revision there says the same.
    ///
    /// # Errors
    ///
    /// The storage fails; a scenario that is refused is left out, for it was checked before.
    pub(crate) fn keep(
        &self,
        yaml: &str,
        now: Moment,
        entropy: &mut dyn Entropy,
    ) -> Result<(), StorageError> {
        let Ok(scenario) = parse(yaml) else {
            return Ok(());
        };
        let known = self.read(|contents| contents.deployment_named(&scenario.name).cloned());
        let current = known.as_ref().and_then(|deployment| deployment.current());
        if current.is_some_and(|revision| *revision.scenario == scenario) {
            return Ok(());
        }
        match self.publish(Target::OwnName, yaml, now, entropy) {
            Err(PublishError::Storage(error)) => Err(error),
            _ => Ok(()),
        }
    }

    /// A copy of the deployment that a scenario is published to.
    fn target(
        &self,
        target: Target<'_>,
        scenario: &Scenario,
        now: Moment,
        entropy: &mut dyn Entropy,
    ) -> Result<Deployment, PublishError> {
        let name = match target {
            Target::Deployment(id) => {
                let found = self
                    .deployment(id)
                    .ok_or_else(|| PublishError::UnknownDeployment { id: id.to_owned() })?;
                return Ok((*found).clone());
            }
            Target::Name(name) => {
                check_name(name).map_err(|problem| PublishError::Name { problem })?;
                name
            }
            Target::OwnName => &scenario.name,
        };
        let found = self.read(|contents| contents.deployment_named(name).cloned());
        Ok(match found {
            Some(found) => (*found).clone(),
            None => Deployment::new(
                DeploymentId::fresh(entropy),
                name.to_owned(),
                self.0.workspace.clone(),
                now,
            ),
        })
    }

    /// Every Principal, by identifier.
    pub(crate) fn principals(&self) -> Vec<Principal> {
        self.read(|contents| {
            let all = contents.principals.iter().filter_map(|(id, permissions)| {
                let id = PrincipalId::parse(id)?;
                Some(Principal {
                    id,
                    permissions: permissions.clone(),
                })
            });
            all.collect()
        })
    }

    pub(crate) fn has_principal(&self, id: &PrincipalId) -> bool {
        self.read(|contents| contents.principals.contains_key(id.as_str()))
    }

    /// Whether a Principal is there and has a permission, now.
    pub(crate) fn may(&self, id: &PrincipalId, permission: &str) -> bool {
        self.read(|contents| {
            let permissions = contents.principals.get(id.as_str());
            permissions.is_some_and(|permissions| permissions.contains(permission))
        })
    }

    /// Adds a Principal with these permissions, or replaces those that it has.
    ///
    /// # Errors
    ///
    /// Nothing is changed if a permission is unknown, there are too many, or the storage fails.
    pub(crate) fn set_principal(
        &self,
        id: &PrincipalId,
        permissions: BTreeSet<String>,
    ) -> Result<(), PrincipalError> {
        if permissions.len() > MAX_PERMISSIONS {
            return Err(PrincipalError::TooMany {
                most: MAX_PERMISSIONS,
            });
        }
        if let Some(name) = permissions.iter().find(|name| !KNOWN.contains(&name.as_str())) {
            return Err(PrincipalError::Permission { name: name.clone() });
        }
        let _change = self.change();
        let names: Vec<&str> = permissions.iter().map(String::as_str).collect();
        self.write(|connection| {
            tables::set_principal(connection, &self.0.workspace, id.as_str(), Some(&names))
        })?;
        self.update(|contents| {
            contents.principals.insert(id.to_string(), permissions);
        });
        Ok(())
    }

    /// Removes a Principal, for good unless it is added again; false if there is none. Sessions that act as it stay.
    ///
    /// # Errors
    ///
    /// Nothing is changed if the storage fails.
    pub(crate) fn remove_principal(&self, id: &PrincipalId) -> Result<bool, StorageError> {
        let _change = self.change();
        if !self.has_principal(id) {
            return Ok(false);
        }
        self.write(|connection| tables::set_principal(connection, &self.0.workspace, id.as_str(), None))?;
        self.update(|contents| {
            contents.principals.remove(id.as_str());
        });
        Ok(true)
    }

    fn change(&self) -> MutexGuard<'_, ()> {
        self.0.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read<T>(&self, look: impl FnOnce(&Contents) -> T) -> T {
        look(&self.0.contents.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn update(&self, change: impl FnOnce(&mut Contents)) {
        change(&mut self.0.contents.write().unwrap_or_else(PoisonError::into_inner));
    }

    fn write(&self, work: impl FnOnce(&Connection) -> Result<(), StorageError>) -> Result<(), StorageError> {
        let connection = self.0.connection.upgrade().ok_or(StorageError::Closed)?;
        let mut connection = connection.lock().unwrap_or_else(PoisonError::into_inner);
        let transaction = connection.transaction()?;
        work(&transaction)?;
        Ok(transaction.commit()?)
    }
}

#[cfg(test)]
mod tests;
