//! What a Runner knows about the Run that it drives: enough to find the Agent's next step, and nothing else.

use serde::{Deserialize, Serialize};

use super::id::{DeploymentId, OutcomeId, ThreadId};
use super::json::Json;
use super::payload::{Block, OutcomeResult, Subject, TriggerKind};
use super::status::RunStatus;

/// One Run as its Agent sees it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Assignment {
    pub(crate) deployment: DeploymentId,
    pub(crate) revision: u32,
    /// The child's Agent of the roster; none on the primary thread.
    pub(crate) child: Option<String>,
    pub(crate) trigger: TriggerKind,
    /// What the Run was asked.
    pub(crate) input: Vec<Block>,
    pub(crate) outcome: Option<AssignedOutcome>,
    pub(crate) status: RunStatus,
    /// How many attempts ended before this one: lost Runners and start-ups that took too long.
    pub(crate) lost_attempts: u32,
    pub(crate) startup_timeouts: u32,
    /// How many of the Agent's events the log holds for this Run.
    pub(crate) position: u32,
    /// Everything that the Run parked for, in the order in which it did.
    pub(crate) parked: Vec<Parked>,
    /// The children of the Session, in the order of their spawn.
    pub(crate) children: Vec<AssignedChild>,
}

/// The Outcome that the Run works for.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AssignedOutcome {
    pub(crate) id: OutcomeId,
    pub(crate) max_iterations: u32,
}

/// A child that an Agent can write to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct AssignedChild {
    pub(crate) id: ThreadId,
    pub(crate) agent_name: String,
    /// Not terminated.
    pub(crate) live: bool,
}

/// Something that a Run parked for, and what came of it. A governed custom tool is one entry: first its decision, then
/// its result.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Parked {
    pub(crate) subject: Subject,
    pub(crate) resolution: Option<Resolution>,
}

/// What came of a wait.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Resolution {
    Allowed,
    Denied { message: Option<String> },
    Expired,
    Result { result: Json, is_error: bool },
    Answer { answer: Json },
    Graded { result: OutcomeResult },
}
