//! What the specification remembers of a Session: its threads, Runs and waits. Events are named by their `seq`.

use super::moves::{Answer, Spent, Subject};
use crate::core::status::{RunStatus, ThreadStatus};

/// A thread. The status of the primary follows its Runs (A-VIEW).
#[derive(Debug, Clone)]
pub(super) struct Thread {
    pub(super) status: ThreadStatus,
    /// Why it last came to rest; none while it runs.
    pub(super) stop_reason: Option<String>,
    /// The event that archived it.
    pub(super) archived: Option<u64>,
    /// The event that created it; 0 is the admission.
    pub(super) created_seq: u64,
    pub(super) created: i64,
    pub(super) updated: i64,
    /// When it was running: from, and to.
    pub(super) ran: Vec<(i64, Option<i64>)>,
    /// The first `run.started` on it, and how long that start took.
    pub(super) startup: Option<(u64, i64)>,
    /// The event that first ended it, and when.
    pub(super) ended: Option<(u64, i64)>,
    /// What its Runs cost, and which event says so.
    pub(super) spent: Vec<(u64, [u64; 4])>,
}

impl Thread {
    pub(super) fn new(created_seq: u64, created: i64) -> Self {
        Self {
            status: ThreadStatus::Idle,
            stop_reason: None,
            archived: None,
            created_seq,
            created,
            updated: created,
            ran: Vec::new(),
            startup: None,
            ended: None,
            spent: Vec::new(),
        }
    }
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
    pub(super) claimed: Option<i64>,
    /// The next readiness is written as `run.started`.
    pub(super) fresh: bool,
    pub(super) lost: u32,
    pub(super) timeouts: u32,
    /// The first event that names it, which is also what triggered it.
    pub(super) first_seq: u64,
    /// What triggered it.
    pub(super) trigger: &'static str,
    /// Its `run.created`.
    pub(super) created: u64,
    /// Its first `run.started`.
    pub(super) started: Option<u64>,
    /// The event that settled it (RUN-3).
    pub(super) settled: Option<u64>,
    pub(super) spent: Option<Spent>,
    pub(super) error: Option<&'static str>,
}

/// What a Run works for.
#[derive(Debug, Clone)]
pub(super) struct Outcome {
    pub(super) number: usize,
    pub(super) max_iterations: u32,
    pub(super) iteration: u32,
    /// Its grader said the last word.
    pub(super) evaluated: bool,
}

/// One generation of a wait.
#[derive(Debug, Clone)]
pub(super) struct Wait {
    pub(super) thread: usize,
    pub(super) subject: Subject,
    pub(super) kind: WaitKind,
    pub(super) generation: u32,
    pub(super) run: usize,
    /// The call or Question.
    pub(super) blocker: u64,
    pub(super) state: WaitState,
    /// Once allowed, its result is still needed (WAIT-5).
    pub(super) custom: bool,
    pub(super) expires: Option<i64>,
    pub(super) opened_seq: u64,
    /// Its `action_approval.requested`.
    pub(super) requested: Option<u64>,
    pub(super) judgement: Option<Judgement>,
}

impl Wait {
    /// As it stands in `run.waiting` and `run.resumed`.
    pub(super) fn spelled(&self) -> String {
        let kind = match self.kind {
            WaitKind::Approval => "approval",
            WaitKind::Custom => "custom",
            WaitKind::Question => "question",
            WaitKind::Outcome => "outcome",
        };
        let subject = match self.subject {
            Subject::Tool(tool) => tool.to_owned(),
            Subject::Question(number) => format!("q{number}"),
            Subject::Outcome(number) => format!("o{number}"),
        };
        format!("{kind} {subject} generation={}", self.generation)
    }
}

/// What became of an ActionApproval, by which event.
#[derive(Debug, Clone, Copy)]
pub(super) enum Judgement {
    Decided { seq: u64, answer: Answer },
    Expired { seq: u64 },
}

impl Judgement {
    pub(super) fn seq(self) -> u64 {
        match self {
            Self::Decided { seq, .. } | Self::Expired { seq } => seq,
        }
    }
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
