//! What is added up over time: what Runs spend, and how long threads run (THR-13).

use super::Model;
use crate::core::model::moves::Spent;
use crate::core::status::ThreadStatus;

/// What the resource of a thread shows, apart from its clock: when this changes, it was updated.
#[derive(Debug, PartialEq)]
pub(super) struct Seen {
    status: ThreadStatus,
    stop_reason: Option<String>,
    archived: bool,
    spent: usize,
}

impl Model {
    /// RUN-1: a Run ended and says what it cost. It counts for its thread, then for the Session.
    pub(super) fn spend(&mut self, name: &str, run: usize, error: Option<&'static str>, spent: Spent) {
        let mut members = format!("{:?} {} USD", spent.tokens, spent.amount());
        if let Some(code) = error {
            members = format!("{code} {members}");
        }
        self.runs[run].spent = Some(spent);
        self.runs[run].error = error;
        let seq = self.of_run(name, run, &members);
        let thread = self.runs[run].thread;
        self.threads[thread].spent.push((seq, spent.tokens));
        let total = self
            .usage()
            .map_or(spent.tokens, |before| sum(before, spent.tokens));
        let seq = self.write("session.usage", None, Some(run), &format!("{total:?}"));
        self.totals.push((seq, total));
    }

    /// A Run failed without a word about its cost.
    pub(super) fn fail_unpaid(&mut self, run: usize, code: &'static str) {
        self.runs[run].error = Some(code);
        self.of_run("run.failed", run, &format!("{code} - -"));
    }

    /// SES-5: the Session's usage is what its log said last.
    pub(in crate::core::model) fn usage(&self) -> Option<[u64; 4]> {
        self.totals.last().map(|(_, total)| *total)
    }

    /// THR-13: what all Runs of a thread cost together.
    pub(in crate::core::model) fn usage_of(&self, place: usize) -> Option<[u64; 4]> {
        let spent = self.threads[place].spent.iter();
        spent.map(|(_, tokens)| *tokens).reduce(sum)
    }

    /// THR-13: how long a thread has been running by now.
    pub(in crate::core::model) fn active_time(&self, place: usize) -> i64 {
        let stretches = self.threads[place].ran.iter();
        stretches.map(|(from, to)| to.unwrap_or(self.now) - from).sum()
    }

    /// What the resources of the threads show.
    pub(super) fn seen(&self) -> Vec<Seen> {
        let threads = self.threads.iter().enumerate();
        threads
            .map(|(place, thread)| Seen {
                status: self.thread_status(place),
                stop_reason: thread.stop_reason.clone(),
                archived: thread.archived.is_some(),
                spent: thread.spent.len(),
            })
            .collect()
    }

    /// After a command or something that was due: which threads began to run or came to rest, and which ones changed.
    pub(super) fn follow(&mut self, before: &[Seen]) {
        for place in 0..self.threads.len() {
            let running = self.thread_status(place) == ThreadStatus::Running;
            let ended = place == 0 && self.status.is_terminal();
            let (now, seq) = (self.now, self.last_seq());
            let thread = &mut self.threads[place];
            let since = thread.ran.last().is_some_and(|(_, to)| to.is_none());
            if running && !since {
                thread.ran.push((now, None));
            }
            if !running && since {
                thread.ran.last_mut().unwrap().1 = Some(now);
            }
            if running {
                thread.stop_reason = None;
            }
            if ended {
                thread.ended.get_or_insert((seq, now));
            }
        }
        for (place, seen) in self.seen().iter().enumerate() {
            if before.get(place) != Some(seen) {
                self.threads[place].updated = self.now;
            }
        }
    }
}

fn sum(one: [u64; 4], other: [u64; 4]) -> [u64; 4] {
    std::array::from_fn(|kind| one[kind] + other[kind])
}
