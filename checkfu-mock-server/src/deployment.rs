//! AgentDeployments and their immutable revisions (SES-11, SES-12).

use serde_json::{Map, Value, json};

use crate::core::admission::AgentSnapshot;
use crate::core::id::{DeploymentId, WorkspaceId};
use crate::core::moment::Moment;

/// A deployed Agent.
#[derive(Debug, Clone)]
pub(crate) struct Deployment {
    pub(crate) id: DeploymentId,
    pub(crate) name: &'static str,
    pub(crate) workspace_id: WorkspaceId,
    pub(crate) created_at: Moment,
    /// Oldest first, never empty, numbered from 1.
    pub(crate) revisions: Vec<Revision>,
}

/// One immutable revision of a deployment.
#[derive(Debug, Clone)]
pub(crate) struct Revision {
    pub(crate) number: u32,
    pub(crate) agent: AgentSnapshot,
    pub(crate) max_duration_seconds: u64,
    pub(crate) created_at: Moment,
}

impl Deployment {
    /// The built-in deployment `plain`, which greets and quotes what it was told.
    pub(crate) fn plain(workspace: &WorkspaceId) -> Self {
        Self {
            id: DeploymentId::from_number(PLAIN),
            name: "plain",
            workspace_id: workspace.clone(),
            created_at: Moment::from_milliseconds(PLAIN_PUBLISHED[0]),
            revisions: (1..).zip(PLAIN_PUBLISHED).map(plain_revision).collect(),
        }
    }

    /// The revision that a new Session gets when it names none.
    pub(crate) fn current(&self) -> Option<&Revision> {
        self.revisions.last()
    }

    /// The revision with this number.
    pub(crate) fn revision(&self, number: u32) -> Option<&Revision> {
        self.revisions.iter().find(|revision| revision.number == number)
    }
}

/// The digits of the built-in deployment's identifier.
const PLAIN: u128 = 0x0000_0000_0000_0000_0000_0000_0000_0001;

/// When the revisions of `plain` were published, in milliseconds since the Unix epoch.
const PLAIN_PUBLISHED: [i64; 2] = [1_788_134_400_000, 1_788_220_800_000];

fn plain_revision((number, published): (u32, i64)) -> Revision {
    Revision {
        number,
        agent: AgentSnapshot {
            release: object(json!({"agent_id": "agnt_00000000000000000000000000000001", "version": number})),
            harness_profile: object(json!({"id": "hprf_00000000000000000000000000000001", "version": 1})),
            model_routing: object(json!({"id": "mrte_00000000000000000000000000000001", "version": 1})),
            sandbox_profile: object(json!({
                "id": "sprf_00000000000000000000000000000001",
                "version": 1,
                "max_duration_seconds": MAX_DURATION_SECONDS,
            })),
            skills: Vec::new(),
        },
        max_duration_seconds: MAX_DURATION_SECONDS,
        created_at: Moment::from_milliseconds(published),
    }
}

const MAX_DURATION_SECONDS: u64 = 3600;

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        _ => Map::new(),
    }
}
