//! The Session in its own log.

use serde::{Deserialize, Serialize};

use super::content::{Failure, Usage};
use crate::core::id::{EventId, SessionId};

/// `session.usage`: the whole Session's tokens so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SessionUsage {
    pub(crate) usage: Usage,
}

/// `session.status_idle` (A-STOP: at Session level the reason is a string).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct StatusIdle {
    pub(crate) stop_reason: String,
    /// The calls that block, where the reason is `requires_action`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) event_ids: Option<Vec<EventId>>,
}

/// `session.status_failed`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct StatusFailed {
    pub(crate) error: Failure,
}

/// `session.forked`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SessionForked {
    pub(crate) source_session_id: SessionId,
    pub(crate) source_event_id: EventId,
    pub(crate) source_seq: u64,
}

/// `session.error`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SessionError {
    pub(crate) error: SessionErrorDetail,
}

/// Trouble on the way that settles nothing. The types are open.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SessionErrorDetail {
    pub(crate) r#type: String,
    pub(crate) message: String,
    pub(crate) retry_status: RetryStatus,
}

/// Whether the trouble is being dealt with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum RetryStatus {
    Retrying,
    Exhausted,
    Terminal,
}
