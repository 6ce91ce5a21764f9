//! New events of one command: each gets its `seq` (SES-5) and is folded at once, so that what follows in the same
//! command sees the state that the log will give.

use super::event::{Event, EventData};
use super::id::{Entropy, EventId, RunId, ThreadId};
use super::moment::Moment;
use super::payload::{Empty, StatusIdle};
use super::refusal::Refusal;
use super::run::Run;
use super::session::{RunChange, Session};
use super::status::SessionStatus;
use super::transition;

/// Events being appended to one Session.
pub(crate) struct Batch<'a> {
    session: &'a mut Session,
    now: Moment,
    entropy: &'a mut dyn Entropy,
    events: Vec<Event>,
    changed: Vec<RunId>,
    settled: Vec<Run>,
}

/// What a command brought about.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// In log order.
    pub(crate) events: Vec<Event>,
    /// The Runs whose resource changed, as they are now.
    pub(crate) runs: Vec<Run>,
}

impl<'a> Batch<'a> {
    pub(crate) fn new(session: &'a mut Session, now: Moment, entropy: &'a mut dyn Entropy) -> Self {
        Self {
            session,
            now,
            entropy,
            events: Vec::new(),
            changed: Vec::new(),
            settled: Vec::new(),
        }
    }

    pub(crate) fn session(&self) -> &Session {
        self.session
    }

    pub(crate) fn now(&self) -> Moment {
        self.now
    }

    pub(crate) fn fresh_run_id(&mut self) -> RunId {
        RunId::fresh(self.entropy)
    }

    /// Appends an event of the primary thread.
    pub(crate) fn on_primary(&mut self, run: &RunId, data: EventData) -> EventId {
        let thread = self.session.admission.primary_thread_id.clone();
        self.append(Some(thread), Some(run.clone()), data)
    }

    /// Appends an event that concerns the whole Session.
    pub(crate) fn on_session(&mut self, run: Option<&RunId>, data: EventData) -> EventId {
        self.append(None, run.cloned(), data)
    }

    /// A-TRANS: appends the status event, or refuses when the table does not allow it.
    pub(crate) fn become_status(&mut self, run: Option<&RunId>, data: EventData) -> Result<(), Refusal> {
        if let Some(to) = data.session_status() {
            let from = self.session.head.status;
            let first = self.session.head.last_seq == 0;
            if !first && !transition::is_legal(from, to, !self.session.unfinished.is_empty()) {
                return Err(Refusal::InvalidTransition { from, to });
            }
        }
        self.on_session(run, data);
        Ok(())
    }

    /// `session.status_idle`.
    pub(crate) fn become_idle(&mut self, run: &RunId, stop_reason: &str) -> Result<(), Refusal> {
        let idle = EventData::StatusIdle(StatusIdle {
            stop_reason: stop_reason.to_owned(),
        });
        self.become_status(Some(run), idle)
    }

    /// `session.status_pending`, unless the Session is pending already.
    pub(crate) fn become_pending(&mut self, run: &RunId) -> Result<(), Refusal> {
        if self.session.head.status == SessionStatus::Pending {
            return Ok(());
        }
        self.become_status(Some(run), EventData::StatusPending(Empty {}))
    }

    /// Whether anything was appended.
    pub(crate) fn is_empty(&self) -> bool {
        self.events.is_empty()
    }

    pub(crate) fn finish(self) -> Outcome {
        let mut runs = self.settled;
        runs.extend(
            self.session
                .unfinished
                .iter()
                .filter(|run| self.changed.contains(&run.id))
                .cloned(),
        );
        Outcome {
            events: self.events,
            runs,
        }
    }

    fn append(&mut self, thread: Option<ThreadId>, run: Option<RunId>, data: EventData) -> EventId {
        let event = Event {
            id: EventId::fresh(self.entropy),
            seq: self.session.head.last_seq + 1,
            session_id: self.session.admission.id.clone(),
            session_thread_id: thread,
            run_id: run,
            created_at: self.now,
            data,
        };
        match self.session.apply(&event) {
            RunChange::None => {}
            RunChange::Changed(id) => self.changed.push(id),
            RunChange::Settled(run) => self.settled.push(*run),
        }
        let id = event.id.clone();
        self.events.push(event);
        id
    }
}
