//! Lets happen what is due in each Session: deadlines, start-ups that take too long, approvals that expire (A-DLN).

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use crate::core::moment::Moment;
use crate::ledger::handle::SessionHandle;

/// When something is due next, by Session.
#[derive(Debug, Default)]
pub(crate) struct Timekeeper {
    by_time: BTreeMap<(Moment, i64), Arc<SessionHandle>>,
    by_session: HashMap<i64, Moment>,
}

impl Timekeeper {
    /// Something is due in this Session then, and nothing before.
    pub(crate) fn note(&mut self, session: Arc<SessionHandle>, at: Moment) {
        if let Some(noted) = self.by_session.insert(session.row, at) {
            self.by_time.remove(&(noted, session.row));
        }
        self.by_time.insert((at, session.row), session);
    }

    /// When the next thing is due.
    pub(crate) fn next(&self) -> Option<Moment> {
        self.by_time.keys().next().map(|(at, _)| *at)
    }

    /// The Sessions in which something is due by now; each is forgotten until it is noted again.
    pub(crate) fn take_due(&mut self, now: Moment) -> Vec<Arc<SessionHandle>> {
        let mut due = Vec::new();
        while let Some(entry) = self.by_time.first_entry()
            && entry.key().0 <= now
        {
            let session = entry.remove();
            self.by_session.remove(&session.row);
            due.push(session);
        }
        due
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::core::cursor::Retained;
    use crate::core::id::{SessionId, WorkspaceId};
    use crate::ledger::handle::LogEnd;

    fn session(row: i64) -> Arc<SessionHandle> {
        let end = LogEnd {
            retained: Retained {
                first_seq: 1,
                last_seq: 1,
            },
            terminal: false,
        };
        let id = SessionId::from_number(1);
        Arc::new(SessionHandle::new(row, id, WorkspaceId::from_number(1), end))
    }

    /// A-DLN: what was noted last counts for its Session, and nothing comes before its time.
    #[test]
    fn a_session_is_due_at_the_time_that_was_noted_last() {
        let mut timekeeper = Timekeeper::default();
        let at = Moment::from_milliseconds;
        timekeeper.note(session(1), at(50));
        timekeeper.note(session(2), at(40));
        timekeeper.note(session(1), at(30));
        assert_eq!(timekeeper.next(), Some(at(30)));
        assert!(timekeeper.take_due(at(29)).is_empty());
        let due: Vec<i64> = timekeeper
            .take_due(at(60))
            .iter()
            .map(|session| session.row)
            .collect();
        assert_eq!(due, [1, 2]);
        assert_eq!(timekeeper.next(), None);
    }
}
