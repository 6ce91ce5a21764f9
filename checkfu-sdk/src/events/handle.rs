use super::log::Log;
use crate::client::Client;
use crate::model::{LogId, SessionId, SessionThreadId};
use crate::sessions::Sessions;

/// The calls on the events of one Session.
#[derive(Debug, Clone)]
pub struct SessionEvents {
    log: Log,
}

impl Sessions<'_> {
    /// The calls on the events of one Session.
    pub fn events(&self, session_id: impl Into<SessionId>) -> SessionEvents {
        SessionEvents {
            log: Log::new(self.client().clone(), LogId::of_session(session_id)),
        }
    }
}

impl SessionEvents {
    pub(crate) fn client(&self) -> &Client {
        self.log.client()
    }

    pub(crate) fn log(&self) -> &Log {
        &self.log
    }

    /// The Session.
    pub fn session_id(&self) -> &SessionId {
        &self.log.id().session_id
    }
}

/// The calls on the events of one thread (`THR-5`, `THR-6`): of the primary the Session's condensed history, of a child
/// its own complete one. Places are the Session's `seq`, so there are holes (`A-CURSOR`).
///
/// There is nothing to send here: what a child waits for is answered at its Session, with the thread's id (`THR-7`).
#[derive(Debug, Clone)]
pub struct ThreadEvents {
    log: Log,
}

impl ThreadEvents {
    pub(crate) fn new(client: Client, session_id: SessionId, thread_id: SessionThreadId) -> Self {
        Self {
            log: Log::new(client, LogId::of_thread(session_id, thread_id)),
        }
    }

    pub(crate) fn log(&self) -> &Log {
        &self.log
    }

    /// The Session and the thread.
    pub fn log_id(&self) -> &LogId {
        self.log.id()
    }
}
