//! Graders in the log (A-OUT).

use serde::{Deserialize, Serialize};

use crate::core::id::OutcomeId;

/// `outcome.evaluation_started`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct EvaluationStarted {
    pub(crate) outcome_id: OutcomeId,
    pub(crate) iteration: u32,
}

/// `outcome.evaluated`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Evaluated {
    pub(crate) outcome_id: OutcomeId,
    pub(crate) iteration: u32,
    pub(crate) result: OutcomeResult,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) explanation: Option<String>,
}

/// What a grader said of a try. Only `needs_revision` lets the work go on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum OutcomeResult {
    Satisfied,
    NeedsRevision,
    MaxIterationsReached,
    Failed,
    Interrupted,
}
