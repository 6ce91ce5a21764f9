use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::user::Confirmation;
use crate::model::id::{
    ActionApprovalId, CheckpointId, MemoryStoreId, OutcomeId, PrincipalId, ProjectId, RunId, SessionThreadId,
    ToolUseId, WatchId,
};
use crate::model::open_enum::open_enum;

open_enum! {
    /// How an evaluation of an Outcome ended.
    EvaluationResult {
        /// The Outcome is reached.
        Satisfied = "satisfied",
        /// The Agent tries again.
        NeedsRevision = "needs_revision",
        /// The Agent has tried as often as it may.
        MaxIterationsReached = "max_iterations_reached",
        /// The evaluation failed.
        Failed = "failed",
        /// The Outcome was interrupted.
        Interrupted = "interrupted",
    }
}

/// `action_approval.requested`, `.decided` and `.expired`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ActionApproval {
    /// The approval.
    #[serde(default)]
    pub approval_id: Option<ActionApprovalId>,
    /// The governed tool call.
    #[serde(default)]
    pub tool_use_id: Option<ToolUseId>,
    /// The thread of the call.
    #[serde(default)]
    pub session_thread_id: Option<SessionThreadId>,
    /// The tool.
    #[serde(default)]
    pub name: Option<String>,
    /// What the tool would be given.
    #[serde(default)]
    pub input: Option<Value>,
    /// When the request lapses.
    #[serde(default)]
    pub expires_at: Option<Timestamp>,
    /// What was decided.
    #[serde(default)]
    pub decision: Option<Confirmation>,
    /// Who decided.
    #[serde(default)]
    pub by: Option<PrincipalId>,
}

/// `outcome.evaluation_started` and `outcome.evaluated`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct OutcomeEvaluation {
    /// The Outcome.
    pub outcome_id: OutcomeId,
    /// Which try was evaluated.
    #[serde(default)]
    pub iteration: Option<u64>,
    /// How it ended.
    #[serde(default)]
    pub result: Option<EvaluationResult>,
    /// Why.
    #[serde(default)]
    pub explanation: Option<String>,
}

/// `watch.created`, `.hinted`, `.evaluated`, `.fired` and `.expired`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct WatchEvent {
    /// The Watch.
    pub watch_id: WatchId,
    /// The state that it watches.
    #[serde(default)]
    pub source: Option<Value>,
    /// When it fires.
    #[serde(default)]
    pub condition: Option<Value>,
    /// Why it expired.
    #[serde(default)]
    pub reason: Option<String>,
    /// What the evaluation decided.
    #[serde(default)]
    pub decision: Option<String>,
    /// The Run that was started.
    #[serde(default)]
    pub run_id: Option<RunId>,
}

/// `project.mounted` and `project.writeback`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProjectEvent {
    /// The Project.
    #[serde(default)]
    pub project_id: Option<ProjectId>,
    /// Where it is mounted.
    #[serde(default)]
    pub mount_path: Option<String>,
    /// The revision mounted.
    #[serde(default)]
    pub revision: Option<String>,
    /// The pull request that was written.
    #[serde(default)]
    pub pull_request_url: Option<String>,
}

/// `memory.mounted` and `memory.writeback_settled`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MemoryEvent {
    /// The MemoryStore.
    pub memory_store_id: MemoryStoreId,
    /// The access asked for.
    #[serde(default)]
    pub requested_access: Option<String>,
    /// The access given.
    #[serde(default)]
    pub effective_access: Option<String>,
    /// The version mounted or written.
    #[serde(default)]
    pub version: Option<String>,
    /// How a writeback ended.
    #[serde(default)]
    pub result: Option<String>,
}

/// `checkpoint.created`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CheckpointCreated {
    /// The Checkpoint.
    pub checkpoint_id: CheckpointId,
    /// How long it is kept.
    #[serde(default)]
    pub expires_at: Option<Timestamp>,
}
