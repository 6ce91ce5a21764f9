//! Opening and resolving waits (A-PARK, A-WAIT, A-CONT, A-GEN).

use super::{Model, STARTUP};
use crate::core::admission::WaitStyle;
use crate::core::model::moves::Subject;
use crate::core::model::state::{Wait, WaitKind, WaitState};
use crate::core::status::{RunStatus, SessionStatus, ThreadStatus};

/// A wait that is about to open.
pub(super) struct Opening {
    pub(super) run: usize,
    pub(super) subject: Subject,
    pub(super) kind: WaitKind,
    pub(super) blocker: u64,
    pub(super) custom: bool,
    pub(super) expires: Option<i64>,
    /// The request for an approval.
    pub(super) requested: Option<u64>,
}

impl Model {
    /// `run.waiting`; the generation rises each time a wait opens under its key (A-GEN).
    pub(super) fn open(&mut self, opening: Opening) {
        let run = &mut self.runs[opening.run];
        run.status = RunStatus::Waiting;
        run.deadline = None;
        let (thread, continuation) = (run.thread, run.continuation);
        let generation = 1 + self
            .waits
            .iter()
            .filter(|wait| wait.thread == thread && wait.subject == opening.subject)
            .count();
        let wait = Wait {
            thread,
            subject: opening.subject,
            kind: opening.kind,
            generation: u32::try_from(generation).unwrap(),
            run: opening.run,
            blocker: opening.blocker,
            state: WaitState::Open,
            custom: opening.custom,
            expires: opening.expires,
            opened_seq: 0,
            requested: opening.requested,
            judgement: None,
        };
        let members = format!("{} continuation={continuation}", wait.spelled());
        self.waits.push(wait);
        let seq = self.of_run("run.waiting", opening.run, &members);
        self.waits.last_mut().unwrap().opened_seq = seq;
    }

    /// What follows the last `run.waiting` of a Run that parks.
    pub(super) fn parked(&mut self, run: usize) {
        let thread = self.runs[run].thread;
        if thread > 0 {
            self.rest_child(thread, Some(run), "requires_action");
            if self.unfinished(0).next().is_none() {
                self.boundary(Some(run));
            }
        } else {
            self.boundary(Some(run));
        }
    }

    /// A-WAIT: the boundary, with everything that is pending.
    ///
    /// With a Question of the primary among it (Runs that overlap), the Session is paused: A-WAIT gives a Question that
    /// boundary, and the decisions are silent about a mixture.
    pub(super) fn boundary(&mut self, run: Option<usize>) {
        if self
            .open_waits()
            .any(|wait| wait.thread == 0 && wait.kind == WaitKind::Question)
        {
            if self.status != SessionStatus::Paused {
                self.become_status(SessionStatus::Paused, run, "");
            }
            return;
        }
        let style = self.behaviour.wait_style;
        if style != WaitStyle::Waiting {
            let blockers: Vec<u64> = self.open_waits().map(|wait| wait.blocker).collect();
            self.idle(run, "requires_action", &format!("{:?}", Some(blockers)));
        }
        if style != WaitStyle::Idle {
            self.become_status(SessionStatus::Waiting, run, "");
        }
    }

    /// After a wait of the Run was resolved: it resumes, or the boundary is written again with the rest.
    pub(super) fn resolved(&mut self, wait: usize) {
        let run = self.waits[wait].run;
        let thread = self.runs[run].thread;
        if self.open_of(run).next().is_some() {
            if thread == 0 {
                self.boundary(Some(run));
            } else {
                self.refresh_for_child(run);
            }
            return;
        }
        // A Question released the compute: its Run prepares again. On a child nothing in the log would tell the two
        // apart, so it runs at once; the decisions are silent.
        let question = thread == 0 && self.waits[wait].kind == WaitKind::Question;
        let deadline = Some(self.now + STARTUP + self.max_duration);
        let now = self.now;
        let max = self.max_duration;
        let state = &mut self.runs[run];
        state.continuation += 1;
        state.claimed = Some(now);
        state.deadline = Some(now + STARTUP + max);
        state.status = if question {
            RunStatus::Provisioning
        } else {
            RunStatus::Running
        };
        let members = format!(
            "{} continuation={} deadline={deadline:?}",
            self.waits[wait].spelled(),
            self.runs[run].continuation
        );
        self.of_run("run.resumed", run, &members);
        if thread == 0 {
            // Of the primary: while it rests, a child's start does not take the reason of its rest away (A-HEAD, A-VIEW).
            self.stop_reason = None;
            let to = if question {
                SessionStatus::Provisioning
            } else {
                SessionStatus::Running
            };
            self.become_status(to, Some(run), "");
        } else {
            self.threads[thread].status = ThreadStatus::Running;
            self.of_run("session.thread_status_running", run, &format!("t{thread}"));
            self.refresh_for_child(run);
        }
    }

    fn shows_idle_boundary(&self) -> bool {
        self.status == SessionStatus::Idle && self.stop_reason.as_deref() == Some("requires_action")
    }

    /// A-VIEW: the Session shows the waits of children while the primary has no unfinished Run.
    pub(super) fn refresh_for_child(&mut self, run: usize) {
        if self.unfinished(0).next().is_some() {
            return;
        }
        if self.open_waits().next().is_some() {
            self.boundary(Some(run));
        } else if self.status == SessionStatus::Waiting || self.shows_idle_boundary() {
            self.idle(Some(run), "end_turn", "None");
        }
    }
}
