//! `user.interrupt` (SES-10, A-INT).

use super::Model;
use crate::core::model::state::WaitState;
use crate::core::status::{RunStatus, SessionStatus, ThreadStatus};

impl Model {
    pub(super) fn interrupt(&mut self, thread: Option<usize>) -> Result<(), String> {
        if thread.is_some_and(|place| place >= self.threads.len()) {
            return Err("unknown thread".to_owned());
        }
        self.refuse_if_terminal(SessionStatus::Idle)?;
        let target = thread.map_or("all".to_owned(), |place| format!("t{place}"));
        let live = |place: &usize| *place == 0 || self.threads[*place].status != ThreadStatus::Terminated;
        self.write("user.interrupt", thread.filter(live), None, &target);
        let ended: Vec<usize> = thread
            .map_or(0..self.threads.len(), |place| place..place + 1)
            .flat_map(|place| self.active(place))
            .filter(|&run| self.runs[run].status != RunStatus::Reconciling)
            .collect();
        for &run in &ended {
            self.cancel(run);
        }
        let Some(&last) = ended.last() else { return Ok(()) };
        if thread.is_some_and(|place| place > 0) {
            self.refresh_for_child(last);
            return Ok(());
        }
        // A Run that settles its output brings the idle itself.
        if self
            .active(0)
            .into_iter()
            .any(|run| self.runs[run].status == RunStatus::Reconciling)
        {
            return Ok(());
        }
        self.rest(Some(last), "end_turn");
        let next = self.active(0).first().copied();
        if let Some(next) = next {
            self.become_pending(next);
        }
        Ok(())
    }

    fn cancel(&mut self, run: usize) {
        if let Some(outcome) = self.runs[run].outcome.clone()
            && !outcome.evaluated
        {
            // An Outcome that was never tried ends in its first iteration.
            let iteration = outcome.iteration.max(1);
            self.of_run(
                "outcome.evaluated",
                run,
                &format!("o{} iteration={iteration} Interrupted", outcome.number),
            );
        }
        for wait in &mut self.waits {
            if wait.run == run && wait.state == WaitState::Open {
                wait.state = WaitState::Closed;
            }
        }
        self.runs[run].status = RunStatus::Canceled;
        self.of_run("run.canceled", run, "Interrupted");
        let thread = self.runs[run].thread;
        if thread > 0 {
            self.rest_child(thread, Some(run), "end_turn");
        }
    }
}
