//! What stands under `payload`, one type per shape (decisions on events and states).

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::id::{EventId, PrincipalId, RunId, WatchId};
use super::moment::Moment;

/// Why an event entered the Session (A-AUTHOR). The kinds are open.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Cause {
    pub(crate) kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) event_id: Option<EventId>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) watch_id: Option<WatchId>,
}

/// One block of a message. Text is read by agents; other blocks are kept as they came.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Block {
    Text {
        text: String,
    },
    Image {
        source: Source,
    },
    Document {
        source: Source,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        title: Option<String>,
    },
}

/// Where the content of a block comes from.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Source {
    Base64 { media_type: String, data: String },
    Url { url: String },
    File { file_id: String },
    Text { media_type: String, data: String },
}

/// `user.message`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct UserMessage {
    pub(crate) content: Vec<Block>,
    pub(crate) authored_by: PrincipalId,
    pub(crate) caused_by: Cause,
}

/// `agent.message`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct AgentMessage {
    pub(crate) content: Vec<Block>,
}

/// What made a Run start (RUN-1).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Trigger {
    pub(crate) kind: TriggerKind,
    pub(crate) event_id: EventId,
}

/// The kind of a Run's trigger.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum TriggerKind {
    Message,
}

/// `run.created`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunCreated {
    pub(crate) trigger: Trigger,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) continues_run_id: Option<RunId>,
}

/// The exact versions that a Run received and the access that it had.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Resolved {
    pub(crate) project_revisions: Vec<Map<String, Value>>,
    pub(crate) memory_versions: Vec<Map<String, Value>>,
    pub(crate) memory_access: Vec<Map<String, Value>>,
}

/// `run.started`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunStarted {
    pub(crate) attempt: u32,
    pub(crate) deadline_at: Moment,
    pub(crate) resolved: Resolved,
}

/// Tokens spent.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Usage {
    pub(crate) input_tokens: u64,
    pub(crate) output_tokens: u64,
    pub(crate) cache_read_input_tokens: u64,
    pub(crate) cache_creation_input_tokens: u64,
}

impl Usage {
    pub(crate) fn plus(self, other: Self) -> Self {
        Self {
            input_tokens: self.input_tokens.saturating_add(other.input_tokens),
            output_tokens: self.output_tokens.saturating_add(other.output_tokens),
            cache_read_input_tokens: self
                .cache_read_input_tokens
                .saturating_add(other.cache_read_input_tokens),
            cache_creation_input_tokens: self
                .cache_creation_input_tokens
                .saturating_add(other.cache_creation_input_tokens),
        }
    }
}

/// Money: a decimal number as text, so that no float rounds it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Cost {
    pub(crate) amount: String,
    pub(crate) currency: String,
}

/// `run.completed`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunCompleted {
    pub(crate) usage: Usage,
    pub(crate) cost: Cost,
}

/// `run.canceled`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct RunCanceled {
    pub(crate) reason: String,
}

/// `session.usage`: the whole Session's tokens so far.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct SessionUsage {
    pub(crate) usage: Usage,
}

/// `session.status_idle`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct StatusIdle {
    pub(crate) stop_reason: String,
}

/// A payload that says nothing beyond its type: `{}`.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Empty {}
