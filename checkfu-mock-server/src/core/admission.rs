//! What is fixed when a Session is admitted, and never changes for it (SES-11, SES-12).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::id::{DeploymentId, EventId, PrincipalId, SessionId, ThreadId, WorkspaceId};
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

/// The frozen executable Agent of a thread (THR-12).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ThreadAgent {
    pub(crate) id: String,
    pub(crate) workspace_id: WorkspaceId,
    pub(crate) version: u32,
    pub(crate) source_draft_revision: u32,
    /// The resolved draft, without its `multiagent` part.
    pub(crate) draft: Map<String, Value>,
}

/// How a revision behaves where the decisions leave a choice.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Behaviour {
    pub(crate) overlap: Overlap,
    pub(crate) wait_style: WaitStyle,
    pub(crate) on_deadline: OnDeadline,
    /// How many lost Runners a Run survives (THR-11).
    pub(crate) max_retries: u32,
    /// How many start-ups that take too long a Run survives (DLN-1).
    pub(crate) max_startups: u32,
}

impl Default for Behaviour {
    fn default() -> Self {
        Self {
            overlap: Overlap::Queue,
            wait_style: WaitStyle::Both,
            on_deadline: OnDeadline::Idle,
            max_retries: 3,
            max_startups: 3,
        }
    }
}

/// A-OVERLAP: what becomes of a message while a Run is active.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Overlap {
    Queue,
    Parallel,
}

/// A-WAIT: how the boundary of a wait is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum WaitStyle {
    Both,
    Waiting,
    Idle,
}

/// A-DLN: what a crossed deadline does to the Session.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OnDeadline {
    Idle,
    Failed,
}

/// Where a fork left its source (A-FORK).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ForkOrigin {
    pub(crate) session_id: SessionId,
    pub(crate) event_id: EventId,
    pub(crate) seq: u64,
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
    pub(crate) behaviour: Behaviour,
    pub(crate) primary_thread_id: ThreadId,
    pub(crate) agent_name: String,
    pub(crate) thread_agent: ThreadAgent,
    /// The children that the coordinator may spawn, by name (THR-2).
    pub(crate) roster: BTreeMap<String, ThreadAgent>,
    pub(crate) forked_from: Option<ForkOrigin>,
    pub(crate) title: Option<String>,
    pub(crate) metadata: BTreeMap<String, String>,
    pub(crate) created_at: Moment,
}
