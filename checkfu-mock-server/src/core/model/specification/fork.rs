//! What a fork begins with (FRK-2, A-FORK).

use super::{Model, WaitState};
use crate::core::status::{RunStatus, SessionStatus, ThreadStatus};

impl Model {
    /// The fork of this Session at a retained event.
    pub(in crate::core::model) fn forked_at(&self, seq: u64) -> Self {
        let mut fork = self.clone();
        fork.lines.truncate(usize::try_from(seq).unwrap());
        fork.threads.retain(|thread| thread.created_seq <= seq);
        for thread in fork.threads.iter_mut().skip(1) {
            thread.status = ThreadStatus::Terminated;
            thread.archived = thread.archived.filter(|archived| *archived <= seq);
        }
        fork.runs.retain(|run| run.first_seq <= seq);
        for run in &mut fork.runs {
            run.status = RunStatus::Canceled;
        }
        fork.waits.retain(|wait| wait.opened_seq <= seq);
        for wait in &mut fork.waits {
            // An answer that was copied is still the original of its repetition; everything else is stale.
            if !matches!(wait.state, WaitState::Answered { seq: answered, .. } if answered <= seq) {
                wait.state = WaitState::Closed;
            }
        }
        fork.outcomes = fork
            .lines
            .iter()
            .filter(|line| line.starts_with("user.define_outcome"))
            .count();
        fork.used_challenges.clear();
        fork.write("session.forked", None, None, &format!("at={seq}"));
        fork.write("session.status_idle", None, None, "end_turn None");
        fork.status = SessionStatus::Idle;
        fork.stop_reason = Some("end_turn".to_owned());
        fork
    }
}
