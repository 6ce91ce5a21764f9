use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::usage::{Cost, Failure, Usage};
use crate::model::id::{EventId, MemoryStoreId, OutcomeId, ProjectId, QuestionId, RunId, ToolUseId};
use crate::model::open_enum::open_enum;

open_enum! {
    /// What started a Run.
    TriggerKind {
        /// A `user.message`.
        Message = "message",
        /// A `user.define_outcome`.
        Outcome = "outcome",
        /// A Watch that fired.
        Watch = "watch",
        /// The report of a child thread.
        ChildReport = "child_report",
    }
}

open_enum! {
    /// What a parked Run waits for.
    WaitKind {
        /// A decision on a governed tool call.
        ActionApproval = "action_approval",
        /// The result of a tool that the application runs.
        CustomTool = "custom_tool",
        /// The answer to a question.
        Question = "question",
        /// The grader of an Outcome.
        Outcome = "outcome",
    }
}

/// What started a Run, and through which event.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Trigger {
    /// The kind of trigger.
    pub kind: TriggerKind,
    /// The event that triggered it.
    #[serde(default)]
    pub event_id: Option<EventId>,
}

/// `run.created`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunCreated {
    /// What started the Run.
    pub trigger: Trigger,
    /// The Run that this one carries on (`A-CONT`).
    #[serde(default)]
    pub continues_run_id: Option<RunId>,
}

/// The exact versions that an attempt received, and the access it was given (`RUN-2`).
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(default)]
pub struct Resolved {
    /// The revision of each mounted Project.
    pub project_revisions: Vec<ProjectRevision>,
    /// The version of each mounted MemoryStore.
    pub memory_versions: Vec<MemoryVersion>,
    /// The effective access to each mounted MemoryStore.
    pub memory_access: Vec<MemoryAccess>,
}

/// The revision of a mounted Project that an attempt received.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ProjectRevision {
    /// The Project.
    pub project_id: ProjectId,
    /// Where it is mounted.
    #[serde(default)]
    pub mount_path: Option<String>,
    /// The exact revision.
    #[serde(default)]
    pub revision: Option<String>,
}

/// The version of a mounted MemoryStore that an attempt received.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MemoryVersion {
    /// The MemoryStore.
    pub memory_store_id: MemoryStoreId,
    /// The exact version.
    #[serde(default)]
    pub version: Option<String>,
}

/// The access to a mounted MemoryStore that an attempt was given.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct MemoryAccess {
    /// The MemoryStore.
    pub memory_store_id: MemoryStoreId,
    /// The access asked for.
    #[serde(default)]
    pub requested_access: Option<String>,
    /// The access given.
    #[serde(default)]
    pub effective_access: Option<String>,
}

/// `run.started`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunStarted {
    /// Which start of the Run this is, from 1.
    pub attempt: u64,
    /// When the turn must be over.
    #[serde(default)]
    pub deadline_at: Option<Timestamp>,
    /// What the attempt received.
    #[serde(default)]
    pub resolved: Option<Resolved>,
}

/// `run.requeued`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunRequeued {
    /// The attempt that did not get going.
    pub attempt: u64,
    /// Why.
    #[serde(default)]
    pub reason: Option<String>,
}

/// What a Run waits for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Wait {
    /// The kind of wait.
    pub kind: WaitKind,
    /// The tool call waited for.
    #[serde(default)]
    pub tool_use_id: Option<ToolUseId>,
    /// The question waited for.
    #[serde(default)]
    pub question_id: Option<QuestionId>,
    /// The Outcome waited for.
    #[serde(default)]
    pub outcome_id: Option<OutcomeId>,
    /// Which wait under this key it is, from 1 (`A-GEN`).
    #[serde(default)]
    pub generation: Option<u64>,
}

/// `run.waiting` and `run.resumed`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunWait {
    /// What the Run waits or waited for.
    #[serde(default)]
    pub wait: Option<Wait>,
    /// How often the Run was resumed.
    #[serde(default)]
    pub continuation: Option<u64>,
    /// When the turn must be over.
    #[serde(default)]
    pub deadline_at: Option<Timestamp>,
}

/// `run.completed`, `run.failed` and `run.canceled`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RunEnded {
    /// Tokens counted.
    #[serde(default)]
    pub usage: Option<Usage>,
    /// Money counted.
    #[serde(default)]
    pub cost: Option<Cost>,
    /// Why it failed.
    #[serde(default)]
    pub error: Option<Failure>,
    /// Why it was canceled.
    #[serde(default)]
    pub reason: Option<String>,
}
