//! What the server has to offer: AgentDeployments and capabilities.

use axum::Extension;
use axum::extract::State;
use axum::http::{StatusCode, Uri};
use serde::Serialize;

use super::auth::Caller;
use super::call::Ids;
use super::page_token::Place;
use super::query::{self, Parameters};
use super::response::{Answer, json, resource};
use super::state::Shared;
use crate::core::moment::Moment;
use crate::ledger::unreadable;
use crate::wire::capability::CapabilityResource;
use crate::wire::deployment::DeploymentResource;
use crate::wire::error::ApiError;
use crate::wire::page::page;

/// A-LIST: how many items a page has.
const DEFAULT_LIMIT: usize = 100;
const MAX_LIMIT: usize = 1000;

/// `GET /v1/agent_deployments`
pub(crate) async fn list(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    uri: Uri,
) -> Answer {
    let deployments = match &caller.workspace {
        Some(_) => shared.catalog.deployments(),
        None => Vec::new(),
    };
    let workspace = caller
        .workspace
        .as_ref()
        .map_or("", |workspace| workspace.as_str());
    paged(
        &shared,
        &uri,
        &format!("agent_deployments {workspace}"),
        deployments
            .iter()
            .map(|deployment| DeploymentResource::new(deployment)),
    )
}

/// `GET /v1/agent_deployments/{agent_deployment_id}`
pub(crate) async fn retrieve(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    Ids(id): Ids<String>,
    uri: Uri,
) -> Answer {
    caller.workspace("AgentDeployment")?;
    let found = shared
        .catalog
        .deployment(&id)
        .ok_or_else(|| ApiError::not_found("AgentDeployment"))?;
    query::none(&uri)?;
    resource(&DeploymentResource::new(&found))
}

/// `GET /v1/capabilities`: what is on and what is off, all in one page (A-CAP).
pub(crate) async fn capabilities(State(shared): State<Shared>, uri: Uri) -> Answer {
    query::none(&uri)?;
    let all = shared
        .capabilities
        .all()
        .map(|(capability, enabled)| serde_json::to_vec(&CapabilityResource::new(capability, enabled)))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| unreadable(error.into()))?;
    Ok(json(StatusCode::OK, page(all.iter().map(Vec::as_slice), None)))
}

/// A page of something that is in memory; the position is the number of items before it.
fn paged(shared: &Shared, uri: &Uri, list: &str, items: impl Iterator<Item = impl Serialize>) -> Answer {
    let mut parameters = Parameters::of(uri)?;
    let limit = parameters.take_limit(DEFAULT_LIMIT, MAX_LIMIT)?;
    let token = parameters.take("page")?;
    parameters.finish()?;
    let now = Moment::from(shared.clock.now());
    let after = token
        .map(|token| shared.tokens.open(list, &token, now))
        .transpose()?
        .map_or(0, |place| place.position);
    let after = usize::try_from(after).unwrap_or(usize::MAX);
    let mut items = items.skip(after);
    let encoded = items
        .by_ref()
        .take(limit)
        .map(|item| serde_json::to_vec(&item))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| unreadable(error.into()))?;
    let position = (after + encoded.len()) as u64;
    let next = items
        .next()
        .map(|_| shared.tokens.seal(list, &Place::after(position), now));
    Ok(json(
        StatusCode::OK,
        page(encoded.iter().map(Vec::as_slice), next.as_deref()),
    ))
}
