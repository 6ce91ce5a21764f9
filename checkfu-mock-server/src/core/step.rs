//! What a Runner reports about a Run: the claim, the start, and what the Agent does.
//!
//! An [`Action`] says at which point of the Run it was taken, counted in the Agent's events that the log holds for the
//! Run. So an Agent that was cut off goes on exactly where its log ends, and an action that is taken twice counts once.

use std::time::Duration;

use serde_json::Value;

use super::id::{EventId, QuestionId, ThreadId, ToolUseId};
use super::payload::{Block, Cost, Failure, OutcomeResult, SessionErrorDetail, Usage};

/// The next thing that happens to a Run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Step {
    /// A Runner took it.
    Claim,
    /// The harness is ready.
    Start,
    /// The Agent did something after `position` of its events.
    Act { position: u32, action: Action },
}

/// What an Agent does. [`Action::weight`] says how many of its events it adds to the log.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Action {
    /// `agent.thinking`, under the identifier that its preview had.
    Think { event_id: EventId },
    /// `agent.message`, under the identifier that its previews had.
    Say { event_id: EventId, content: Vec<Block> },
    /// `agent.tool_use` of a call that needs nobody.
    UseTool(ToolCall),
    /// `agent.tool_result`.
    ToolResult {
        tool_use_id: ToolUseId,
        content: Vec<Block>,
        is_error: bool,
    },
    /// Calls that need somebody: the Run parks until all of them are resolved. Never empty.
    Block(Vec<ToolCall>),
    /// `agent.question`: the Run parks and releases its compute.
    Ask {
        question_id: QuestionId,
        prompt: String,
        options: Vec<String>,
    },
    /// Hands the Run's try to the grader of its Outcome and parks.
    AwaitGrader,
    /// The grader judged; the only action of a parked Run.
    Grade {
        result: OutcomeResult,
        explanation: Option<String>,
    },
    /// Adds a child of the roster and gives it its first message.
    Spawn {
        thread_id: ThreadId,
        agent_name: String,
        content: Vec<Block>,
    },
    /// Writes to a live child.
    Send { to: ThreadId, content: Vec<Block> },
    /// A child writes to the primary thread.
    Report { content: Vec<Block> },
    /// `session.error`: trouble that settles nothing.
    Trouble(SessionErrorDetail),
    /// The Runner was lost; the same Run is tried again, unless it was too often.
    LoseRunner,
    /// Compute is done, output settles. Primary thread only.
    Reconcile,
    /// The Run ends well.
    Complete {
        usage: Usage,
        cost: Cost,
        stop_reason: &'static str,
    },
    /// The Run fails for good. With `terminates` the child is terminated, or the whole Session fails.
    Fail {
        error: Failure,
        usage: Usage,
        cost: Cost,
        terminates: bool,
    },
}

impl Action {
    /// How many events the Run's position moves by.
    pub(crate) fn weight(&self) -> u32 {
        match self {
            Self::Think { .. }
            | Self::Say { .. }
            | Self::UseTool(_)
            | Self::ToolResult { .. }
            | Self::Ask { .. }
            | Self::AwaitGrader
            | Self::Grade { .. }
            | Self::Send { .. }
            | Self::Report { .. }
            | Self::Trouble(_)
            | Self::LoseRunner
            | Self::Reconcile => 1,
            Self::Block(calls) => u32::try_from(calls.len()).unwrap_or(u32::MAX),
            Self::Spawn { .. } => 2,
            Self::Complete { .. } | Self::Fail { .. } => 0,
        }
    }
}

/// A call of a tool.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ToolCall {
    pub(crate) tool_use_id: ToolUseId,
    pub(crate) name: String,
    /// A JSON object.
    pub(crate) input: Value,
    pub(crate) kind: super::payload::ToolKind,
    /// Whether somebody has to allow it first.
    pub(crate) asks: bool,
    /// How long an approval may be decided; for ever if absent.
    pub(crate) expires_after: Option<Duration>,
    /// Of an `mcp` tool.
    pub(crate) mcp_server_name: Option<String>,
}
