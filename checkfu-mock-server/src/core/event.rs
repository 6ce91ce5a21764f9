//! The event envelope (A-ENV) and the closed set of events that this server writes.

use serde::{Deserialize, Serialize};

use super::id::{EventId, RunId, SessionId, ThreadId};
use super::moment::Moment;
use super::payload::{
    AgentMessage, Empty, RunCanceled, RunCompleted, RunCreated, RunStarted, SessionUsage, StatusIdle,
    UserMessage,
};
use super::status::SessionStatus;

/// One entry of the log. Its JSON is what is stored, listed and streamed, byte for byte (LST-3).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Event {
    pub(crate) id: EventId,
    pub(crate) seq: u64,
    pub(crate) session_id: SessionId,
    /// Absent for what concerns the whole Session.
    pub(crate) session_thread_id: Option<ThreadId>,
    /// The Run that this event belongs to; a triggering event carries the Run it starts.
    pub(crate) run_id: Option<RunId>,
    pub(crate) created_at: Moment,
    #[serde(flatten)]
    pub(crate) data: EventData,
}

/// Type and payload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", content = "payload")]
pub(crate) enum EventData {
    #[serde(rename = "user.message")]
    UserMessage(UserMessage),
    #[serde(rename = "agent.message")]
    AgentMessage(AgentMessage),
    #[serde(rename = "run.created")]
    RunCreated(RunCreated),
    #[serde(rename = "run.started")]
    RunStarted(RunStarted),
    #[serde(rename = "run.completed")]
    RunCompleted(RunCompleted),
    #[serde(rename = "run.canceled")]
    RunCanceled(RunCanceled),
    #[serde(rename = "session.usage")]
    SessionUsage(SessionUsage),
    #[serde(rename = "session.status_pending")]
    StatusPending(Empty),
    #[serde(rename = "session.status_provisioning")]
    StatusProvisioning(Empty),
    #[serde(rename = "session.status_running")]
    StatusRunning(Empty),
    #[serde(rename = "session.status_idle")]
    StatusIdle(StatusIdle),
    #[serde(rename = "session.status_completed")]
    StatusCompleted(Empty),
    #[serde(rename = "session.status_canceled")]
    StatusCanceled(Empty),
}

impl EventData {
    /// The `type` on the wire.
    pub(crate) fn type_name(&self) -> &'static str {
        match self {
            Self::UserMessage(_) => "user.message",
            Self::AgentMessage(_) => "agent.message",
            Self::RunCreated(_) => "run.created",
            Self::RunStarted(_) => "run.started",
            Self::RunCompleted(_) => "run.completed",
            Self::RunCanceled(_) => "run.canceled",
            Self::SessionUsage(_) => "session.usage",
            Self::StatusPending(_) => "session.status_pending",
            Self::StatusProvisioning(_) => "session.status_provisioning",
            Self::StatusRunning(_) => "session.status_running",
            Self::StatusIdle(_) => "session.status_idle",
            Self::StatusCompleted(_) => "session.status_completed",
            Self::StatusCanceled(_) => "session.status_canceled",
        }
    }

    /// The Session status that this event announces, if it is a status event.
    pub(crate) fn session_status(&self) -> Option<SessionStatus> {
        match self {
            Self::StatusPending(_) => Some(SessionStatus::Pending),
            Self::StatusProvisioning(_) => Some(SessionStatus::Provisioning),
            Self::StatusRunning(_) => Some(SessionStatus::Running),
            Self::StatusIdle(_) => Some(SessionStatus::Idle),
            Self::StatusCompleted(_) => Some(SessionStatus::Completed),
            Self::StatusCanceled(_) => Some(SessionStatus::Canceled),
            Self::UserMessage(_)
            | Self::AgentMessage(_)
            | Self::RunCreated(_)
            | Self::RunStarted(_)
            | Self::RunCompleted(_)
            | Self::RunCanceled(_)
            | Self::SessionUsage(_) => None,
        }
    }

    /// Whether the Session resource shows more of this event than its `seq` and time.
    pub(crate) fn changes_session(&self) -> bool {
        !matches!(self, Self::UserMessage(_) | Self::AgentMessage(_))
    }
}
