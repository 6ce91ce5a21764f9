//! What Agents write.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::content::Block;
use crate::core::id::{QuestionId, ThreadId, ToolUseId};

/// `agent.message`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct AgentMessage {
    pub(crate) content: Vec<Block>,
}

/// `agent.tool_use`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct AgentToolUse {
    pub(crate) tool_use_id: ToolUseId,
    pub(crate) name: String,
    pub(crate) input: Value,
    pub(crate) kind: ToolKind,
    pub(crate) evaluated_permission: Permission,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) mcp_server_name: Option<String>,
}

impl AgentToolUse {
    /// Whether somebody has to do something before the Agent can go on.
    pub(crate) fn is_blocking(&self) -> bool {
        self.kind == ToolKind::Custom || self.evaluated_permission == Permission::Ask
    }
}

/// Who executes a tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ToolKind {
    Builtin,
    Custom,
    Mcp,
}

/// What the policy says about a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Permission {
    Allow,
    Ask,
    Deny,
}

/// `agent.tool_result`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct AgentToolResult {
    pub(crate) tool_use_id: ToolUseId,
    pub(crate) content: Vec<Block>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) is_error: Option<bool>,
}

/// `agent.question`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct AgentQuestion {
    pub(crate) question_id: QuestionId,
    pub(crate) prompt: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) options: Vec<String>,
}

/// `agent.thread_message_sent`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ThreadMessageSent {
    pub(crate) to_session_thread_id: ThreadId,
    pub(crate) to_agent_name: String,
    pub(crate) content: Vec<Block>,
}

/// `agent.thread_message_received`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ThreadMessageReceived {
    pub(crate) from_session_thread_id: ThreadId,
    pub(crate) from_agent_name: String,
    pub(crate) content: Vec<Block>,
}
