//! The Session that every history drives: a coordinator with one Agent in its roster.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::Map;

use super::names::thread_id;
use crate::core::admission::{Admission, AgentSnapshot, Behaviour, ForkOrigin, ThreadAgent};
use crate::core::id::{DeploymentId, PrincipalId, SessionId, WorkspaceId};
use crate::core::moment::Moment;

/// The Agent of the primary thread.
pub(super) const COORDINATOR: &str = "coordinator";

/// The Agent that children are of.
pub(super) const CHILD: &str = "child";

/// What a Run may take once it is ready, in seconds.
pub(super) const MAX_DURATION: u32 = 90;

/// Everything that the log does not say.
pub(super) fn admission(
    number: usize,
    behaviour: Behaviour,
    forked_from: Option<ForkOrigin>,
    created_at: Moment,
) -> Arc<Admission> {
    let agent = |id: &str| ThreadAgent {
        id: id.to_owned(),
        workspace_id: WorkspaceId::from_number(1),
        version: 1,
        source_draft_revision: 1,
        draft: Map::new(),
    };
    Arc::new(Admission {
        id: SessionId::from_number(number as u128 + 1),
        workspace_id: WorkspaceId::from_number(1),
        principal_id: PrincipalId::from_number(1),
        agent_deployment_id: DeploymentId::from_number(1),
        agent_deployment_revision_number: 1,
        agent: AgentSnapshot {
            release: Map::new(),
            harness_profile: Map::new(),
            model_routing: Map::new(),
            sandbox_profile: Map::new(),
            skills: Vec::new(),
        },
        max_duration_seconds: u64::from(MAX_DURATION),
        behaviour,
        agent_name: COORDINATOR.to_owned(),
        thread_agent: agent(COORDINATOR),
        roster: BTreeMap::from([(CHILD.to_owned(), agent(CHILD))]),
        forked_from,
        primary_thread_id: thread_id(0),
        title: None,
        metadata: BTreeMap::new(),
        created_at,
    })
}
