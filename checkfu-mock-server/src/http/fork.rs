//! Forks of a Session (FRK-1, FRK-3).

use axum::extract::State;

use super::body::{EmptyBody, ReadBody};
use super::call::{Call, Ids, mutate};
use super::fence;
use super::fields::Fields;
use super::response::Answer;
use super::state::Shared;
use crate::capability::Capability;
use crate::core::id::EventId;
use crate::ledger::fork::ForkPoint;
use crate::ledger::mutation::Effect;
use crate::wire::error::ApiError;

/// `POST /v1/sessions/{session_id}/fork`. FRK-3: a Checkpoint needs its capability; without it the call fails closed.
pub(crate) async fn fork(State(shared): State<Shared>, Ids(id): Ids<String>, call: Call) -> Answer {
    let caller = call.caller.clone();
    let read = call.read(EmptyBody::IsAnObject).await;
    if let Ok((_, ReadBody { json: Ok(value), .. })) = &read
        && value
            .get("checkpoint_id")
            .is_some_and(|checkpoint| !checkpoint.is_null())
    {
        fence::require(&shared.capabilities, Capability::Checkpoints)?;
    }
    let workspace = caller.workspace("Session")?;
    let source = shared.ledger.session(workspace, &id).await?;
    let (head, read) = read?;
    let effect = read
        .json
        .and_then(|value| point(Fields::of(value, "")?))
        .map(|point| Effect::Fork(source, point));
    mutate(&shared, workspace, &head, read.hash, effect).await
}

/// A-FORK: `{from?: {event_id} | {seq}}`; without it the head.
fn point(mut fields: Fields) -> Result<ForkPoint, ApiError> {
    // Only its absence and null get here.
    if fields.optional("checkpoint_id").is_some() {
        return Err(fields.invalid(
            "checkpoint_id",
            "must be a Checkpoint's id; leave it out for none",
        ));
    }
    let from = fields.optional("from");
    fields.finish()?;
    let Some(from) = from else {
        return Ok(ForkPoint::Head);
    };
    let mut from = Fields::of(from, "from")?;
    let event = from.optional_id("event_id", EventId::PREFIX, EventId::parse)?;
    let seq = from.optional_whole_number("seq", None)?;
    from.finish()?;
    match (event, seq) {
        (Some(event), None) => Ok(ForkPoint::Event(event)),
        (None, Some(seq)) => Ok(ForkPoint::Seq(seq)),
        _ => Err(fields.invalid("from", "must have either event_id or seq")),
    }
}
