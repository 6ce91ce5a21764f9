//! ActionApprovals of a Session: list and retrieve. They are decided with `user.tool_confirmation`.

use axum::Extension;
use axum::extract::State;
use axum::http::{StatusCode, Uri};

use super::auth::Caller;
use super::call::Ids;
use super::page_token::Place;
use super::query::{self, Parameters};
use super::response::{Answer, json};
use super::state::Shared;
use crate::core::moment::Moment;
use crate::ledger::unreadable;
use crate::storage::approvals;
use crate::wire::error::ApiError;
use crate::wire::page::page;

/// A-LIST: how many approvals a page has.
const DEFAULT_LIMIT: usize = 100;
const MAX_LIMIT: usize = 1000;

/// `GET /v1/sessions/{session_id}/action_approvals`
pub(crate) async fn list(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    Ids(id): Ids<String>,
    uri: Uri,
) -> Answer {
    let session = shared.ledger.session(caller.workspace("Session")?, &id).await?;
    let mut parameters = Parameters::of(&uri)?;
    let limit = parameters.take_limit(DEFAULT_LIMIT, MAX_LIMIT)?;
    let token = parameters.take("page")?;
    parameters.finish()?;
    let list = format!("action_approvals {} {}", session.workspace, session.id);
    let now = Moment::from(shared.clock.now());
    let after = token
        .map(|token| shared.tokens.open(&list, &token, now))
        .transpose()?
        .map_or(0, |place| place.position);
    let row = session.row;
    let mut found = shared
        .ledger
        .reader()
        .read(move |db| approvals::list(db, row, after, limit + 1))
        .await
        .map_err(unreadable)?;
    let more = found.len() > limit;
    found.truncate(limit);
    let next = found
        .last()
        .filter(|_| more)
        .map(|last| shared.tokens.seal(&list, &Place::after(last.created_seq), now));
    Ok(json(
        StatusCode::OK,
        page(found.iter().map(|approval| &*approval.resource), next.as_deref()),
    ))
}

/// `GET /v1/sessions/{session_id}/action_approvals/{action_approval_id}`
pub(crate) async fn retrieve(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    Ids((id, approval)): Ids<(String, String)>,
    uri: Uri,
) -> Answer {
    let session = shared.ledger.session(caller.workspace("Session")?, &id).await?;
    let row = session.row;
    let found = shared
        .ledger
        .reader()
        .read(move |db| approvals::find(db, row, &approval))
        .await
        .map_err(unreadable)?;
    let found = found.ok_or_else(|| ApiError::not_found("ActionApproval"))?;
    query::none(&uri)?;
    Ok(json(StatusCode::OK, found))
}
