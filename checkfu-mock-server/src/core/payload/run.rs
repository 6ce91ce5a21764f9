//! Runs in the log.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::content::{Cost, Failure, Usage};
use super::wait::Wait;
use crate::core::id::{EventId, RunId};
use crate::core::moment::Moment;

/// What made a Run start (RUN-1).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Trigger {
    pub(crate) kind: TriggerKind,
    pub(crate) event_id: EventId,
}

/// The kind of a Run's trigger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TriggerKind {
    Message,
    Outcome,
    ChildReport,
}

/// `run.created`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunCreated {
    pub(crate) trigger: Trigger,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) continues_run_id: Option<RunId>,
}

/// The exact versions that a Run received and the access that it had.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Resolved {
    pub(crate) project_revisions: Vec<Map<String, Value>>,
    pub(crate) memory_versions: Vec<Map<String, Value>>,
    pub(crate) memory_access: Vec<Map<String, Value>>,
}

/// `run.started`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunStarted {
    pub(crate) attempt: u32,
    pub(crate) deadline_at: Moment,
    pub(crate) resolved: Resolved,
}

/// `run.requeued`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunRequeued {
    /// The attempt that ended.
    pub(crate) attempt: u32,
    pub(crate) reason: RequeueReason,
}

/// Why a Run needs a fresh attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RequeueReason {
    StartupTimeout,
    RunnerLost,
}

/// `run.waiting`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunWaiting {
    pub(crate) wait: Wait,
    pub(crate) continuation: u32,
}

/// `run.resumed`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunResumed {
    pub(crate) wait: Wait,
    pub(crate) continuation: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) deadline_at: Option<Moment>,
}

/// `run.completed`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunCompleted {
    pub(crate) usage: Usage,
    pub(crate) cost: Cost,
}

/// `run.failed`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunFailed {
    pub(crate) error: Failure,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) usage: Option<Usage>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) cost: Option<Cost>,
}

/// `run.canceled`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunCanceled {
    pub(crate) reason: CancelReason,
}

/// Why a Run was canceled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum CancelReason {
    Interrupted,
    SessionCompleted,
    SessionCanceled,
    SessionFailed,
}
