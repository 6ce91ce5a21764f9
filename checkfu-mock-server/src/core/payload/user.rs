//! What people write (SES-4, A-AUTHOR).

use serde::{Deserialize, Serialize};

use super::content::{Block, Cause};
use crate::core::id::{OutcomeId, PrincipalId, QuestionId, ThreadId, ToolUseId};
use crate::core::json::Json;

/// `user.message`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct UserMessage {
    pub(crate) content: Vec<Block>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) prompt_integrity: Option<PromptIntegrity>,
    pub(crate) authored_by: PrincipalId,
    pub(crate) caused_by: Cause,
}

/// What the author decided about look-alike characters (PIN-1).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct PromptIntegrity {
    pub(crate) challenge: String,
    pub(crate) decision: PromptDecision,
}

/// The two ways out of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PromptDecision {
    UseCorrected,
    PreserveOriginal,
}

/// `user.interrupt`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct UserInterrupt {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) session_thread_id: Option<ThreadId>,
    pub(crate) authored_by: PrincipalId,
    pub(crate) caused_by: Cause,
}

/// `user.custom_tool_result`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct UserCustomToolResult {
    pub(crate) tool_use_id: ToolUseId,
    pub(crate) result: Json,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) is_error: Option<bool>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) session_thread_id: Option<ThreadId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) wait_generation: Option<u32>,
    pub(crate) authored_by: PrincipalId,
    pub(crate) caused_by: Cause,
}

/// `user.tool_confirmation`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct UserToolConfirmation {
    pub(crate) tool_use_id: ToolUseId,
    pub(crate) result: Decision,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) deny_message: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) session_thread_id: Option<ThreadId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) wait_generation: Option<u32>,
    pub(crate) authored_by: PrincipalId,
    pub(crate) caused_by: Cause,
}

/// The decision about a governed call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Decision {
    Allow,
    Deny,
}

/// `user.question_answer`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct UserQuestionAnswer {
    pub(crate) question_id: QuestionId,
    pub(crate) answer: Json,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) session_thread_id: Option<ThreadId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) wait_generation: Option<u32>,
    pub(crate) authored_by: PrincipalId,
    pub(crate) caused_by: Cause,
}

/// `user.define_outcome`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct UserDefineOutcome {
    pub(crate) outcome_id: OutcomeId,
    pub(crate) description: String,
    pub(crate) rubric: Rubric,
    pub(crate) max_iterations: u32,
    pub(crate) authored_by: PrincipalId,
    pub(crate) caused_by: Cause,
}

/// What a grader judges by.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Rubric {
    Text { content: String },
    File { file_id: String },
}
