//! Child threads in the log (A-STOP: at thread level the stop reason is an object).

use serde::{Deserialize, Serialize};

use super::content::Failure;
use crate::core::id::ThreadId;

/// `session.thread_created`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ThreadCreated {
    pub(crate) session_thread_id: ThreadId,
    pub(crate) agent_name: String,
    pub(crate) parent_thread_id: ThreadId,
}

/// `session.thread_status_running` and `session.thread_status_rescheduled`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ThreadStatusChange {
    pub(crate) session_thread_id: ThreadId,
    pub(crate) agent_name: String,
}

/// `session.thread_status_idle`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ThreadIdle {
    pub(crate) session_thread_id: ThreadId,
    pub(crate) agent_name: String,
    pub(crate) stop_reason: ThreadStopReason,
}

/// Why a thread came to rest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ThreadStopReason {
    pub(crate) r#type: String,
}

/// `session.thread_status_terminated`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ThreadTerminated {
    pub(crate) session_thread_id: ThreadId,
    pub(crate) agent_name: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) error: Option<Failure>,
}
