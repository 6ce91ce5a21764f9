//! The specification as a machine of its own: what a command does to a Session, written from `requirements.md` and
//! `decisions.md` alone. It shares types and nothing else with the code that it judges: it predicts lines, not events.

mod end;
mod fork;
mod input;
mod interrupt;
mod respond;
mod rest;
mod time;
mod waiting;
mod work;

use super::moves::{Answer, Move, Subject};
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
}

/// A thread. The status of the primary follows its Runs (A-VIEW).
#[derive(Debug, Clone)]
pub(super) struct Thread {
    pub(super) status: ThreadStatus,
    /// The `seq` of the event that archived it.
    pub(super) archived: Option<u64>,
    created_seq: u64,
}

/// A Run.
#[derive(Debug, Clone)]
pub(super) struct Run {
    pub(super) thread: usize,
    pub(super) status: RunStatus,
    pub(super) attempt: u32,
    pub(super) continuation: u32,
    pub(super) position: u32,
    pub(super) outcome: Option<Outcome>,
    pub(super) deadline: Option<i64>,
    claimed: Option<i64>,
    /// The next readiness is written as `run.started`.
    fresh: bool,
    lost: u32,
    timeouts: u32,
    /// The `seq` of the first event that names it.
    first_seq: u64,
}

/// What a Run works for.
#[derive(Debug, Clone)]
pub(super) struct Outcome {
    pub(super) number: usize,
    pub(super) max_iterations: u32,
    pub(super) iteration: u32,
    /// Its grader said the last word.
    evaluated: bool,
}

/// One generation of a wait.
#[derive(Debug, Clone)]
pub(super) struct Wait {
    pub(super) thread: usize,
    pub(super) subject: Subject,
    pub(super) kind: WaitKind,
    pub(super) generation: u32,
    pub(super) run: usize,
    /// The `seq` of the call or Question.
    pub(super) blocker: u64,
    pub(super) state: WaitState,
    /// Once allowed, its result is still needed (WAIT-5).
    custom: bool,
    expires: Option<i64>,
    opened_seq: u64,
}

/// What is waited for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WaitKind {
    Approval,
    Custom,
    Question,
    Outcome,
}

/// What became of a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WaitState {
    Open,
    Answered { seq: u64, answer: Answer },
    Closed,
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
            threads: vec![Thread {
                status: ThreadStatus::Idle,
                archived: None,
                created_seq: 0,
            }],
            runs: Vec::new(),
            waits: Vec::new(),
            outcomes: 0,
            used_challenges: Vec::new(),
            lines: Vec::new(),
        };
        model.write("session.status_pending", None, None, "");
        model
    }

    /// What a command does at a time.
    pub(super) fn predict(&mut self, action: &Move, now: i64) -> Verdict {
        self.now = now;
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

    /// Appends a line and says its `seq`.
    fn write(&mut self, name: &str, thread: Option<usize>, run: Option<usize>, members: &str) -> u64 {
        let thread = thread.map_or("-".to_owned(), |place| format!("t{place}"));
        let run = run.map_or("-".to_owned(), |number| format!("r{number}"));
        self.lines
            .push(format!("{name} {thread} {run} {members}").trim_end().to_owned());
        self.last_seq()
    }

    fn of_run(&mut self, name: &str, run: usize, members: &str) -> u64 {
        self.write(name, Some(self.runs[run].thread), Some(run), members)
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
