use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::content::Content;
use crate::model::cause::Cause;
use crate::model::id::{OutcomeId, PrincipalId, QuestionId, SessionThreadId, ToolUseId};
use crate::model::open_enum::open_enum;

open_enum! {
    /// The answer to a governed tool call.
    Confirmation {
        /// The call may run.
        Allow = "allow",
        /// The call must not run.
        Deny = "deny",
    }
}

open_enum! {
    /// What an author chose when the server found confusable text or bidirectional controls (`A-PIN`).
    IntegrityDecision {
        /// Take the corrected text.
        UseCorrected = "use_corrected",
        /// Keep the text as sent.
        PreserveOriginal = "preserve_original",
    }
}

/// The author's decision on a prompt that the server questioned (`PIN-1`, `A-PIN`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PromptIntegrity {
    /// The challenge from the refusal; it is used once.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub challenge: Option<String>,
    /// The choice.
    pub decision: IntegrityDecision,
}

impl PromptIntegrity {
    /// Answers `challenge` with `decision`.
    pub fn new(challenge: impl Into<String>, decision: IntegrityDecision) -> Self {
        Self {
            challenge: Some(challenge.into()),
            decision,
        }
    }
}

/// `user.message`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct UserMessage {
    /// What the author wrote.
    pub content: Content,
    /// The decision on a questioned prompt.
    #[serde(default)]
    pub prompt_integrity: Option<PromptIntegrity>,
    /// Who wrote it.
    #[serde(default)]
    pub authored_by: Option<PrincipalId>,
    /// Why it entered the Session.
    #[serde(default)]
    pub caused_by: Option<Cause>,
}

/// `user.interrupt`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Interrupt {
    /// The only thread to interrupt; absent for the whole turn.
    #[serde(default)]
    pub session_thread_id: Option<SessionThreadId>,
    /// Who wrote it.
    #[serde(default)]
    pub authored_by: Option<PrincipalId>,
    /// Why it entered the Session.
    #[serde(default)]
    pub caused_by: Option<Cause>,
}

/// `user.custom_tool_result`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct CustomToolResult {
    /// The call that it answers.
    pub tool_use_id: ToolUseId,
    /// Any JSON.
    #[serde(default)]
    pub result: Value,
    /// Whether the tool failed.
    #[serde(default)]
    pub is_error: Option<bool>,
    /// The thread of the call.
    #[serde(default)]
    pub session_thread_id: Option<SessionThreadId>,
    /// The wait that it answers (`A-GEN`).
    #[serde(default)]
    pub wait_generation: Option<u64>,
    /// Who wrote it.
    #[serde(default)]
    pub authored_by: Option<PrincipalId>,
    /// Why it entered the Session.
    #[serde(default)]
    pub caused_by: Option<Cause>,
}

/// `user.tool_confirmation`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ToolConfirmation {
    /// The call that it answers.
    pub tool_use_id: ToolUseId,
    /// Allow or deny.
    pub result: Confirmation,
    /// Why it was denied.
    #[serde(default)]
    pub deny_message: Option<String>,
    /// The thread of the call.
    #[serde(default)]
    pub session_thread_id: Option<SessionThreadId>,
    /// The wait that it answers (`A-GEN`).
    #[serde(default)]
    pub wait_generation: Option<u64>,
    /// Who wrote it.
    #[serde(default)]
    pub authored_by: Option<PrincipalId>,
    /// Why it entered the Session.
    #[serde(default)]
    pub caused_by: Option<Cause>,
}

/// `user.question_answer`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct QuestionAnswer {
    /// The question that it answers.
    pub question_id: QuestionId,
    /// Any JSON.
    #[serde(default)]
    pub answer: Value,
    /// The thread of the question.
    #[serde(default)]
    pub session_thread_id: Option<SessionThreadId>,
    /// The wait that it answers (`A-GEN`).
    #[serde(default)]
    pub wait_generation: Option<u64>,
    /// Who wrote it.
    #[serde(default)]
    pub authored_by: Option<PrincipalId>,
    /// Why it entered the Session.
    #[serde(default)]
    pub caused_by: Option<Cause>,
}

/// `user.define_outcome`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct DefineOutcome {
    /// The Outcome's id, which the server gives.
    #[serde(default)]
    pub outcome_id: Option<OutcomeId>,
    /// What is to be reached.
    pub description: String,
    /// How it is judged.
    #[serde(default)]
    pub rubric: Value,
    /// How many times the Agent may try.
    #[serde(default)]
    pub max_iterations: Option<u64>,
    /// Who wrote it.
    #[serde(default)]
    pub authored_by: Option<PrincipalId>,
    /// Why it entered the Session.
    #[serde(default)]
    pub caused_by: Option<Cause>,
}
