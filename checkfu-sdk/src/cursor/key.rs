use crate::model::{EventId, LogId, Seq, SessionId, SessionThreadId};
use crate::settlement::Settlement;

/// Whose cursor, on which log.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct CursorKey {
    /// The consumer: a name of the caller's own. Each consumer of a Session has its own cursor.
    pub consumer: String,
    /// The Session.
    pub session_id: SessionId,
    /// The thread, for a cursor on a thread's log; `None` for the Session's.
    pub session_thread_id: Option<SessionThreadId>,
}

impl CursorKey {
    /// The cursor of `consumer` on the log of a Session.
    pub fn session(consumer: impl Into<String>, session_id: impl Into<SessionId>) -> Self {
        Self {
            consumer: consumer.into(),
            session_id: session_id.into(),
            session_thread_id: None,
        }
    }

    /// The cursor of `consumer` on the log of one thread. It counts by the Session's `seq` (`A-CURSOR`).
    pub fn thread(
        consumer: impl Into<String>,
        session_id: impl Into<SessionId>,
        session_thread_id: impl Into<SessionThreadId>,
    ) -> Self {
        Self {
            consumer: consumer.into(),
            session_id: session_id.into(),
            session_thread_id: Some(session_thread_id.into()),
        }
    }

    pub(crate) fn of(consumer: String, log_id: &LogId) -> Self {
        Self {
            consumer,
            session_id: log_id.session_id.clone(),
            session_thread_id: log_id.session_thread_id.clone(),
        }
    }
}

/// The last event that was applied.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Position {
    /// Its place in the log.
    pub seq: Seq,
    /// Which event it was, so that another log with the same numbers is noticed (`A-ANCHOR`).
    pub event_id: Option<EventId>,
}

impl Position {
    /// The event `event_id` at `seq`.
    pub fn new(seq: Seq, event_id: Option<EventId>) -> Self {
        Self { seq, event_id }
    }
}

/// What is kept for one [`CursorKey`].
#[derive(Debug, Clone, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct Cursor {
    /// The last event that was applied; `None` for a new projection (`FOL-8`).
    pub position: Option<Position>,
    /// The last settlement among the events that were applied (`FOL-6`).
    pub settlement: Option<Settlement>,
}

impl Cursor {
    /// A cursor after `position`, with the last settlement up to there.
    pub fn new(position: Option<Position>, settlement: Option<Settlement>) -> Self {
        Self { position, settlement }
    }

    /// The place of the last event that was applied.
    pub fn seq(&self) -> Option<Seq> {
        self.position.as_ref().map(|position| position.seq)
    }
}
