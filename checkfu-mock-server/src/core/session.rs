//! A Session's state: the fold of its log over what was fixed at admission (SES-1, SES-5).

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::admission::{Admission, Overlap};
use super::id::{EventId, RunId, ThreadId};
use super::moment::Moment;
use super::payload::{Block, Usage};
use super::run::{Run, RunOutcome};
use super::status::{RunStatus, SessionStatus, ThreadStatus};
use super::thread::Thread;
use super::unfinished::Unfinished;
use super::wait::{Approval, WaitRecord, Waits};
use crate::mutant::{self, Mutant};

/// The part of the state that the Session resource shows (A-HEAD).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Head {
    pub(crate) status: SessionStatus,
    /// Of the latest `session.status_idle`; none once a Run starts or resumes.
    pub(crate) stop_reason: Option<String>,
    /// The oldest retained event.
    pub(crate) first_seq: u64,
    pub(crate) last_seq: u64,
    pub(crate) usage: Option<Usage>,
    pub(crate) updated_at: Moment,
}

/// One Session.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Session {
    pub(crate) admission: Arc<Admission>,
    pub(crate) head: Head,
    /// The primary first, then the children by spawn.
    pub(crate) threads: Vec<Thread>,
    pub(crate) unfinished: Unfinished,
    pub(crate) waits: Waits,
    /// Challenges of prompt integrity that were used, and when (A-PIN).
    pub(crate) used_challenges: Vec<(String, Moment)>,
    /// The latest input, until its Run is created.
    pub(super) latest_input: Option<Input>,
    /// The latest request for an approval, until its wait opens.
    pub(super) requested: Option<Approval>,
}

/// What a Run is about to be created for.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Input {
    pub(super) event: EventId,
    pub(super) content: Vec<Block>,
    pub(super) outcome: Option<RunOutcome>,
}

impl Session {
    /// The state before the first event.
    pub(crate) fn admitted(admission: Arc<Admission>) -> Self {
        let head = Head {
            status: SessionStatus::Pending,
            stop_reason: None,
            first_seq: 1,
            last_seq: 0,
            usage: None,
            updated_at: admission.created_at,
        };
        let primary = Thread::new(
            admission.primary_thread_id.clone(),
            None,
            admission.agent_name.clone(),
            admission.created_at,
        );
        Self {
            admission,
            head,
            threads: vec![primary],
            unfinished: Unfinished::default(),
            waits: Waits::default(),
            used_challenges: Vec::new(),
            latest_input: None,
            requested: None,
        }
    }

    pub(crate) fn primary(&self) -> &ThreadId {
        &self.admission.primary_thread_id
    }

    pub(crate) fn is_primary(&self, thread: &ThreadId) -> bool {
        self.admission.primary_thread_id == *thread
    }

    pub(crate) fn thread(&self, id: &ThreadId) -> Option<&Thread> {
        self.threads.iter().find(|thread| thread.id == *id)
    }

    /// The place of a child among the threads, from 1; 0 is the primary thread.
    pub(crate) fn ordinal(&self, id: &ThreadId) -> Option<usize> {
        self.threads.iter().position(|thread| thread.id == *id)
    }

    pub(crate) fn run(&self, id: &RunId) -> Option<&Run> {
        self.unfinished.run(id)
    }

    /// Unfinished Runs of a thread, oldest first.
    pub(crate) fn runs_of(&self, thread: &ThreadId) -> impl Iterator<Item = &Run> {
        self.unfinished.of_thread(thread)
    }

    /// A-OVERLAP: the Runs of a thread that are not queued behind another one. Children have a queue always.
    pub(crate) fn active_runs(&self, thread: &ThreadId) -> impl Iterator<Item = &Run> {
        let all = self.overlap(thread);
        let passed_over = if mutant::active(Mutant::LatestFirst) && !all {
            self.queued_before_latest(thread)
        } else {
            0
        };
        self.runs_of(thread)
            .skip(passed_over)
            .take(if all { usize::MAX } else { 1 })
    }

    /// How many Runs stand in the queue before the one that has begun, or else before the latest: what a broken promise
    /// passes over.
    fn queued_before_latest(&self, thread: &ThreadId) -> usize {
        let begun = |run: &Run| run.status != RunStatus::Queued || run.attempt > 0;
        let latest = self.runs_of(thread).count().saturating_sub(1);
        self.runs_of(thread).position(begun).unwrap_or(latest)
    }

    pub(crate) fn is_active(&self, run: &Run) -> bool {
        self.active_runs(&run.thread_id).any(|active| active.id == run.id)
    }

    fn overlap(&self, thread: &ThreadId) -> bool {
        self.admission.behaviour.overlap == Overlap::Parallel && self.is_primary(thread)
    }

    /// The active Runs of all threads, oldest first.
    pub(crate) fn all_active(&self) -> impl Iterator<Item = &Run> {
        let threads = self.unfinished.threads();
        let mut active: Vec<&Run> = threads.flat_map(|thread| self.active_runs(thread)).collect();
        active.sort_unstable_by_key(|run| run.created_seq);
        active.into_iter()
    }

    /// Whether a Run waits for nobody but its grader (A-OUT).
    pub(crate) fn is_grading(&self, run: &Run) -> bool {
        run.status == RunStatus::Waiting
            && self
                .waits
                .open_of(&run.id)
                .all(|record| matches!(record.wait, super::payload::Wait::Outcome { .. }))
    }

    /// The Runs that a Runner has something to do for.
    pub(crate) fn driven(&self) -> impl Iterator<Item = &Run> {
        self.all_active()
            .filter(|run| run.is_driven(self.is_grading(run)))
    }

    /// What somebody outside has to answer, children's first or not, in the order in which it opened.
    pub(crate) fn pending_actions(&self) -> impl Iterator<Item = &WaitRecord> {
        self.waits.open()
    }

    /// THR-4: where a thread stands. The primary's status follows its Runs (A-VIEW).
    pub(crate) fn thread_status(&self, thread: &Thread) -> ThreadStatus {
        if !self.is_primary(&thread.id) {
            return thread.status;
        }
        if self.head.status.is_terminal() {
            return ThreadStatus::Terminated;
        }
        let runs = || self.active_runs(&thread.id);
        if runs().any(|run| {
            matches!(
                run.status,
                RunStatus::Provisioning | RunStatus::Running | RunStatus::Reconciling
            )
        }) {
            ThreadStatus::Running
        } else if runs().any(|run| run.status == RunStatus::Queued && run.attempt > 0) {
            ThreadStatus::Rescheduling
        } else {
            ThreadStatus::Idle
        }
    }
}
