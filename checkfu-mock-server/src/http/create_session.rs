//! The body of `POST /v1/sessions` (SES-2, SES-11, SES-12).

use std::collections::BTreeMap;

use serde_json::Value;

use super::fields::{Fields, kind};
use crate::capability::Capability;
use crate::catalog::Catalog;
use crate::core::admission::Admission;
use crate::core::id::{DeploymentId, PrincipalId, SessionId, ThreadId, WorkspaceId};
use crate::core::moment::Moment;
use crate::deployment::{Deployment, Revision};
use crate::ledger::entropy::SystemEntropy;
use crate::wire::error::ApiError;

const MAX_METADATA_PAIRS: usize = 16;
const MAX_METADATA_KEY: usize = 64;
const MAX_METADATA_VALUE: usize = 512;

/// The capability that a body needs beyond Sessions themselves.
pub(crate) fn needed_capability(body: &Value) -> Option<Capability> {
    let asks = |name: &str| {
        body.get(name)
            .is_some_and(|mounts| mounts.as_array().is_none_or(|list| !list.is_empty()))
    };
    let present = |name: &str| body.get(name).is_some_and(|value| !value.is_null()) && asks(name);
    if present("project_mounts") {
        return Some(Capability::ProjectMounts);
    }
    present("memory_mounts").then_some(Capability::MemoryMounts)
}

/// Reads the body and pins the revision that is current now, or the one it names.
pub(crate) fn admission(
    body: Value,
    workspace: &WorkspaceId,
    catalog: &Catalog,
    now: Moment,
) -> Result<Admission, ApiError> {
    let mut fields = Fields::of(body, "")?;
    let deployment_id =
        fields.required_id("agent_deployment_id", DeploymentId::PREFIX, DeploymentId::parse)?;
    let principal_id = fields.required_id("principal_id", PrincipalId::PREFIX, PrincipalId::parse)?;
    let number = fields.optional_whole_number("agent_deployment_revision_number", None)?;
    let title = fields.optional_text("title")?;
    let metadata = metadata(&mut fields)?;
    no_mounts(&mut fields, "project_mounts")?;
    no_mounts(&mut fields, "memory_mounts")?;
    fields.finish()?;
    let deployment = catalog
        .deployment(deployment_id.as_str())
        .ok_or_else(|| ApiError::not_found("AgentDeployment").with_param("agent_deployment_id"))?;
    let revision = pin(&deployment, number)?;
    if !catalog.has_principal(&principal_id) {
        return Err(ApiError::not_found("Principal").with_param("principal_id"));
    }
    Ok(Admission {
        id: SessionId::fresh(&mut SystemEntropy),
        workspace_id: workspace.clone(),
        principal_id,
        agent_deployment_id: deployment.id.clone(),
        agent_deployment_revision_number: revision.number,
        agent: revision.agent.clone(),
        max_duration_seconds: revision.scenario.max_duration_seconds,
        behaviour: revision.scenario.behaviour,
        agent_name: revision.scenario.agent.name.clone(),
        thread_agent: revision.thread_agent.clone(),
        roster: revision.roster.clone(),
        forked_from: None,
        primary_thread_id: ThreadId::fresh(&mut SystemEntropy),
        title,
        metadata,
        created_at: now,
    })
}

/// Only empty lists get here: anything else needs a capability.
fn no_mounts(fields: &mut Fields, name: &str) -> Result<(), ApiError> {
    match fields.optional(name) {
        None | Some(Value::Array(_)) => Ok(()),
        Some(other) => Err(fields.invalid(name, &format!("must be an array, not {}", kind(&other)))),
    }
}

fn pin(deployment: &Deployment, number: Option<u64>) -> Result<&Revision, ApiError> {
    let found = match number {
        None => deployment.current(),
        Some(number) => u32::try_from(number)
            .ok()
            .and_then(|number| deployment.revision(number)),
    };
    found.ok_or_else(|| {
        ApiError::not_found("AgentDeploymentRevision").with_param("agent_deployment_revision_number")
    })
}

fn metadata(fields: &mut Fields) -> Result<BTreeMap<String, String>, ApiError> {
    let Some(value) = fields.optional("metadata") else {
        return Ok(BTreeMap::new());
    };
    let Value::Object(pairs) = value else {
        return Err(fields.invalid("metadata", &format!("must be an object, not {}", kind(&value))));
    };
    if pairs.len() > MAX_METADATA_PAIRS {
        return Err(fields.invalid(
            "metadata",
            &format!("may have at most {MAX_METADATA_PAIRS} members"),
        ));
    }
    let mut metadata = BTreeMap::new();
    for (key, value) in pairs {
        let path = format!("metadata.{key}");
        if key.is_empty() || key.chars().count() > MAX_METADATA_KEY {
            return Err(fields.invalid(
                "metadata",
                &format!("keys must have 1 to {MAX_METADATA_KEY} characters"),
            ));
        }
        match value {
            Value::String(text) if text.chars().count() <= MAX_METADATA_VALUE => metadata.insert(key, text),
            _ => {
                let problem = format!("must be a string of at most {MAX_METADATA_VALUE} characters");
                return Err(fields.invalid(&path, &problem));
            }
        };
    }
    Ok(metadata)
}
