use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use super::id::{AgentDeploymentId, EventId, PrincipalId, SessionId, SessionThreadId, WorkspaceId};
use super::json::{Raw, members, optional, present, required};
use super::payload::Usage;
use super::seq::Seq;
use super::status::SessionStatus;
use super::stop_reason::StopReason;

/// Where a forked Session left its source (`A-FORK`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct ForkPoint {
    /// The Session that was forked.
    pub session_id: SessionId,
    /// The last event that was copied.
    #[serde(default)]
    pub event_id: Option<EventId>,
    /// The place of that event; status events up to here settle nothing in the fork.
    pub seq: Seq,
}

/// A Session: a durable conversation that owns an ordered log of events.
///
/// Only `id` is needed to read one; a member that is missing or of another kind than documented is `None`. The
/// JSON is kept as it came.
#[derive(Debug, Clone, PartialEq)]
pub struct Session {
    members: Members,
    raw: Raw,
}

#[derive(Debug, Clone, PartialEq)]
struct Members {
    id: SessionId,
    status: Option<SessionStatus>,
    stop_reason: Option<Option<StopReason>>,
    first_seq: Option<Seq>,
    last_seq: Option<Seq>,
    forked_from: Option<ForkPoint>,
    fork: ForkPlace,
    principal_id: Option<PrincipalId>,
    workspace_id: Option<WorkspaceId>,
    agent_deployment_id: Option<AgentDeploymentId>,
    agent_deployment_revision_number: Option<u64>,
    primary_thread_id: Option<SessionThreadId>,
    title: Option<String>,
    metadata: Option<BTreeMap<String, String>>,
    usage: Option<Usage>,
    created_at: Option<Timestamp>,
    updated_at: Option<Timestamp>,
}

/// Whether a Session is a fork, and where its own events begin (`A-FORK`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ForkPlace {
    /// It is none.
    None,
    /// What stands up to here is copied.
    At(Seq),
    /// It is one; where it begins cannot be read.
    Unreadable,
}

impl ForkPlace {
    fn read(forked_from: Option<&RawValue>) -> Self {
        let Some(raw) = present(forked_from) else {
            return Self::None;
        };
        let seq = members(raw.get(), ["seq"]).ok().and_then(|[seq]| optional(seq));
        seq.map_or(Self::Unreadable, Self::At)
    }
}

const NAMES: [&str; 16] = [
    "id",
    "status",
    "stop_reason",
    "first_seq",
    "last_seq",
    "forked_from",
    "principal_id",
    "workspace_id",
    "agent_deployment_id",
    "agent_deployment_revision_number",
    "primary_thread_id",
    "title",
    "metadata",
    "usage",
    "created_at",
    "updated_at",
];

impl Members {
    fn read(json: &str) -> Result<Self, serde_json::Error> {
        let [
            id,
            status,
            stop_reason,
            first_seq,
            last_seq,
            forked_from,
            principal_id,
            workspace_id,
            agent_deployment_id,
            agent_deployment_revision_number,
            primary_thread_id,
            title,
            metadata,
            usage,
            created_at,
            updated_at,
        ] = members(json, NAMES)?;
        Ok(Self {
            id: required("id", id)?,
            status: optional(status),
            stop_reason: stop_reason.map(StopReason::read),
            first_seq: optional(first_seq),
            last_seq: optional(last_seq),
            forked_from: optional(forked_from),
            fork: ForkPlace::read(forked_from),
            principal_id: optional(principal_id),
            workspace_id: optional(workspace_id),
            agent_deployment_id: optional(agent_deployment_id),
            agent_deployment_revision_number: optional(agent_deployment_revision_number),
            primary_thread_id: optional(primary_thread_id),
            title: optional(title),
            metadata: optional(metadata),
            usage: optional(usage),
            created_at: optional(created_at),
            updated_at: optional(updated_at),
        })
    }
}

impl Session {
    /// The Session's id.
    pub fn id(&self) -> &SessionId {
        &self.members.id
    }

    /// The status.
    pub fn status(&self) -> Option<&SessionStatus> {
        self.members.status.as_ref()
    }

    /// The reason of the latest `session.status_idle`; `None` once a Run starts or resumes.
    pub fn stop_reason(&self) -> Option<&StopReason> {
        self.members.stop_reason.as_ref()?.as_ref()
    }

    /// Whether the server told a stop reason at all, null included (`A-HEAD`).
    pub(crate) fn tells_stop_reason(&self) -> bool {
        self.members.stop_reason.is_some()
    }

    /// The oldest event that is retained.
    pub fn first_seq(&self) -> Option<Seq> {
        self.members.first_seq
    }

    /// The newest event: the head of the log.
    pub fn last_seq(&self) -> Option<Seq> {
        self.members.last_seq
    }

    /// Whether it is a fork, and where its own events begin.
    pub(crate) fn fork(&self) -> ForkPlace {
        self.members.fork
    }

    /// Where this Session was forked, if it is a fork.
    pub fn forked_from(&self) -> Option<&ForkPoint> {
        self.members.forked_from.as_ref()
    }

    /// The Principal that the Session acts as.
    pub fn principal_id(&self) -> Option<&PrincipalId> {
        self.members.principal_id.as_ref()
    }

    /// The workspace that the Session belongs to.
    pub fn workspace_id(&self) -> Option<&WorkspaceId> {
        self.members.workspace_id.as_ref()
    }

    /// The deployed Agent.
    pub fn agent_deployment_id(&self) -> Option<&AgentDeploymentId> {
        self.members.agent_deployment_id.as_ref()
    }

    /// The revision of the deployed Agent, pinned when the Session was created.
    pub fn agent_deployment_revision_number(&self) -> Option<u64> {
        self.members.agent_deployment_revision_number
    }

    /// The primary thread.
    pub fn primary_thread_id(&self) -> Option<&SessionThreadId> {
        self.members.primary_thread_id.as_ref()
    }

    /// The title.
    pub fn title(&self) -> Option<&str> {
        self.members.title.as_deref()
    }

    /// The caller's own pairs.
    pub fn metadata(&self) -> Option<&BTreeMap<String, String>> {
        self.members.metadata.as_ref()
    }

    /// Tokens counted so far.
    pub fn usage(&self) -> Option<&Usage> {
        self.members.usage.as_ref()
    }

    /// When it was created.
    pub fn created_at(&self) -> Option<Timestamp> {
        self.members.created_at
    }

    /// When it last changed.
    pub fn updated_at(&self) -> Option<Timestamp> {
        self.members.updated_at
    }

    /// The Session's JSON, as the server sent it.
    pub fn raw_json(&self) -> &str {
        self.raw.text()
    }
}

impl Serialize for Session {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.raw.as_value().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Session {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let members = Members::read(raw.get()).map_err(serde::de::Error::custom)?;
        Ok(Self {
            members,
            raw: Raw::new(raw),
        })
    }
}
