//! Explicit ends: of the Session (A-END, SES-8) and of a child (THR-4, A-ARCH).

use super::Model;
use crate::core::model::state::WaitState;
use crate::core::status::{RunStatus, SessionStatus, ThreadStatus};

impl Model {
    pub(super) fn end(&mut self, status: SessionStatus, reason: &str) -> Result<(), String> {
        self.refuse_if_terminal(status)?;
        self.wind_up(reason);
        self.become_status(status, None, "");
        Ok(())
    }

    /// A-END: every unfinished Run is canceled, every live child terminated.
    pub(super) fn wind_up(&mut self, reason: &str) {
        for run in 0..self.runs.len() {
            if !self.is_settled(run) {
                self.runs[run].status = RunStatus::Canceled;
                self.of_run("run.canceled", run, reason);
            }
        }
        for wait in &mut self.waits {
            if wait.state == WaitState::Open {
                wait.state = WaitState::Closed;
            }
        }
        for place in 1..self.threads.len() {
            if self.threads[place].status != ThreadStatus::Terminated {
                // A child that ends with its Session counts as archived.
                self.terminate(place, None, false);
            }
        }
    }

    /// What ends without an error is archived.
    pub(super) fn terminate(&mut self, place: usize, run: Option<usize>, error: bool) {
        let members = format!("t{place} error={error}");
        let seq = self.write("session.thread_status_terminated", Some(place), run, &members);
        let now = self.now;
        let thread = &mut self.threads[place];
        thread.status = ThreadStatus::Terminated;
        thread.archived = (!error).then_some(seq);
        thread.ended.get_or_insert((seq, now));
    }

    pub(super) fn archive(&mut self, place: usize) -> Result<(), String> {
        if place == 0 {
            return Err("primary thread".to_owned());
        }
        let Some(thread) = self.threads.get(place) else {
            return Err("unknown thread".to_owned());
        };
        // Repeating it changes nothing, and nothing is appended to an ended Session (A-END).
        if thread.archived.is_some() || self.status.is_terminal() {
            return Ok(());
        }
        // A child with queued work is not at rest either; the decisions are silent.
        let at_rest = matches!(thread.status, ThreadStatus::Idle | ThreadStatus::Terminated);
        if !at_rest || self.unfinished(place).next().is_some() {
            return Err("thread busy".to_owned());
        }
        self.terminate(place, None, false);
        Ok(())
    }
}
