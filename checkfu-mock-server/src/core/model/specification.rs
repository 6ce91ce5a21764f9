//! The specification as a machine of its own: what a command does to a Session, written from `requirements.md` and
//! `decisions.md` alone. It shares types and nothing else with the code that it judges: it predicts lines, not events.

mod account;
mod end;
mod fork;
mod input;
mod interrupt;
mod respond;
mod rest;
mod time;
mod waiting;
mod work;

use super::moves::Move;
use super::state::{Run, Thread, Wait, WaitState};
use super::view::View;
use crate::core::admission::{Behaviour, Overlap};
use crate::core::status::{RunStatus, SessionStatus, ThreadStatus};
use crate::core::transition;

/// The start-up allowance (DLN-1), in milliseconds.
pub(super) const STARTUP: i64 = 60_000;

/// What the specification says a command does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The new lines stand at the end of the log.
    Accepted,
    /// The original is the event with this `seq` (THR-9).
    Replay(u64),
    Refused(String),
}

/// One Session as the specification has it.
#[derive(Debug, Clone)]
pub(super) struct Model {
    pub(super) behaviour: Behaviour,
    /// In milliseconds.
    pub(super) max_duration: i64,
    pub(super) now: i64,
    pub(super) status: SessionStatus,
    pub(super) stop_reason: Option<String>,
    /// The primary first.
    pub(super) threads: Vec<Thread>,
    /// All that there ever were, by number.
    pub(super) runs: Vec<Run>,
    pub(super) waits: Vec<Wait>,
    pub(super) outcomes: usize,
    pub(super) used_challenges: Vec<u8>,
    /// The log: the line of `seq` n is at n - 1.
    pub(super) lines: Vec<String>,
    /// When each was written.
    pub(super) times: Vec<i64>,
    /// Who sees each.
    pub(super) views: Vec<View>,
    /// What the Session had spent, and which event said so.
    pub(super) totals: Vec<(u64, [u64; 4])>,
    /// When the Session was created.
    pub(super) created: i64,
    /// How much of the log a fork has copied.
    pub(super) copied: u64,
}

impl Model {
    /// A Session that was just admitted (A-TURN).
    pub(super) fn admitted(behaviour: Behaviour, max_duration: i64) -> Self {
        let mut model = Self {
            behaviour,
            max_duration,
            now: 0,
            status: SessionStatus::Pending,
            stop_reason: None,
            threads: vec![Thread::new(0, 0)],
            runs: Vec::new(),
            waits: Vec::new(),
            outcomes: 0,
            used_challenges: Vec::new(),
            lines: Vec::new(),
            times: Vec::new(),
            views: Vec::new(),
            totals: Vec::new(),
            created: 0,
            copied: 0,
        };
        model.write("session.status_pending", None, None, "");
        model
    }

    /// What a command does at a time.
    pub(super) fn predict(&mut self, action: &Move, now: i64) -> Verdict {
        self.now = now;
        let before = self.seen();
        let verdict = self.carry_out(action);
        self.follow(&before);
        verdict
    }

    fn carry_out(&mut self, action: &Move) -> Verdict {
        let verdict = match action {
            Move::Message { text, finding } => self.message(text, *finding),
            Move::Interrupt { thread } => self.interrupt(*thread),
            Move::Respond(reply) => return self.respond(reply).unwrap_or_else(Verdict::Refused),
            Move::DefineOutcome { max_iterations } => self.define_outcome(*max_iterations),
            Move::Archive { thread } => self.archive(*thread),
            Move::Complete => self.end(SessionStatus::Completed, "SessionCompleted"),
            Move::Cancel => self.end(SessionStatus::Canceled, "SessionCanceled"),
            Move::Tick => self.tick(),
            Move::Step { run, work } => self.step(*run, work),
        };
        match verdict {
            Ok(()) => Verdict::Accepted,
            Err(refusal) => Verdict::Refused(refusal),
        }
    }

