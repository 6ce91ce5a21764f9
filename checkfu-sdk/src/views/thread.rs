use crate::model::{Seq, SessionThreadId, SessionThreadStatus, StopReason};

/// A child thread, as its Session's log tells of it (`THR-2`, `THR-11`). The primary is the parent that it names.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Thread {
    /// The thread.
    pub session_thread_id: SessionThreadId,
    /// The thread that spawned it.
    pub parent_thread_id: Option<SessionThreadId>,
    /// The name of its Agent.
    pub agent_name: Option<String>,
    /// The place of the event that told of it first.
    pub seq: Seq,
    /// What it does.
    pub status: Option<SessionThreadStatus>,
    /// Why it last came to rest, while it rests.
    pub stop_reason: Option<StopReason>,
}
