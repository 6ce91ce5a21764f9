use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::content::Content;
use crate::model::id::{QuestionId, SessionThreadId, ToolUseId};
use crate::model::open_enum::open_enum;

open_enum! {
    /// What the governing policy said about a tool call.
    Permission {
        /// It may run.
        Allow = "allow",
        /// A person is asked.
        Ask = "ask",
        /// It must not run.
        Deny = "deny",
    }
}

open_enum! {
    /// Who runs a tool.
    ToolKind {
        /// The platform.
        Builtin = "builtin",
        /// The application, which answers with `user.custom_tool_result`.
        Custom = "custom",
        /// A server reached over MCP.
        Mcp = "mcp",
    }
}

/// `agent.message`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AgentMessage {
    /// What the Agent wrote.
    pub content: Content,
}

/// `agent.thinking`: a sign of progress; no content is promised.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AgentThinking {
    /// What the Agent thought, if it is shown.
    #[serde(default)]
    pub content: Option<Content>,
}

/// `agent.tool_use`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AgentToolUse {
    /// The call, unique in its thread only.
    pub tool_use_id: ToolUseId,
    /// The tool.
    pub name: String,
    /// What the tool is given.
    #[serde(default)]
    pub input: Value,
    /// Who runs it.
    #[serde(default)]
    pub kind: Option<ToolKind>,
    /// The server that an MCP tool is reached through.
    #[serde(default)]
    pub mcp_server_name: Option<String>,
    /// What the governing policy said.
    #[serde(default)]
    pub evaluated_permission: Option<Permission>,
    /// The thread of the call.
    #[serde(default)]
    pub session_thread_id: Option<SessionThreadId>,
}

/// `agent.tool_result`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AgentToolResult {
    /// The call that it answers.
    pub tool_use_id: ToolUseId,
    /// What the tool gave.
    #[serde(default)]
    pub content: Option<Content>,
    /// Whether the tool failed.
    #[serde(default)]
    pub is_error: Option<bool>,
}

/// `agent.question`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AgentQuestion {
    /// The question, which `user.question_answer` names.
    pub question_id: QuestionId,
    /// What is asked.
    pub prompt: String,
    /// Answers to choose from.
    #[serde(default)]
    pub options: Option<Vec<Value>>,
}

/// `agent.thread_message_sent` and `agent.thread_message_received`; the direction is that of the thread read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ThreadMessage {
    /// Where it went.
    #[serde(default)]
    pub to_session_thread_id: Option<SessionThreadId>,
    /// The name of the Agent it went to.
    #[serde(default)]
    pub to_agent_name: Option<String>,
    /// Where it came from.
    #[serde(default)]
    pub from_session_thread_id: Option<SessionThreadId>,
    /// The name of the Agent it came from.
    #[serde(default)]
    pub from_agent_name: Option<String>,
    /// What it said.
    #[serde(default)]
    pub content: Content,
}
