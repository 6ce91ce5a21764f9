//! What happens because time goes by (DLN-1, DLN-2, A-DLN, A-GEN).

use super::{Model, STARTUP};
use crate::core::admission::OnDeadline;
use crate::core::model::state::{Judgement, WaitKind, WaitState};
use crate::core::status::{RunStatus, SessionStatus, ThreadStatus};

/// Something that becomes due.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Due {
    Startup(usize),
    Deadline(usize),
    Expiry(usize),
}

impl Model {
    pub(super) fn tick(&mut self) -> Result<(), String> {
        while let Some(due) = self.due() {
            let before = self.seen();
            match due {
                Due::Startup(run) => self.startup_timed_out(run),
                Due::Deadline(run) => self.deadline_crossed(run),
                Due::Expiry(wait) => {
                    let run = self.waits[wait].run;
                    self.waits[wait].state = WaitState::Closed;
                    let seq = self.of_run("action_approval.expired", run, "");
                    self.waits[wait].judgement = Some(Judgement::Expired { seq });
                    self.resolved(wait);
                }
            }
            self.follow(&before);
        }
        Ok(())
    }

    /// When something is due next, for the choice of how far time goes.
    pub(in crate::core::model) fn next_due(&self) -> Option<i64> {
        self.all_due().into_iter().map(|(at, _)| at).min()
    }

    fn due(&self) -> Option<Due> {
        self.all_due()
            .into_iter()
            .filter(|(at, _)| *at <= self.now)
            .min()
            .map(|(_, due)| due)
    }

    fn all_due(&self) -> Vec<(i64, Due)> {
        let mut all = Vec::new();
        for (number, run) in self.runs.iter().enumerate() {
            match run.status {
                RunStatus::Provisioning => {
                    all.extend(run.claimed.map(|at| (at + STARTUP, Due::Startup(number))));
                }
                RunStatus::Running | RunStatus::Reconciling => {
                    all.extend(run.deadline.map(|at| (at, Due::Deadline(number))));
                }
                _ => {}
            }
        }
        for (number, wait) in self.waits.iter().enumerate() {
            if wait.state == WaitState::Open && wait.kind == WaitKind::Approval {
                all.extend(wait.expires.map(|at| (at, Due::Expiry(number))));
            }
        }
        all
    }

    fn startup_timed_out(&mut self, run: usize) {
        self.runs[run].timeouts += 1;
        let exhausted = self.runs[run].timeouts > self.behaviour.max_startups;
        self.retry(
            run,
            "StartupTimeout",
            exhausted.then_some("runtime.startup_failed"),
        );
    }

    /// THR-11: the same Run is tried again, or its retries are exhausted.
    pub(super) fn retry(&mut self, run: usize, reason: &str, exhausted: Option<&'static str>) {
        if let Some(code) = exhausted {
            self.fail_unpaid(run, code);
            self.settle(run, RunStatus::Failed, "retries_exhausted");
            return;
        }
        let thread = self.runs[run].thread;
        let state = &mut self.runs[run];
        if state.fresh {
            state.attempt += 1;
        }
        state.status = RunStatus::Queued;
        state.claimed = None;
        state.deadline = None;
        state.fresh = true;
        let attempt = state.attempt;
        self.of_run("run.requeued", run, &format!("attempt={attempt} {reason}"));
        if thread == 0 {
            self.become_pending(run);
        } else {
            self.threads[thread].status = ThreadStatus::Rescheduling;
            self.of_run("session.thread_status_rescheduled", run, &format!("t{thread}"));
        }
    }

    fn deadline_crossed(&mut self, run: usize) {
        self.fail_unpaid(run, "runtime.turn_deadline_exceeded");
        if self.behaviour.on_deadline == OnDeadline::Failed && self.runs[run].thread == 0 {
            self.runs[run].status = RunStatus::Failed;
            self.wind_up("SessionFailed");
            self.become_status(SessionStatus::Failed, None, "runtime.turn_deadline_exceeded");
        } else {
            self.settle(run, RunStatus::Failed, "run_failed");
        }
    }
}
