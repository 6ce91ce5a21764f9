//! What is fixed when a Session is admitted, and never changes for it (SES-11, SES-12).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::id::{DeploymentId, PrincipalId, SessionId, ThreadId, WorkspaceId};
use super::moment::Moment;

/// The frozen executable snapshot: one immutable AgentDeploymentRevision's coordinates.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct AgentSnapshot {
    pub(crate) release: Map<String, Value>,
    pub(crate) harness_profile: Map<String, Value>,
    pub(crate) model_routing: Map<String, Value>,
    pub(crate) sandbox_profile: Map<String, Value>,
    pub(crate) skills: Vec<Map<String, Value>>,
}

/// Everything about a Session that its log does not say.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Admission {
    pub(crate) id: SessionId,
    pub(crate) workspace_id: WorkspaceId,
    pub(crate) principal_id: PrincipalId,
    pub(crate) agent_deployment_id: DeploymentId,
    pub(crate) agent_deployment_revision_number: u32,
    pub(crate) agent: AgentSnapshot,
    /// What a Run may take once its harness is ready.
    pub(crate) max_duration_seconds: u64,
    pub(crate) primary_thread_id: ThreadId,
    pub(crate) title: Option<String>,
    pub(crate) metadata: BTreeMap<String, String>,
    pub(crate) created_at: Moment,
}
