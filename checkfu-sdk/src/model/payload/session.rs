use serde::{Deserialize, Deserializer, Serialize};
use serde_json::value::RawValue;

use super::usage::{Cost, Failure, Usage};
use crate::model::id::{CheckpointId, EventId, SessionId, SessionThreadId};
use crate::model::seq::Seq;
use crate::model::stop_reason::StopReason;

/// `session.status_idle`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionIdle {
    /// Why the turn stopped; read from the payload, or from beside it (`A-STOP`).
    #[serde(default, deserialize_with = "stop_reason")]
    pub stop_reason: Option<StopReason>,
    /// The events that an answer is wanted for, if the server names them.
    #[serde(default)]
    pub event_ids: Option<Vec<EventId>>,
}

/// A change of the Session's status that has no members of its own.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionStatusChange {
    /// Why the Session failed.
    #[serde(default)]
    pub error: Option<Failure>,
    /// Why the status changed.
    #[serde(default)]
    pub reason: Option<String>,
}

/// `session.forked`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionForked {
    /// The Session that was forked.
    pub source_session_id: SessionId,
    /// The last event that was copied.
    #[serde(default)]
    pub source_event_id: Option<EventId>,
    /// The place of that event.
    #[serde(default)]
    pub source_seq: Option<Seq>,
    /// The Checkpoint whose sandbox state was cloned.
    #[serde(default)]
    pub checkpoint_id: Option<CheckpointId>,
}

/// `session.usage`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct SessionUsage {
    /// Tokens counted.
    #[serde(default)]
    pub usage: Option<Usage>,
    /// Money counted.
    #[serde(default)]
    pub cost: Option<Cost>,
}

/// `session.thread_created` and `session.thread_status_…`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ThreadEvent {
    /// The thread, where the payload names it; else the envelope does.
    #[serde(default)]
    pub session_thread_id: Option<SessionThreadId>,
    /// The thread that spawned it.
    #[serde(default)]
    pub parent_thread_id: Option<SessionThreadId>,
    /// The name of the thread's Agent.
    #[serde(default)]
    pub agent_name: Option<String>,
    /// Why the thread failed.
    #[serde(default)]
    pub error: Option<Failure>,
    /// Why the thread's turn stopped (`A-STOP`).
    #[serde(default, deserialize_with = "stop_reason")]
    pub stop_reason: Option<StopReason>,
}

fn stop_reason<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<StopReason>, D::Error> {
    Ok(StopReason::read(&Box::<RawValue>::deserialize(deserializer)?))
}
