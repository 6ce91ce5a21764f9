//! Sessions: create, list, retrieve, complete, cancel.

use axum::Extension;
use axum::extract::State;
use axum::http::{StatusCode, Uri};

use super::auth::Caller;
use super::body::{EmptyBody, ReadBody};
use super::call::{Call, Ids, mutate};
use super::create_session;
use super::fence;
use super::fields::Fields;
use super::page_token::{Place, invalid_page};
use super::query::{self, Parameters, invalid};
use super::response::{Answer, json, resource};
use super::state::Shared;
use crate::core::command::Command;
use crate::core::id::DeploymentId;
use crate::core::moment::Moment;
use crate::core::status::SessionStatus;
use crate::ledger::mutation::Effect;
use crate::ledger::unreadable;
use crate::storage::sessions::{self, Filter};
use crate::wire::error::ApiError;
use crate::wire::page::page;
use crate::wire::session::SessionResource;

/// A-LIST: how many Sessions a page has.
const DEFAULT_LIMIT: usize = 100;
const MAX_LIMIT: usize = 1000;

/// `POST /v1/sessions`
pub(crate) async fn create(State(shared): State<Shared>, call: Call) -> Answer {
    let caller = call.caller.clone();
    let read = call.read(EmptyBody::IsAnError).await;
    if let Ok((_, ReadBody { json: Ok(value), .. })) = &read
        && let Some(capability) = create_session::needed_capability(value)
    {
        fence::require(&shared.capabilities, capability)?;
    }
    let workspace = caller.workspace("Workspace")?;
    let (head, read) = read?;
    let now = Moment::from(shared.clock.now());
    let effect = read
        .json
        .and_then(|value| create_session::admission(value, workspace, &shared.catalog, now))
        .map(|admission| Effect::Create(Box::new(admission)));
    mutate(&shared, workspace, &head, read.hash, effect).await
}

/// `GET /v1/sessions`
pub(crate) async fn list(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    uri: Uri,
) -> Answer {
    let mut parameters = Parameters::of(&uri)?;
    let limit = parameters.take_limit(DEFAULT_LIMIT, MAX_LIMIT)?;
    let filter = filter(&mut parameters)?;
    let token = parameters.take("page")?;
    parameters.finish()?;
    let Some(workspace) = caller.workspace else {
        return Ok(json(StatusCode::OK, page([].into_iter(), None)));
    };
    let list = format!("sessions {workspace}");
    let now = Moment::from(shared.clock.now());
    let (after, filter) = match token {
        Some(token) => resume(shared.tokens.open(&list, &token, now)?, filter)?,
        None => (0, filter),
    };
    let words = words(&filter);
    let mut stored = shared
        .ledger
        .reader()
        .read(move |db| sessions::list(db, &workspace, &filter, after.cast_signed(), limit + 1))
        .await
        .map_err(unreadable)?;
    let more = stored.len() > limit;
    stored.truncate(limit);
    let next = stored
        .last()
        .filter(|_| more)
        .map(|last| Place {
            position: last.row.cast_unsigned(),
            filter: words,
        })
        .map(|place| shared.tokens.seal(&list, &place, now));
    let items = stored
        .iter()
        .map(|session| serde_json::to_vec(&SessionResource::new(&session.admission, &session.head)))
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| unreadable(error.into()))?;
    Ok(json(
        StatusCode::OK,
        page(items.iter().map(Vec::as_slice), next.as_deref()),
    ))
}

/// `GET /v1/sessions/{session_id}`
pub(crate) async fn retrieve(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    Ids(id): Ids<String>,
    uri: Uri,
) -> Answer {
    let workspace = caller.workspace("Session")?;
    let handle = shared.ledger.session(workspace, &id).await?;
    query::none(&uri)?;
    let row = handle.row;
    let stored = shared
        .ledger
        .reader()
        .read(move |db| sessions::at(db, row))
        .await
        .map_err(unreadable)?;
    let stored = stored.ok_or_else(|| ApiError::not_found("Session"))?;
    resource(&SessionResource::new(&stored.admission, &stored.head))
}

/// `POST /v1/sessions/{session_id}/complete`
pub(crate) async fn complete(State(shared): State<Shared>, Ids(id): Ids<String>, call: Call) -> Answer {
    act(shared, id, call, Command::Complete).await
}

/// `POST /v1/sessions/{session_id}/cancel`
pub(crate) async fn cancel(State(shared): State<Shared>, Ids(id): Ids<String>, call: Call) -> Answer {
    act(shared, id, call, Command::Cancel).await
}

async fn act(shared: Shared, id: String, call: Call, command: Command) -> Answer {
    let workspace = call.caller.workspace("Session")?.clone();
    let session = shared.ledger.session(&workspace, &id).await?;
    let (head, read) = call.read(EmptyBody::IsAnObject).await?;
    let effect = read.json.and_then(|value| Fields::of(value, "")?.finish());
    let effect = effect.map(|()| Effect::Act(session, command));
    mutate(&shared, &workspace, &head, read.hash, effect).await
}

fn filter(parameters: &mut Parameters) -> Result<Filter, ApiError> {
    let status = match parameters.take("status")? {
        None => None,
        Some(text) => {
            let known = SessionStatus::ALL.map(SessionStatus::as_str).join(", ");
            let status = SessionStatus::parse(&text);
            Some(status.ok_or_else(|| invalid("status", &format!("must be one of {known}")))?)
        }
    };
    let deployment = parameters.take("agent_deployment_id")?;
    if deployment
        .as_deref()
        .is_some_and(|id| DeploymentId::parse(id).is_none())
    {
        return Err(invalid(
            "agent_deployment_id",
            "must be adep_ followed by 32 lower-case hexadecimal digits",
        ));
    }
    Ok(Filter { status, deployment })
}

/// A walk by `page` keeps the filters that it began with; to name others than those is a mistake.
fn resume(place: Place, named: Filter) -> Result<(u64, Filter), ApiError> {
    let mut words = place.filter.split(' ');
    let mut word = || words.next().filter(|word| !word.is_empty());
    let began = Filter {
        status: word().and_then(SessionStatus::parse),
        deployment: word().map(ToOwned::to_owned),
    };
    if named != Filter::default() && named != began {
        return Err(invalid_page());
    }
    Ok((place.position, began))
}

/// The filters as a page token keeps them.
fn words(filter: &Filter) -> String {
    let status = filter.status.map_or("", SessionStatus::as_str);
    format!("{status} {}", filter.deployment.as_deref().unwrap_or_default())
}
