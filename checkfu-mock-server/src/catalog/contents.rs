//! The catalog in memory, as the database has it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use rusqlite::Connection;
use serde::de::Error as _;

use super::principal::APPROVE;
use crate::core::id::{DeploymentId, PrincipalId, WorkspaceId};
use crate::core::moment::Moment;
use crate::deployment::Deployment;
use crate::scenario::built_in::{self, BuiltIn};
use crate::scenario::model::Scenario;
use crate::scenario::parse::parse;
use crate::storage::catalog as tables;
use crate::storage::error::StorageError;

#[derive(Debug)]
pub(super) struct Contents {
    pub(super) deployments: Vec<Arc<Deployment>>,
    /// What each Principal may.
    pub(super) principals: BTreeMap<String, BTreeSet<String>>,
}

impl Contents {
    /// Puts what every server has into the database, then reads all of it.
    pub(super) fn open(
        connection: &mut Connection,
        workspace: &WorkspaceId,
        principals: &[PrincipalId],
    ) -> Result<Self, StorageError> {
        tables::prepare(connection)?;
        let transaction = connection.transaction()?;
        for built_in in built_in::all() {
            publish_built_in(&transaction, workspace, built_in)?;
        }
        for principal in principals {
            tables::add_principal(&transaction, workspace, principal.as_str(), &[APPROVE])?;
        }
        let deployments = tables::deployments(&transaction, workspace)?;
        let principals = tables::principals(&transaction, workspace)?;
        transaction.commit()?;
        let deployments = deployments
            .into_iter()
            .map(|stored| deployment(workspace, stored).map(Arc::new));
        Ok(Self {
            deployments: deployments.collect::<Result<_, _>>()?,
            principals: principals
                .into_iter()
                .map(|(id, permissions)| (id, permissions.into_iter().collect()))
                .collect(),
        })
    }

    pub(super) fn deployment(&self, id: &str) -> Option<&Arc<Deployment>> {
        self.deployments
            .iter()
            .find(|deployment| deployment.id.as_str() == id)
    }

    pub(super) fn deployment_named(&self, name: &str) -> Option<&Arc<Deployment>> {
        self.deployments.iter().find(|deployment| deployment.name == name)
    }

    /// Adds a deployment, or puts it in the place of what it was before.
    pub(super) fn put(&mut self, deployment: Deployment) {
        let deployment = Arc::new(deployment);
        match self
            .deployments
            .iter_mut()
            .find(|known| known.id == deployment.id)
        {
            Some(known) => *known = deployment,
            None => self.deployments.push(deployment),
        }
    }
}

/// A built-in deployment whose name was taken before it came to be is left out.
fn publish_built_in(
    connection: &Connection,
    workspace: &WorkspaceId,
    built_in: &BuiltIn,
) -> Result<(), StorageError> {
    let id = DeploymentId::from_number(built_in.number);
    let published = Moment::from_milliseconds(built_in.published);
    let name = &built_in.scenario.name;
    if let Some(row) = tables::add_deployment(connection, workspace, id.as_str(), name, published)? {
        tables::add_revision(connection, row, built_in.revision, built_in.yaml, published)?;
    }
    Ok(())
}

fn deployment(workspace: &WorkspaceId, stored: tables::StoredDeployment) -> Result<Deployment, StorageError> {
    let unreadable = |problem: String| StorageError::Damaged(serde_json::Error::custom(problem));
    let id = DeploymentId::parse(&stored.id)
        .ok_or_else(|| unreadable(format!("the AgentDeployment {:?} has no identifier", stored.id)))?;
    let mut deployment = Deployment::new(id, stored.name, workspace.clone(), stored.created_at);
    for revision in stored.revisions {
        let number = revision.number;
        let told = |problem: String| unreadable(format!("revision {number} of {}: {problem}", stored.id));
        if number != deployment.next_number() {
            return Err(told("a revision before it is missing".to_owned()));
        }
        let scenario = scenario(&revision.scenario).map_err(told)?;
        deployment.publish(scenario, revision.created_at);
    }
    Ok(deployment)
}

/// Built-in files were read before.
fn scenario(yaml: &str) -> Result<Arc<Scenario>, String> {
    match built_in::all().iter().find(|built_in| built_in.yaml == yaml) {
        Some(built_in) => Ok(Arc::clone(&built_in.scenario)),
        None => parse(yaml).map(Arc::new).map_err(|error| error.to_string()),
    }
}