    pub(super) fn unfinished(&self, thread: usize) -> impl Iterator<Item = usize> + '_ {
        (0..self.runs.len()).filter(move |&run| self.runs[run].thread == thread && !self.is_settled(run))
    }

    /// A-OVERLAP: those that are not queued behind another one. Children have a queue always.
    pub(super) fn active(&self, thread: usize) -> Vec<usize> {
        let parallel = thread == 0 && self.behaviour.overlap == Overlap::Parallel;
        self.unfinished(thread)
            .take(if parallel { usize::MAX } else { 1 })
            .collect()
    }

    pub(super) fn is_settled(&self, run: usize) -> bool {
        matches!(
            self.runs[run].status,
            RunStatus::Completed | RunStatus::Failed | RunStatus::Canceled
        )
    }

    pub(super) fn open_waits(&self) -> impl Iterator<Item = &Wait> {
        self.waits.iter().filter(|wait| wait.state == WaitState::Open)
    }

    pub(super) fn open_of(&self, run: usize) -> impl Iterator<Item = &Wait> {
        self.open_waits().filter(move |wait| wait.run == run)
    }

    pub(super) fn last_seq(&self) -> u64 {
        self.lines.len() as u64
    }

    /// THR-4, A-VIEW: where a thread stands.
    pub(super) fn thread_status(&self, place: usize) -> ThreadStatus {
        if place > 0 {
            return self.threads[place].status;
        }
        if self.status.is_terminal() {
            return ThreadStatus::Terminated;
        }
        let active = self.active(0);
        let any = |wanted: fn(&Run) -> bool| active.iter().any(|&run| wanted(&self.runs[run]));
        if any(|run| {
            matches!(
                run.status,
                RunStatus::Provisioning | RunStatus::Running | RunStatus::Reconciling
            )
        }) {
            ThreadStatus::Running
        } else if any(|run| run.status == RunStatus::Queued && run.attempt > 0) {
            ThreadStatus::Rescheduling
        } else {
            ThreadStatus::Idle
        }
    }

    /// The time of an event.
    pub(super) fn at(&self, seq: u64) -> i64 {
        self.times[usize::try_from(seq).unwrap() - 1]
    }

    /// Appends a line and says its `seq`.
    fn write(&mut self, name: &str, thread: Option<usize>, run: Option<usize>, members: &str) -> u64 {
        let child = thread.filter(|place| *place > 0);
        self.times.push(self.now);
        self.views.push(View::of(name, child));
        if let Some(place) = child
            && name.starts_with("session.thread_status_")
        {
            self.threads[place].updated = self.now;
        }
        let thread = thread.map_or("-".to_owned(), |place| format!("t{place}"));
        let run = run.map_or("-".to_owned(), |number| format!("r{number}"));
        self.lines
            .push(format!("{name} {thread} {run} {members}").trim_end().to_owned());
        self.last_seq()
    }

    fn of_run(&mut self, name: &str, run: usize, members: &str) -> u64 {
        let seq = self.write(name, Some(self.runs[run].thread), Some(run), members);
        match name {
            "run.created" => self.runs[run].created = seq,
            "run.started" => _ = self.runs[run].started.get_or_insert(seq),
            "run.completed" | "run.failed" | "run.canceled" => self.runs[run].settled = Some(seq),
            _ => {}
        }
        seq
    }

    /// The Session goes to a status; A-TRANS holds at every step.
    fn become_status(&mut self, to: SessionStatus, run: Option<usize>, members: &str) {
        if !transition::is_legal(self.status, to, true) {
            // Runs that overlap: the table allows it over statuses in between, by the shortest way.
            use SessionStatus::{Pending, Provisioning, Running};
            let ways: [&[SessionStatus]; 4] =
                [&[Pending], &[Provisioning], &[Running], &[Provisioning, Running]];
            let way = ways.into_iter().find(|way| {
                let steps: Vec<_> = [&[self.status], *way, &[to]].concat();
                steps
                    .windows(2)
                    .all(|step| transition::is_legal(step[0], step[1], true))
            });
            for between in way.unwrap_or_else(|| panic!("no way from {:?} to {to:?} (A-TRANS)", self.status))
            {
                self.write(&format!("session.status_{}", between.as_str()), None, run, "");
            }
        }
        self.status = to;
        self.write(&format!("session.status_{}", to.as_str()), None, run, members);
    }

    fn refuse_if_terminal(&self, to: SessionStatus) -> Result<(), String> {
        if self.status.is_terminal() {
            return Err(invalid(self.status, to));
        }
        Ok(())
    }
}

fn invalid(from: SessionStatus, to: SessionStatus) -> String {
    format!("invalid transition {} {}", from.as_str(), to.as_str())
}
