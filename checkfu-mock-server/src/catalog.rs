//! What a Workspace has before anyone uses it: AgentDeployments and Principals.

use std::collections::BTreeSet;

use crate::core::id::{PrincipalId, WorkspaceId};
use crate::deployment::Deployment;

/// The deployments and Principals of one Workspace.
#[derive(Debug, Clone)]
pub(crate) struct Catalog {
    deployments: Vec<Deployment>,
    principals: BTreeSet<String>,
}

impl Catalog {
    /// What every server starts with, and the Principals that it was told of.
    pub(crate) fn built_in(
        workspace: &WorkspaceId,
        principals: impl IntoIterator<Item = PrincipalId>,
    ) -> Self {
        let principals = principals
            .into_iter()
            .map(|principal| principal.to_string())
            .collect();
        Self {
            deployments: vec![Deployment::plain(workspace)],
            principals,
        }
    }

    pub(crate) fn deployments(&self) -> &[Deployment] {
        &self.deployments
    }

    pub(crate) fn deployment(&self, id: &str) -> Option<&Deployment> {
        self.deployments
            .iter()
            .find(|deployment| deployment.id.as_str() == id)
    }

    pub(crate) fn has_principal(&self, id: &PrincipalId) -> bool {
        self.principals.contains(id.as_str())
    }
}
