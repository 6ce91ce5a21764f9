//! The AgentDeployment resource.

use serde::Serialize;

use crate::core::admission::AgentSnapshot;
use crate::core::id::{DeploymentId, WorkspaceId};
use crate::core::moment::Moment;
use crate::deployment::{Deployment, Revision};

/// A deployed Agent with every revision that was published.
#[derive(Debug, Serialize)]
pub(crate) struct DeploymentResource<'a> {
    id: &'a DeploymentId,
    r#type: &'static str,
    name: &'a str,
    workspace_id: &'a WorkspaceId,
    current_revision_number: u32,
    revisions: Vec<RevisionResource<'a>>,
    created_at: Moment,
}

#[derive(Debug, Serialize)]
struct RevisionResource<'a> {
    number: u32,
    #[serde(flatten)]
    agent: &'a AgentSnapshot,
    created_at: Moment,
}

impl<'a> DeploymentResource<'a> {
    pub(crate) fn new(deployment: &'a Deployment) -> Self {
        Self {
            id: &deployment.id,
            r#type: "agent_deployment",
            name: &deployment.name,
            workspace_id: &deployment.workspace_id,
            current_revision_number: deployment.current().map_or(0, |revision| revision.number),
            revisions: deployment.revisions.iter().map(RevisionResource::new).collect(),
            created_at: deployment.created_at,
        }
    }
}

impl<'a> RevisionResource<'a> {
    fn new(revision: &'a Revision) -> Self {
        Self {
            number: revision.number,
            agent: &revision.agent,
            created_at: revision.created_at,
        }
    }
}
