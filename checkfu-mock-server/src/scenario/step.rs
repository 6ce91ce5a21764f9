//! What a script is made of.

use std::time::Duration;

use serde_json::{Map, Value};

use super::template::Template;
use crate::core::payload::{OutcomeResult, RetryStatus, ToolKind};

/// One thing that an Agent does.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step {
    /// Thinks for so long.
    Think(Duration),
    Say(Say),
    /// Uses a tool by itself, or asks to.
    Use(Call),
    /// Calls a tool that the application executes.
    Call(Call),
    /// Makes several calls that block, at once.
    Together(Vec<Call>),
    /// Asks a person and releases its compute.
    Ask {
        prompt: Template,
        options: Vec<String>,
    },
    /// Tries, hands over to the grader, and tries again until the grader is content.
    Grade(Vec<Round>),
    /// Adds a child of the roster and writes to it.
    Spawn {
        child: String,
        message: Template,
    },
    /// Writes to a child.
    Send {
        to: ChildName,
        message: Template,
    },
    /// A child writes to the primary.
    Report(Template),
    /// Tells of trouble that settles nothing.
    Trouble(Trouble),
    /// Its Runner is lost, so often in a row.
    LoseRunner(u32),
    /// Fails for good.
    Fail(Fail),
    /// Lets time pass before what comes next.
    Take(Duration),
    /// Says what the Run costs.
    Spend(Spend),
    /// Its compute is done; output settles for so long.
    Reconcile(Duration),
    /// Ends the Run here.
    Stop(StopReason),
}

/// A message.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Say {
    pub(crate) text: Template,
    /// In how many pieces its preview comes, and how long each takes.
    pub(crate) deltas: u32,
    pub(crate) every: Duration,
}

/// The call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Call {
    pub(crate) tool: String,
    /// The identifier on the wire; made up if absent.
    pub(crate) id: Option<String>,
    pub(crate) input: Map<String, Value>,
    pub(crate) kind: ToolKind,
    pub(crate) mcp_server: Option<String>,
    /// What the tool gives, unless the application executes it.
    pub(crate) result: Template,
    pub(crate) is_error: bool,
    /// Whether somebody has to allow it, and for how long that may be decided.
    pub(crate) asks: bool,
    pub(crate) expires: Option<Duration>,
    /// What follows a denial, or an expiry.
    pub(crate) if_denied: Vec<Step>,
    /// What follows the application's result if it is an error.
    pub(crate) if_error: Vec<Step>,
}

impl Call {
    /// Whether somebody has to do something before the Agent can go on.
    pub(crate) fn blocks(&self) -> bool {
        self.asks || self.kind == ToolKind::Custom
    }
}

/// One try at an Outcome.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Round {
    pub(crate) steps: Vec<Step>,
    /// How long the grader takes.
    pub(crate) takes: Duration,
    pub(crate) result: OutcomeResult,
    pub(crate) explanation: Option<String>,
}

/// A child of the Session: the latest with this name, or the one with this number, from 1 in the order of
/// their spawn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ChildName {
    pub(crate) name: String,
    pub(crate) number: Option<u32>,
}

/// A `session.error`.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Trouble {
    pub(crate) kind: String,
    pub(crate) message: String,
    pub(crate) retry: RetryStatus,
}

/// A failure.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Fail {
    pub(crate) code: String,
    pub(crate) message: String,
    pub(crate) retryable: Option<bool>,
    /// Ends the child, or the whole Session.
    pub(crate) terminates: bool,
}

/// Tokens and money. Several of a Run add up; without any, four characters count as a token.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Spend {
    pub(crate) input_tokens: u64,
    pub(crate) output_tokens: u64,
    pub(crate) cache_read_input_tokens: u64,
    pub(crate) cache_creation_input_tokens: u64,
    /// Millionths of a dollar; follows from the tokens if absent.
    pub(crate) cost_micros: Option<u64>,
}

impl Spend {
    /// Millionths of what a decimal number says, with at most nine digits before its point and six after.
    pub(crate) fn micros(text: &str) -> Option<u64> {
        let (whole, decimals) = match text.split_once('.') {
            Some((_, "")) => return None,
            Some((whole, decimals)) => (whole, decimals),
            None => (text, "0"),
        };
        let digits = |text: &str, most: usize| {
            let fits =
                !text.is_empty() && text.len() <= most && text.bytes().all(|byte| byte.is_ascii_digit());
            fits.then(|| text.parse::<u64>().ok()).flatten()
        };
        Some(digits(whole, 9)? * 1_000_000 + digits(&format!("{decimals:0<6}"), 6)?)
    }
}

/// How a Run ends well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum StopReason {
    EndTurn,
    BudgetReached,
    Refusal,
}

impl StopReason {
    /// Every reason, as it stands on the wire (A-STOP).
    pub(crate) const ALL: [(&str, Self); 3] = [
        ("end_turn", Self::EndTurn),
        ("budget_reached", Self::BudgetReached),
        ("refusal", Self::Refusal),
    ];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::EndTurn => "end_turn",
            Self::BudgetReached => "budget_reached",
            Self::Refusal => "refusal",
        }
    }
}
