//! The Session resource.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::core::admission::{Admission, AgentSnapshot, ForkOrigin};
use crate::core::id::{DeploymentId, PrincipalId, SessionId, ThreadId, WorkspaceId};
use crate::core::moment::Moment;
use crate::core::payload::Usage;
use crate::core::session::Head;
use crate::core::status::SessionStatus;
use crate::mutant::{self, Mutant};

/// A Session: what was fixed at admission and where its log stands (A-HEAD).
#[derive(Debug, Serialize)]
pub(crate) struct SessionResource<'a> {
    id: &'a SessionId,
    r#type: &'static str,
    status: SessionStatus,
    stop_reason: Option<&'a str>,
    agent_deployment_id: &'a DeploymentId,
    agent_deployment_revision_number: u32,
    principal_id: &'a PrincipalId,
    workspace_id: &'a WorkspaceId,
    primary_thread_id: &'a ThreadId,
    first_seq: u64,
    last_seq: u64,
    agent: &'a AgentSnapshot,
    project_mounts: [(); 0],
    memory_mounts: [(); 0],
    forked_from: Option<&'a ForkOrigin>,
    title: Option<&'a str>,
    metadata: &'a BTreeMap<String, String>,
    usage: Option<Usage>,
    created_at: Moment,
    updated_at: Moment,
}

impl<'a> SessionResource<'a> {
    pub(crate) fn new(admission: &'a Admission, head: &'a Head) -> Self {
        let lag = u64::from(mutant::active(Mutant::LastSeqLags));
        let kept = mutant::active(Mutant::StopReasonStays).then_some("end_turn");
        Self {
            id: &admission.id,
            r#type: "session",
            status: head.status,
            stop_reason: head.stop_reason.as_deref().or(kept),
            agent_deployment_id: &admission.agent_deployment_id,
            agent_deployment_revision_number: admission.agent_deployment_revision_number,
            principal_id: &admission.principal_id,
            workspace_id: &admission.workspace_id,
            primary_thread_id: &admission.primary_thread_id,
            first_seq: head.first_seq,
            last_seq: head.last_seq.saturating_sub(lag).max(1),
            agent: &admission.agent,
            project_mounts: [],
            memory_mounts: [],
            forked_from: admission.forked_from.as_ref(),
            title: admission.title.as_deref(),
            metadata: &admission.metadata,
            usage: head.usage,
            created_at: admission.created_at,
            updated_at: head.updated_at,
        }
    }
}
