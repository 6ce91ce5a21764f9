//! Lists and single ones of what is kept as resources: Runs and ActionApprovals.

use axum::http::{StatusCode, Uri};

use super::auth::Caller;
use super::page_token::Place;
use super::query::{self, Parameters};
use super::response::{Answer, json};
use super::state::Shared;
use crate::core::moment::Moment;
use crate::ledger::unreadable;
use crate::storage::resources::Table;
use crate::wire::error::ApiError;
use crate::wire::page::page;

/// A-LIST: how many a page has.
const DEFAULT_LIMIT: usize = 100;
const MAX_LIMIT: usize = 1000;

/// A page of them, in the order in which they came to be.
pub(super) async fn list(shared: &Shared, caller: &Caller, session: &str, uri: &Uri, table: Table) -> Answer {
    let session = shared
        .ledger
        .session(caller.workspace("Session")?, session)
        .await?;
    let mut parameters = Parameters::of(uri)?;
    let limit = parameters.take_limit(DEFAULT_LIMIT, MAX_LIMIT)?;
    let token = parameters.take("page")?;
    parameters.finish()?;
    let list = format!("{} {} {}", table.name(), session.workspace, session.id);
    let now = Moment::from(shared.clock.now());
    let after = token
        .map(|token| shared.tokens.open(&list, &token, now))
        .transpose()?
        .map_or(0, |place| place.position);
    let row = session.row;
    let mut found = shared
        .ledger
        .reader()
        .read(move |db| table.list(db, row, after, limit + 1))
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
        page(found.iter().map(|stored| &*stored.resource), next.as_deref()),
    ))
}

/// One of them; `what` names it where it is not found.
pub(super) async fn retrieve(
    shared: &Shared,
    caller: &Caller,
    (session, id): (String, String),
    uri: &Uri,
    (table, what): (Table, &str),
) -> Answer {
    let session = shared
        .ledger
        .session(caller.workspace("Session")?, &session)
        .await?;
    let row = session.row;
    let found = shared
        .ledger
        .reader()
        .read(move |db| table.find(db, row, &id))
        .await
        .map_err(unreadable)?;
    let found = found.ok_or_else(|| ApiError::not_found(what))?;
    query::none(uri)?;
    Ok(json(StatusCode::OK, found))
}
