//! The log of a Session: post and list.

use axum::Extension;
use axum::extract::State;
use axum::http::{StatusCode, Uri};

use super::auth::Caller;
use super::body::{EmptyBody, ReadBody};
use super::call::{Call, Ids, mutate};
use super::fence;
use super::page_token::Place;
use super::post_event;
use super::query::Parameters;
use super::response::{Answer, json};
use super::state::Shared;
use crate::core::cursor::{self, Gap, Retained};
use crate::core::moment::Moment;
use crate::ledger::handle::SessionHandle;
use crate::ledger::mutation::Effect;
use crate::ledger::unreadable;
use crate::mutant::{self, Mutant};
use crate::storage::events::{self, Range, View};
use crate::storage::position::MAX_SEQ;
use crate::wire::error::{ApiError, Code};
use crate::wire::page::page;

/// LST-1: the page size and its cap.
const DEFAULT_LIMIT: usize = 100;
const MAX_LIMIT: usize = 1000;

/// Both, where the promise is broken.
const SMALL_LIMIT: usize = 10;

/// A page also ends when it has grown to this many bytes.
const MAX_PAGE_BYTES: usize = 8 * 1024 * 1024;

/// `POST /v1/sessions/{session_id}/events`: accepted, not finished (SES-6).
pub(crate) async fn post(State(shared): State<Shared>, Ids(id): Ids<String>, call: Call) -> Answer {
    let caller = call.caller.clone();
    let read = call.read(EmptyBody::IsAnError).await;
    if let Ok((_, ReadBody { json: Ok(value), .. })) = &read {
        for capability in post_event::needed_capabilities(value) {
            fence::require(&shared.capabilities, capability)?;
        }
    }
    let workspace = caller.workspace("Session")?;
    let session = shared.ledger.session(workspace, &id).await?;
    let (head, read) = read?;
    let now = Moment::from(shared.clock.now());
    let effect = read
        .json
        .and_then(|body| post_event::command(body, &read.text, &session.id, &shared, now))
        .map(|command| Effect::Post(session, command));
    mutate(&shared, workspace, &head, read.hash, effect).await
}

/// `GET /v1/sessions/{session_id}/events` (LST-1, LST-2, LST-3)
pub(crate) async fn list(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    Ids(id): Ids<String>,
    uri: Uri,
) -> Answer {
    let session = shared.ledger.session(caller.workspace("Session")?, &id).await?;
    let list = format!("events {}", session.id);
    list_view(&shared, &session, View::Session, &list, &uri).await
}

/// Pages a view of the log; tokens are good for the `list` alone that gave them out.
pub(super) async fn list_view(
    shared: &Shared,
    session: &SessionHandle,
    view: View,
    list: &str,
    uri: &Uri,
) -> Answer {
    let mut parameters = Parameters::of(uri)?;
    let limit = if mutant::active(Mutant::SmallPages) {
        parameters.take_limit(SMALL_LIMIT, SMALL_LIMIT)?
    } else if mutant::active(Mutant::NoPageCap) {
        parameters.take_limit(DEFAULT_LIMIT, usize::MAX)?
    } else {
        parameters.take_limit(DEFAULT_LIMIT, MAX_LIMIT)?
    };
    let after = parameters.take("after")?;
    let token = parameters.take("page")?;
    parameters.finish()?;
    let list = format!("{} {list}", session.workspace);
    let now = Moment::from(shared.clock.now());
    let after = match (after, token) {
        (Some(_), Some(_)) => return Err(conflict().into()),
        (Some(after), None) => cursor::parse(&after).ok_or_else(|| invalid_cursor("after"))?,
        (None, Some(token)) => shared.tokens.open(&list, &token, now)?.position,
        (None, None) => 0,
    };
    let row = session.row;
    let range = Range {
        view,
        after,
        up_to: MAX_SEQ,
        limit,
        max_bytes: MAX_PAGE_BYTES,
    };
    let found = shared
        .ledger
        .reader()
        .read(move |db| events::page(db, row, range))
        .await
        .map_err(unreadable)?;
    // What was retained when the page was read decides: a trim in between must not pass for an empty place.
    let end = session.end().retained;
    let retained = Retained {
        first_seq: found.first_seq,
        // It begins past its end when nothing is left.
        last_seq: end.last_seq.max(found.first_seq.saturating_sub(1)),
    };
    match cursor::check(after, retained) {
        Ok(()) | Err(Gap::Ahead { .. }) => {}
        Err(Gap::Expired(_)) if mutant::active(Mutant::ListSkipsTrimmed) => {}
        Err(gap @ Gap::Expired(_)) => return Err(gap_error(gap, "after").into()),
    }
    let next = found
        .events
        .last()
        .filter(|_| found.more)
        .map(|last| shared.tokens.seal(&list, &Place::after(last.seq), now));
    let items = found.events.iter().map(|event| &*event.envelope);
    Ok(json(StatusCode::OK, page(items, next.as_deref())))
}

/// A-GAP: what is not a decimal number is no cursor.
pub(crate) fn invalid_cursor(param: &str) -> ApiError {
    ApiError::new(
        Code::InvalidCursor,
        format!("{param} must be the decimal seq of the last event that was processed"),
    )
    .with_param(param)
}

/// A-GAP: the two ways in which a cursor does not fit the log.
pub(crate) fn gap_error(gap: Gap, param: &str) -> ApiError {
    let error = match gap {
        Gap::Expired(Retained { first_seq, last_seq }) => ApiError::new(
            Code::CursorExpired,
            "events after this cursor are no longer retained",
        )
        .with_detail("first_seq", first_seq)
        .with_detail("last_seq", last_seq),
        Gap::Ahead { last_seq } => {
            ApiError::new(Code::CursorAhead, "this cursor is beyond the end of the log")
                .with_detail("last_seq", last_seq)
        }
    };
    error.with_param(param)
}

fn conflict() -> ApiError {
    ApiError::new(Code::ConflictingParameters, "send after or page, not both").with_param("page")
}
