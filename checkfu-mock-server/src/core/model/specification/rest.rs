//! How turns settle (A-TURN, A-OVERLAP, A-VIEW, THR-11).

use super::Model;
use crate::core::status::{RunStatus, SessionStatus, ThreadStatus};

impl Model {
    /// After a Run settled: its thread goes on with the next one or comes to rest.
    pub(super) fn settle(&mut self, run: usize, status: RunStatus, stop_reason: &str) {
        self.runs[run].status = status;
        self.runs[run].deadline = None;
        let thread = self.runs[run].thread;
        if thread > 0 {
            // Work that is queued for the child follows a good end without a rest between, as on the primary.
            if stop_reason != "end_turn" || self.unfinished(thread).next().is_none() {
                self.rest_child(thread, Some(run), stop_reason);
            }
            return;
        }
        // A Run that nobody has taken yet is next, in both styles of overlap.
        let next = self
            .active(0)
            .into_iter()
            .find(|&next| self.runs[next].status == RunStatus::Queued && self.runs[next].attempt == 0);
        match next {
            Some(next) => self.become_pending(next),
            None => self.rest(Some(run), stop_reason),
        }
    }

    /// The Session is idle, or shows the boundary of what is still pending.
    pub(super) fn rest(&mut self, run: Option<usize>, stop_reason: &str) {
        if self.open_waits().next().is_some() {
            self.boundary(run);
        } else {
            self.idle(run, stop_reason, "None");
        }
    }

    pub(super) fn idle(&mut self, run: Option<usize>, stop_reason: &str, blockers: &str) {
        self.become_status(SessionStatus::Idle, run, &format!("{stop_reason} {blockers}"));
        self.stop_reason = Some(stop_reason.to_owned());
        // Of Runs that overlap another one may go on: then the thread does not rest.
        if self.thread_status(0) != ThreadStatus::Running {
            self.threads[0].stop_reason = Some(stop_reason.to_owned());
        }
    }

    pub(super) fn rest_child(&mut self, thread: usize, run: Option<usize>, stop_reason: &str) {
        self.threads[thread].status = ThreadStatus::Idle;
        self.threads[thread].stop_reason = Some(stop_reason.to_owned());
        self.write(
            "session.thread_status_idle",
            Some(thread),
            run,
            &format!("t{thread} {stop_reason}"),
        );
    }
}
