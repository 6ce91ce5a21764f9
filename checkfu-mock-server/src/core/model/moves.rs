//! What can be done to a Session, by role instead of by identifier: threads by their place, Runs by their number.

use crate::core::payload::{OutcomeResult, ToolKind};

/// Something that is done to one Session.
#[derive(Debug, Clone)]
pub(super) enum Move {
    Message {
        text: &'static str,
        finding: Option<Finding>,
    },
    Interrupt {
        thread: Option<usize>,
    },
    Respond(Reply),
    DefineOutcome {
        max_iterations: u32,
    },
    Archive {
        thread: usize,
    },
    Complete,
    Cancel,
    Tick,
    Step {
        run: usize,
        work: Work,
    },
}

impl Move {
    /// What kind of command it is.
    pub(super) fn kind(&self) -> &'static str {
        match self {
            Self::Message { .. } => "message",
            Self::Interrupt { .. } => "interrupt",
            Self::Respond(_) => "respond",
            Self::DefineOutcome { .. } => "define outcome",
            Self::Archive { .. } => "archive",
            Self::Complete => "complete",
            Self::Cancel => "cancel",
            Self::Tick => "tick",
            Self::Step { .. } => "step",
        }
    }
}

/// What prompt integrity found, and what the author made of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Finding {
    /// The challenge that the author answers, and whether with the corrected text.
    pub(super) decision: Option<(u8, bool)>,
    pub(super) challenge_is_valid: bool,
}

/// An answer to a wait, with how the wait is named.
#[derive(Debug, Clone)]
pub(super) struct Reply {
    pub(super) subject: Subject,
    pub(super) answer: Answer,
    pub(super) thread: Option<usize>,
    pub(super) generation: Option<u32>,
    pub(super) authorized: bool,
}

/// What an answer says and who says it: what makes two answers the same (A-GEN).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) kind: AnswerKind,
    /// Of a confirmation: 0 allows, everything else denies.
    pub(super) value: u8,
    /// `is_error`, or a message with the denial.
    pub(super) mark: bool,
    pub(super) author: u8,
}

/// The three events that answer a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AnswerKind {
    Result,
    Confirmation,
    Question,
}

/// The key of a wait within its thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject {
    Tool(&'static str),
    Question(u8),
    Outcome(usize),
}

/// A Runner's report.
#[derive(Debug, Clone)]
pub(super) enum Work {
    Claim,
    Start,
    Act { position: u32, act: Act },
}

/// What an Agent does.
#[derive(Debug, Clone)]
pub(super) enum Act {
    Think,
    Say,
    UseTool(&'static str),
    ToolResult(&'static str),
    Block(Vec<Call>),
    Ask(u8),
    AwaitGrader,
    Grade(OutcomeResult),
    Spawn,
    Send(usize),
    Report,
    Trouble,
    LoseRunner,
    Reconcile,
    Complete(&'static str, Spent),
    Fail { terminates: bool, spent: Spent },
}

/// What a Run costs: input, output, cache reads and cache creation in tokens, and money in cents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Spent {
    pub(super) tokens: [u64; 4],
    pub(super) cents: u64,
}

impl Spent {
    /// The amount as the log has it.
    pub(super) fn amount(self) -> String {
        format!("{}.{:02}", self.cents / 100, self.cents % 100)
    }
}

/// A call that blocks.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call {
    pub(super) tool: &'static str,
    pub(super) kind: ToolKind,
    pub(super) asks: bool,
    /// In seconds.
    pub(super) expires_after: Option<u32>,
}
