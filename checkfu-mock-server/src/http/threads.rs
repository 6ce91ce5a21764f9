//! Threads of a Session: list, retrieve, archive, and their events (THR-1 to THR-6).

use std::sync::Arc;

use axum::Extension;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri};

use super::auth::Caller;
use super::body::EmptyBody;
use super::call::{Call, Ids, mutate};
use super::event_stream::{StreamParameters, stream_view};
use super::events::list_view;
use super::fields::Fields;
use super::page_token::Place;
use super::query::{self, Parameters};
use super::response::{Answer, json, resource};
use super::state::Shared;
use crate::core::admission::Admission;
use crate::core::moment::Moment;
use crate::ledger::handle::SessionHandle;
use crate::ledger::mutation::Effect;
use crate::ledger::unreadable;
use crate::storage::events::View;
use crate::storage::threads::{self, StoredThread};
use crate::storage::{error::StorageError, sessions};
use crate::wire::error::ApiError;
use crate::wire::page::page;
use crate::wire::thread::ThreadResource;

/// THR-1: the service bound is the default and the cap.
const MAX_LIMIT: usize = 1000;

/// `GET /v1/sessions/{session_id}/threads` (THR-1)
pub(crate) async fn list(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    Ids(id): Ids<String>,
    uri: Uri,
) -> Answer {
    let session = shared.ledger.session(caller.workspace("Session")?, &id).await?;
    let mut parameters = Parameters::of(&uri)?;
    let limit = parameters.take_limit(MAX_LIMIT, MAX_LIMIT)?;
    let token = parameters.take("page")?;
    parameters.finish()?;
    let list = format!("threads {} {}", session.workspace, session.id);
    let now = Moment::from(shared.clock.now());
    let from = token
        .map(|token| shared.tokens.open(&list, &token, now))
        .transpose()?
        .map_or(0, |place| place.position);
    let row = session.row;
    let (admission, mut found) = shared
        .ledger
        .reader()
        .read(move |db| {
            let from = usize::try_from(from).unwrap_or(usize::MAX);
            Ok((admission(db, row)?, threads::list(db, row, from, limit + 1)?))
        })
        .await
        .map_err(unreadable)?;
    let next = (found.len() > limit).then(|| {
        found.truncate(limit);
        shared.tokens.seal(&list, &Place::after(place_after(&found)), now)
    });
    let items = found
        .iter()
        .map(|stored| serde_json::to_vec(&ThreadResource::new(&admission, &stored.thread, now)))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| unreadable(error.into()))?;
    Ok(json(
        StatusCode::OK,
        page(items.iter().map(Vec::as_slice), next.as_deref()),
    ))
}

/// `GET /v1/sessions/{session_id}/threads/{thread_id}` (THR-3)
pub(crate) async fn retrieve(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    Ids((id, thread)): Ids<(String, String)>,
    uri: Uri,
) -> Answer {
    let session = shared.ledger.session(caller.workspace("Session")?, &id).await?;
    let row = session.row;
    let found = shared
        .ledger
        .reader()
        .read(move |db| Ok((admission(db, row)?, threads::find(db, row, &thread)?)))
        .await
        .map_err(unreadable)?;
    let (admission, Some(stored)) = found else {
        return Err(ApiError::not_found("SessionThread").into());
    };
    query::none(&uri)?;
    let now = Moment::from(shared.clock.now());
    resource(&ThreadResource::new(&admission, &stored.thread, now))
}

/// `POST /v1/sessions/{session_id}/threads/{thread_id}/archive` (THR-4, WIRE-6)
pub(crate) async fn archive(
    State(shared): State<Shared>,
    Ids((id, thread)): Ids<(String, String)>,
    call: Call,
) -> Answer {
    let workspace = call.caller.workspace("Session")?.clone();
    let session = shared.ledger.session(&workspace, &id).await?;
    let stored = find(&shared, &session, thread).await?;
    let (head, read) = call.read(EmptyBody::IsAnObject).await?;
    let effect = read.json.and_then(|value| Fields::of(value, "")?.finish());
    let effect = effect.map(|()| Effect::Archive(session, stored.thread.id));
    mutate(&shared, &workspace, &head, read.hash, effect).await
}

/// `GET /v1/sessions/{session_id}/threads/{thread_id}/events` (THR-5)
pub(crate) async fn events(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    Ids((id, thread)): Ids<(String, String)>,
    uri: Uri,
) -> Answer {
    let session = shared.ledger.session(caller.workspace("Session")?, &id).await?;
    let stored = find(&shared, &session, thread).await?;
    let list = format!("events {}", stored.thread.id);
    list_view(&shared, &session, stored.view(), &list, &uri).await
}

/// `GET /v1/sessions/{session_id}/threads/{thread_id}/stream` (THR-6)
pub(crate) async fn stream(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    Ids((id, thread)): Ids<(String, String)>,
    headers: HeaderMap,
    uri: Uri,
) -> Answer {
    let parameters = StreamParameters::of(&uri, &shared.capabilities)?;
    let session = shared.ledger.session(caller.workspace("Session")?, &id).await?;
    let view = find(&shared, &session, thread).await?.view();
    stream_view(shared, session, view, parameters, &headers).await
}

/// THR-3: a thread of another Session is as unknown as one that never was.
async fn find(
    shared: &Shared,
    session: &Arc<SessionHandle>,
    thread: String,
) -> Result<StoredThread, ApiError> {
    let row = session.row;
    let found = shared
        .ledger
        .reader()
        .read(move |db| threads::find(db, row, &thread))
        .await
        .map_err(unreadable)?;
    found.ok_or_else(|| ApiError::not_found("SessionThread"))
}

impl StoredThread {
    /// The primary thread's history is the Session's (A-VIEW).
    fn view(&self) -> View {
        match self.place {
            0 => View::Session,
            place => View::Child(place),
        }
    }
}

fn admission(connection: &rusqlite::Connection, row: i64) -> Result<Admission, StorageError> {
    let stored = sessions::at(connection, row)?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
    Ok(stored.admission)
}

fn place_after(found: &[StoredThread]) -> u64 {
    found.last().map_or(0, |last| last.place as u64 + 1)
}
