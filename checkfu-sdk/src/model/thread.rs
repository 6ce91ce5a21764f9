use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use super::id::{SessionId, SessionThreadId, WorkspaceId};
use super::json::{Raw, lenient, members, optional, required};
use super::payload::Usage;
use super::status::SessionThreadStatus;
use super::stop_reason::StopReason;

/// A thread: a lasting line of an Agent's work in a Session (`THR-10`).
///
/// Only `id` is needed to read one; a member that is missing or of another kind than documented is `None`. The
/// JSON is kept as it came.
#[derive(Debug, Clone, PartialEq)]
pub struct SessionThread {
    members: Members,
    raw: Raw,
}

#[derive(Debug, Clone, PartialEq)]
struct Members {
    id: SessionThreadId,
    session_id: Option<SessionId>,
    parent_thread_id: Option<Option<SessionThreadId>>,
    agent: Option<ThreadAgent>,
    status: Option<SessionThreadStatus>,
    stop_reason: Option<StopReason>,
    stats: Option<ThreadStats>,
    usage: Option<Usage>,
    created_at: Option<Timestamp>,
    updated_at: Option<Timestamp>,
    archived_at: Option<Timestamp>,
}

const NAMES: [&str; 11] = [
    "id",
    "session_id",
    "parent_thread_id",
    "agent",
    "status",
    "stop_reason",
    "stats",
    "usage",
    "created_at",
    "updated_at",
    "archived_at",
];

impl Members {
    fn read(json: &str) -> Result<Self, serde_json::Error> {
        let [
            id,
            session_id,
            parent_thread_id,
            agent,
            status,
            stop_reason,
            stats,
            usage,
            created_at,
            updated_at,
            archived_at,
        ] = members(json, NAMES)?;
        Ok(Self {
            id: required("id", id)?,
            session_id: optional(session_id),
            parent_thread_id: optional(parent_thread_id),
            agent: optional(agent),
            status: optional(status),
            stop_reason: stop_reason.and_then(StopReason::read),
            stats: optional(stats),
            usage: optional(usage),
            created_at: optional(created_at),
            updated_at: optional(updated_at),
            archived_at: optional(archived_at),
        })
    }
}

/// The executable Agent of a thread, frozen when the thread began (`THR-12`).
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct ThreadAgent {
    /// The Agent.
    #[serde(default, deserialize_with = "lenient")]
    pub id: Option<String>,
    /// The workspace that it belongs to.
    #[serde(default, deserialize_with = "lenient")]
    pub workspace_id: Option<WorkspaceId>,
    /// Its version.
    #[serde(default, deserialize_with = "lenient")]
    pub version: Option<u64>,
    /// The revision of the draft that the version was made from.
    #[serde(default, deserialize_with = "lenient")]
    pub source_draft_revision: Option<u64>,
    /// The resolved draft, without its `multiagent` part.
    #[serde(default, deserialize_with = "lenient")]
    pub draft: Option<serde_json::Map<String, serde_json::Value>>,
}

/// How long a thread worked; an archived thread keeps its last values (`THR-13`).
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct ThreadStats {
    /// Seconds spent running, added up.
    #[serde(default, deserialize_with = "lenient")]
    pub active_seconds: Option<f64>,
    /// Seconds since the thread began.
    #[serde(default, deserialize_with = "lenient")]
    pub duration_seconds: Option<f64>,
    /// Seconds that its first start took.
    #[serde(default, deserialize_with = "lenient")]
    pub startup_seconds: Option<f64>,
}

impl SessionThread {
    /// The thread's id.
    pub fn id(&self) -> &SessionThreadId {
        &self.members.id
    }

    /// The Session that it belongs to.
    pub fn session_id(&self) -> Option<&SessionId> {
        self.members.session_id.as_ref()
    }

    /// The thread that spawned it; `None` for the primary.
    pub fn parent_thread_id(&self) -> Option<&SessionThreadId> {
        self.members.parent_thread_id.as_ref()?.as_ref()
    }

    /// Whether it is the primary thread, as which it says that it has no parent; `None` if it says nothing of that.
    pub fn is_primary(&self) -> Option<bool> {
        self.members.parent_thread_id.as_ref().map(Option::is_none)
    }

    /// The Agent that it runs.
    pub fn agent(&self) -> Option<&ThreadAgent> {
        self.members.agent.as_ref()
    }

    /// The status.
    pub fn status(&self) -> Option<&SessionThreadStatus> {
        self.members.status.as_ref()
    }

    /// Why it last came to rest (`A-STOP`).
    pub fn stop_reason(&self) -> Option<&StopReason> {
        self.members.stop_reason.as_ref()
    }

    /// How long it worked.
    pub fn stats(&self) -> Option<&ThreadStats> {
        self.members.stats.as_ref()
    }

    /// Tokens counted so far.
    pub fn usage(&self) -> Option<&Usage> {
        self.members.usage.as_ref()
    }

    /// When it began.
    pub fn created_at(&self) -> Option<Timestamp> {
        self.members.created_at
    }

    /// When it last changed.
    pub fn updated_at(&self) -> Option<Timestamp> {
        self.members.updated_at
    }

    /// When it was archived, if it was.
    pub fn archived_at(&self) -> Option<Timestamp> {
        self.members.archived_at
    }

    /// The thread's JSON, as the server sent it.
    pub fn raw_json(&self) -> &str {
        self.raw.text()
    }
}

impl Serialize for SessionThread {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.raw.as_value().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for SessionThread {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let members = Members::read(raw.get()).map_err(serde::de::Error::custom)?;
        Ok(Self {
            members,
            raw: Raw::new(raw),
        })
    }
}
