//! New events of one command: each gets its `seq` (SES-5) and is folded at once, so that what follows in the same
//! command sees the state that the log will give.

use std::collections::HashSet;

use super::event::{Event, EventData};
use super::id::{ApprovalId, Entropy, EventId, Id, Kind, RunId, ThreadId};
use super::moment::Moment;
use super::payload::{Empty, StatusIdle};
use super::refusal::Refusal;
use super::run::Run;
use super::session::Session;
use super::status::SessionStatus;
use super::thread::Thread;
use super::touched::Touched;
use super::transition;
use super::wait::WaitRecord;

/// Events being appended to one Session.
pub(crate) struct Batch<'a> {
    session: &'a mut Session,
    now: Moment,
    entropy: &'a mut dyn Entropy,
    /// Whether a Run was unfinished when the command began: its last events are still of that Run.
    unfinished_before: bool,
    events: Vec<Event>,
    touched: Touched,
}

/// What a command brought about.
#[derive(Debug, Default)]
pub(crate) struct Outcome {
    /// In log order.
    pub(crate) events: Vec<Event>,
    /// The Runs whose resource changed, as they are now.
    pub(crate) runs: Vec<Run>,
    /// The threads whose resource changed, as they are now, with their places.
    pub(crate) threads: Vec<(usize, Thread)>,
    /// The waits whose ActionApproval changed.
    pub(crate) approvals: Vec<WaitRecord>,
    /// The `seq` of the event that the command would only have repeated (THR-9).
    pub(crate) replay_of: Option<u64>,
}

impl<'a> Batch<'a> {
    pub(crate) fn new(session: &'a mut Session, now: Moment, entropy: &'a mut dyn Entropy) -> Self {
        let unfinished_before = !session.unfinished.is_empty();
        Self {
            session,
            now,
            entropy,
            unfinished_before,
            events: Vec::new(),
            touched: Touched::default(),
        }
    }

    pub(crate) fn session(&self) -> &Session {
        self.session
    }

    pub(crate) fn now(&self) -> Moment {
        self.now
    }

    pub(crate) fn fresh<K: Kind>(&mut self) -> Id<K> {
        Id::fresh(self.entropy)
    }

    /// Appends an event of a thread.
    pub(crate) fn on_thread(&mut self, thread: &ThreadId, run: Option<&RunId>, data: EventData) -> EventId {
        let id = self.fresh();
        self.append(id, Some(thread.clone()), run.cloned(), data)
    }

    /// Appends an event of the Run's thread.
    pub(crate) fn of_run(&mut self, run: &Run, data: EventData) -> EventId {
        self.on_thread(&run.thread_id, Some(&run.id), data)
    }

    /// Appends an event of the Run's thread under an identifier that was told before (PRV-3).
    pub(crate) fn of_run_as(&mut self, id: EventId, run: &Run, data: EventData) {
        self.append(id, Some(run.thread_id.clone()), Some(run.id.clone()), data);
    }

    /// Appends an event that concerns the whole Session.
    pub(crate) fn on_session(&mut self, run: Option<&RunId>, data: EventData) -> EventId {
        let id = self.fresh();
        self.append(id, None, run.cloned(), data)
    }

    /// A-TRANS: appends the status event, or refuses when the table does not allow it. Runs that overlap may need
    /// a status in between.
    pub(crate) fn become_status(&mut self, run: Option<&RunId>, data: EventData) -> Result<(), Refusal> {
        let Some(to) = data.session_status() else {
            self.on_session(run, data);
            return Ok(());
        };
        let from = self.session.head.status;
        if self.session.head.last_seq > 0 && !self.is_legal(from, to) {
            let unfinished = self.unfinished_before || !self.session.unfinished.is_empty();
            let between =
                transition::way(from, to, unfinished).ok_or(Refusal::InvalidTransition { from, to })?;
            for status in between {
                let data = match status {
                    SessionStatus::Pending => EventData::StatusPending(Empty {}),
                    SessionStatus::Provisioning => EventData::StatusProvisioning(Empty {}),
                    _ => EventData::StatusRunning(Empty {}),
                };
                self.on_session(run, data);
            }
        }
        self.on_session(run, data);
        Ok(())
    }

    /// `session.status_idle`.
    pub(crate) fn become_idle(&mut self, run: Option<&RunId>, stop_reason: &str) -> Result<(), Refusal> {
        let idle = EventData::StatusIdle(StatusIdle {
            stop_reason: stop_reason.to_owned(),
            event_ids: None,
        });
        self.become_status(run, idle)
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

    pub(crate) fn finish(self, replay_of: Option<u64>) -> Outcome {
        let Touched {
            runs: changed,
            settled: mut runs,
            threads,
            approvals,
        } = self.touched;
        let approvals: HashSet<ApprovalId> = approvals.into_iter().collect();
        let session = self.session;
        let changed: HashSet<RunId> = changed.into_iter().collect();
        runs.extend(changed.iter().filter_map(|id| session.run(id)).cloned());
        Outcome {
            events: self.events,
            runs,
            threads: session
                .threads
                .iter()
                .enumerate()
                .filter(|(_, thread)| threads.contains(&thread.id))
                .map(|(place, thread)| (place, thread.clone()))
                .collect(),
            approvals: approvals
                .iter()
                .filter_map(|id| session.waits.with_approval(id))
                .cloned()
                .collect(),
            replay_of,
        }
    }

    fn is_legal(&self, from: SessionStatus, to: SessionStatus) -> bool {
        transition::is_legal(
            from,
            to,
            self.unfinished_before || !self.session.unfinished.is_empty(),
        )
    }

    fn append(
        &mut self,
        id: EventId,
        thread: Option<ThreadId>,
        run: Option<RunId>,
        data: EventData,
    ) -> EventId {
        let event = Event {
            id: id.clone(),
            seq: self.session.head.last_seq + 1,
            session_id: self.session.admission.id.clone(),
            session_thread_id: thread,
            run_id: run,
            created_at: self.now,
            data,
        };
        self.session.apply(&event, &mut self.touched);
        self.events.push(event);
        id
    }
}
