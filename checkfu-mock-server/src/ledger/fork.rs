//! A fork inside the writer's transaction (FRK-1, FRK-2, A-FORK).

use std::sync::Arc;

use rusqlite::Connection;

use super::append::persist;
use super::entropy::SystemEntropy;
use super::folds::{Folds, fold_to};
use super::handle::SessionHandle;
use super::refused::refusal_error;
use super::reply::Reply;
use crate::core::admission::{Admission, ForkOrigin};
use crate::core::command::Command;
use crate::core::decide::decide;
use crate::core::id::{EventId, SessionId};
use crate::core::moment::Moment;
use crate::core::payload::SessionForked;
use crate::core::session::Session;
use crate::core::snapshot::Snapshot;
use crate::mutant::{self, Mutant};
use crate::storage::error::StorageError;
use crate::storage::{events, fork as copies, sessions, snapshots};
use crate::wire::error::{ApiError, Code};
use crate::wire::session::SessionResource;

/// Where a fork leaves its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum ForkPoint {
    /// The committed head.
    Head,
    /// A retained event, by its place.
    Seq(u64),
    /// A retained event, by its identifier.
    Event(EventId),
}

/// Makes the fork and answers with its Session. Nothing of the source changes.
pub(super) fn fork(
    connection: &Connection,
    folds: &mut Folds,
    now: Moment,
    source: &SessionHandle,
    point: &ForkPoint,
) -> Result<Result<Reply, ApiError>, StorageError> {
    let head = folds.load(connection, source.row)?;
    let Some((seq, event_id)) = resolve(connection, source.row, head.head.last_seq, point)? else {
        return Ok(Err(not_retained(point)));
    };
    let up_to = if mutant::active(Mutant::ForkCopiesMore) {
        head.head.last_seq.min(seq + 1)
    } else {
        seq
    };
    let state = if up_to == head.head.last_seq {
        head.clone()
    } else {
        fold_to(connection, source.row, up_to)?
    };
    let now = now.max(state.head.updated_at);
    let origin = ForkOrigin {
        session_id: source.id.clone(),
        event_id,
        seq,
    };
    let (row, mut session) = admit(connection, source, &state, origin.clone(), up_to, now)?;
    let forked = SessionForked {
        source_session_id: origin.session_id,
        source_event_id: origin.event_id,
        source_seq: origin.seq,
    };
    match decide(&mut session, Command::BeginFork(forked), now, &mut SystemEntropy) {
        Ok(outcome) => {
            persist(connection, row, &session, &outcome)?;
            let body = serde_json::to_vec(&SessionResource::new(&session.admission, &session.head))?;
            folds.insert(row, session);
            Ok(Ok(Reply {
                status: 201,
                body: body.into(),
            }))
        }
        Err(refused) => Ok(Err(refusal_error(&refused.refusal))),
    }
}

/// The place and the identifier of the last event to copy, if it is retained. The head is always there to fork from.
fn resolve(
    connection: &Connection,
    row: i64,
    last_seq: u64,
    point: &ForkPoint,
) -> Result<Option<(u64, EventId)>, StorageError> {
    match point {
        ForkPoint::Head => {
            let id = match events::at(connection, row, last_seq)? {
                Some(event) => Some(event.id()?),
                None => snapshots::event_at(connection, row, last_seq)?,
            };
            Ok(id.map(|id| (last_seq, id)))
        }
        ForkPoint::Seq(seq) if *seq > last_seq => Ok(None),
        ForkPoint::Seq(seq) => {
            let event = events::at(connection, row, *seq)?;
            event.map(|event| Ok((*seq, event.id()?))).transpose()
        }
        ForkPoint::Event(id) => Ok(events::find(connection, row, id)?.map(|seq| (seq, id.clone()))),
    }
}

/// The new Session with its copied prefix: pinned, mounted and titled as its source is.
fn admit(
    connection: &Connection,
    source: &SessionHandle,
    state: &Session,
    origin: ForkOrigin,
    up_to: u64,
    now: Moment,
) -> Result<(i64, Session), StorageError> {
    let admission = Arc::new(Admission {
        id: SessionId::fresh(&mut SystemEntropy),
        forked_from: Some(origin),
        created_at: now,
        ..(*state.admission).clone()
    });
    let session = Snapshot::of(state).restore(Arc::clone(&admission));
    let row = sessions::insert(connection, &session)?;
    let lost = u64::from(mutant::active(Mutant::ForkLosesLast));
    copies::copy(connection, source.row, row, &admission.id, up_to - lost)?;
    if session.head.first_seq == 1 {
        // The copied history begins when the source did, and not with the fork.
        let before = Session::admitted(Arc::clone(&state.admission));
        snapshots::save(connection, row, 0, None, &before)?;
    }
    Ok((row, session))
}

fn not_retained(point: &ForkPoint) -> ApiError {
    let param = match point {
        ForkPoint::Head => "from",
        ForkPoint::Seq(_) => "from.seq",
        ForkPoint::Event(_) => "from.event_id",
    };
    let message =
        "the Session does not retain this event; choose one that its list shows, or fork at the head";
    ApiError::new(Code::EventNotRetained, message).with_param(param)
}
