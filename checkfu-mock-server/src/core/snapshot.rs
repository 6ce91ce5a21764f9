//! The state after some event, kept where events before it are gone (A-GAP): the state is then the fold over it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::admission::Admission;
use super::moment::Moment;
use super::session::{Head, Input, Session};
use super::thread::Thread;
use super::unfinished::Unfinished;
use super::wait::{Approval, Waits};

/// Everything that a Session's state holds beyond its admission.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Snapshot {
    head: Head,
    threads: Vec<Thread>,
    unfinished: Unfinished,
    waits: Waits,
    used_challenges: Vec<(String, Moment)>,
    latest_input: Option<Input>,
    requested: Option<Approval>,
}

impl Snapshot {
    pub(crate) fn of(session: &Session) -> Self {
        Self {
            head: session.head.clone(),
            threads: session.threads.clone(),
            unfinished: session.unfinished.clone(),
            waits: session.waits.clone(),
            used_challenges: session.used_challenges.clone(),
            latest_input: session.latest_input.clone(),
            requested: session.requested.clone(),
        }
    }

    /// The state again, for the Session that it was taken of or for a fork of it.
    pub(crate) fn restore(self, admission: Arc<Admission>) -> Session {
        Session {
            admission,
            head: self.head,
            threads: self.threads,
            unfinished: self.unfinished,
            waits: self.waits,
            used_challenges: self.used_challenges,
            latest_input: self.latest_input,
            requested: self.requested,
        }
    }
}
