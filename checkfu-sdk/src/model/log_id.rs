use std::fmt;

use super::id::{SessionId, SessionThreadId};

/// Names a log: that of a Session, or the view that one of its threads has of it.
///
/// ```
/// use checkfu_sdk::model::LogId;
///
/// assert_eq!(LogId::of_thread("sess_1", "sthr_2").to_string(), "sess_1/sthr_2");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct LogId {
    /// The Session.
    pub session_id: SessionId,
    /// The thread, for the log of one; `None` for the Session's.
    pub session_thread_id: Option<SessionThreadId>,
}

impl LogId {
    /// The log of a Session.
    pub fn of_session(session_id: impl Into<SessionId>) -> Self {
        Self {
            session_id: session_id.into(),
            session_thread_id: None,
        }
    }

    /// The log of a thread.
    pub fn of_thread(session_id: impl Into<SessionId>, thread_id: impl Into<SessionThreadId>) -> Self {
        Self {
            session_id: session_id.into(),
            session_thread_id: Some(thread_id.into()),
        }
    }
}

impl fmt::Display for LogId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.session_id.fmt(formatter)?;
        match &self.session_thread_id {
            Some(thread) => write!(formatter, "/{thread}"),
            None => Ok(()),
        }
    }
}
