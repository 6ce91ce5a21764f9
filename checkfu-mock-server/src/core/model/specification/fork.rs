//! What a fork begins with (FRK-2, A-FORK).

use super::Model;
use crate::core::model::state::{Thread, WaitState};
use crate::core::status::{RunStatus, SessionStatus, ThreadStatus};

impl Model {
    /// The fork of this Session at a retained event.
    pub(in crate::core::model) fn forked_at(&self, seq: u64, now: i64) -> Self {
        let mut fork = self.clone();
        (fork.created, fork.now, fork.copied) = (now, now, seq);
        let length = usize::try_from(seq).unwrap();
        fork.lines.truncate(length);
        fork.times.truncate(length);
        fork.views.truncate(length);
        fork.totals.retain(|(said, _)| *said <= seq);
        fork.threads.retain(|thread| thread.created_seq <= seq);
        for (place, thread) in fork.threads.iter_mut().enumerate() {
            end_with_prefix(thread, seq, self.at(seq));
            thread.updated = now;
            if place > 0 {
                thread.status = ThreadStatus::Terminated;
                thread.ended.get_or_insert((seq + 1, now));
            }
        }
        fork.threads[0].ended = None;
        fork.runs.retain(|run| run.first_seq <= seq);
        for run in &mut fork.runs {
            run.status = RunStatus::Canceled;
        }
        fork.waits.retain(|wait| wait.opened_seq <= seq);
        for wait in &mut fork.waits {
            wait.judgement = wait.judgement.filter(|judgement| judgement.seq() <= seq);
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
        fork.status = SessionStatus::Idle;
        fork.idle(None, "end_turn", "None");
        fork
    }
}

/// What a thread has of its time in the source: nothing of what came after the last event that was copied.
fn end_with_prefix(thread: &mut Thread, seq: u64, left: i64) {
    thread.stop_reason = None;
    thread.archived = thread.archived.filter(|archived| *archived <= seq);
    thread.startup = thread.startup.filter(|(started, _)| *started <= seq);
    thread.ended = thread.ended.filter(|(ended, _)| *ended <= seq);
    thread.spent.retain(|(said, _)| *said <= seq);
    thread.ran.retain(|(from, _)| *from < left);
    for (_, to) in &mut thread.ran {
        *to = Some(to.map_or(left, |to| to.min(left)));
    }
}
