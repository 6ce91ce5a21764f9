use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use super::id::{AgentDeploymentId, WorkspaceId};
use super::json::lenient;
use super::resource::resource;

resource! {
    /// A deployed Agent, from which Sessions start (`SES-2`, `SES-12`).
    AgentDeployment(AgentDeploymentId) {
        values {
            /// The revision that a Session gets when it names none.
            current_revision_number: u64,
            /// When it was created.
            created_at: Timestamp,
        }
        references {
            /// The workspace that it belongs to.
            workspace_id: WorkspaceId,
            /// Its revisions, oldest first.
            revisions: Vec<AgentDeploymentRevision>,
        }
        texts {
            /// Its name, for people.
            name,
        }
    }
}

/// One immutable revision of a deployed Agent, which a Session pins at admission (`SES-11`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AgentDeploymentRevision {
    /// Its number, from 1.
    pub number: u64,
    /// The release of the Agent.
    #[serde(default, deserialize_with = "lenient")]
    pub release: Option<AgentRelease>,
    /// The HarnessProfile.
    #[serde(default, deserialize_with = "lenient")]
    pub harness_profile: Option<PinnedVersion>,
    /// The model routing.
    #[serde(default, deserialize_with = "lenient")]
    pub model_routing: Option<PinnedVersion>,
    /// The SandboxProfile.
    #[serde(default, deserialize_with = "lenient")]
    pub sandbox_profile: Option<PinnedSandboxProfile>,
    /// The resolved Skills.
    #[serde(default, deserialize_with = "lenient")]
    pub skills: Option<Vec<PinnedSkill>>,
    /// When it was published.
    #[serde(default, deserialize_with = "lenient")]
    pub created_at: Option<Timestamp>,
}

/// The release of an Agent that a revision pins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct AgentRelease {
    /// The Agent.
    pub agent_id: String,
    /// Its version.
    pub version: u64,
}

/// One immutable version of something that a revision pins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PinnedVersion {
    /// What is pinned.
    pub id: String,
    /// Its version.
    pub version: u64,
}

/// The SandboxProfile that a revision pins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PinnedSandboxProfile {
    /// The profile.
    pub id: String,
    /// Its version.
    pub version: u64,
    /// How long a turn may run, in seconds, beyond the 60 that it has to start (`DLN-2`).
    #[serde(default, deserialize_with = "lenient")]
    pub max_duration_seconds: Option<u64>,
}

/// A Skill that a revision pins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct PinnedSkill {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: u64,
}
