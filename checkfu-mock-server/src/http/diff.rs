//! What two Sessions with common history have of their own (DIF-1).

use axum::Extension;
use axum::extract::State;
use axum::http::{StatusCode, Uri};
use rusqlite::Connection;

use super::auth::Caller;
use super::call::Ids;
use super::query::{Parameters, invalid};
use super::response::{Answer, json};
use super::state::Shared;
use crate::core::id::{SessionId, WorkspaceId};
use crate::core::lineage::{Ancestor, Base, base};
use crate::ledger::unreadable;
use crate::storage::erased;
use crate::storage::error::StorageError;
use crate::storage::events::{self, Page, Range, View};
use crate::storage::sessions::{self, StoredSession};
use crate::wire::diff::{Reason, Unavailable, diff as body};
use crate::wire::error::{ApiError, Code};

/// A-DIFF: how many events a side has at most, and after how many bytes it ends.
const MAX_EVENTS: usize = 1000;
const MAX_BYTES: usize = 8 * 1024 * 1024;

/// `GET /v1/sessions/{session_id}/diff`
pub(crate) async fn diff(
    State(shared): State<Shared>,
    Extension(caller): Extension<Caller>,
    Ids(id): Ids<String>,
    uri: Uri,
) -> Answer {
    let workspace = caller.workspace("Session")?;
    let left = shared.ledger.session(workspace, &id).await?.id.clone();
    let other = other(&uri)?;
    let right = shared
        .ledger
        .session(workspace, other.as_str())
        .await
        .map_err(|error| error.with_param("other"))?
        .id
        .clone();
    let workspace = workspace.clone();
    // One snapshot: what is shown, and what is said to be missing, fit each other.
    let compared = shared
        .ledger
        .reader()
        .read(move |db| compare(db, &workspace, &left, &right))
        .await
        .map_err(unreadable)?;
    let Some((base, left, right, unavailable)) = compared else {
        let message = "neither Session is a fork of the other, nor are both of one Session";
        return Err(ApiError::new(Code::NoCommonHistory, message)
            .with_param("other")
            .into());
    };
    let body = body(&base, &left, &right, &unavailable).map_err(|error| unreadable(error.into()))?;
    Ok(json(StatusCode::OK, body))
}

fn other(uri: &Uri) -> Result<SessionId, ApiError> {
    let mut parameters = Parameters::of(uri)?;
    let other = parameters.take("other")?;
    parameters.finish()?;
    let other = other.ok_or_else(|| invalid("other", "is required: the Session to compare with"))?;
    SessionId::parse(&other).ok_or_else(|| {
        invalid(
            "other",
            "must be sess_ followed by 32 lower-case hexadecimal digits",
        )
    })
}

type Compared = Option<(Base, Page, Page, Vec<Unavailable>)>;

fn compare(
    connection: &Connection,
    workspace: &WorkspaceId,
    left: &SessionId,
    right: &SessionId,
) -> Result<Compared, StorageError> {
    let (left, left_line) = line(connection, workspace, left)?;
    let (right, right_line) = line(connection, workspace, right)?;
    let Some(base) = base(&left_line, &right_line) else {
        return Ok(None);
    };
    let mut missing = unavailable(connection, &left, base.seq)?;
    if left.row != right.row {
        missing.extend(unavailable(connection, &right, base.seq)?);
    }
    let (left, right) = (
        tail(connection, left.row, base.seq)?,
        tail(connection, right.row, base.seq)?,
    );
    Ok(Some((base, left, right, missing)))
}

/// A Session, and itself with everything that it comes from.
fn line(
    connection: &Connection,
    workspace: &WorkspaceId,
    id: &SessionId,
) -> Result<(StoredSession, Vec<Ancestor>), StorageError> {
    let find = |id: &SessionId| {
        sessions::find(connection, workspace, id)?
            .ok_or_else(|| StorageError::from(rusqlite::Error::QueryReturnedNoRows))
    };
    let session = find(id)?;
    let mut line = vec![Ancestor {
        session_id: id.clone(),
        left_at: session.head.last_seq,
    }];
    let mut origin = session.admission.forked_from.clone();
    while let Some(from) = origin {
        origin = find(&from.session_id)?.admission.forked_from;
        line.push(Ancestor {
            session_id: from.session_id,
            left_at: from.seq,
        });
    }
    Ok((session, line))
}

fn tail(connection: &Connection, row: i64, base: u64) -> Result<Page, StorageError> {
    let range = Range {
        view: View::Session,
        after: base,
        up_to: crate::storage::position::MAX_SEQ,
        limit: MAX_EVENTS,
        max_bytes: MAX_BYTES,
    };
    events::page(connection, row, range)
}

/// DIF-1: what is gone above the base is told, and never guessed at.
fn unavailable(
    connection: &Connection,
    session: &StoredSession,
    base: u64,
) -> Result<Vec<Unavailable>, StorageError> {
    let range = |from_seq, to_seq, reason| Unavailable {
        session_id: session.admission.id.clone(),
        from_seq,
        to_seq,
        reason,
    };
    let mut ranges = Vec::new();
    let trimmed = session.head.first_seq.saturating_sub(1);
    if trimmed > base {
        ranges.push(range(base + 1, trimmed, Reason::Expired));
    }
    let from = base.max(trimmed);
    let mut erased = erased::list(connection, session.row, from, session.head.last_seq)?.into_iter();
    if let Some(first) = erased.next() {
        let (mut from_seq, mut to_seq) = (first, first);
        for seq in erased {
            if seq != to_seq + 1 {
                ranges.push(range(from_seq, to_seq, Reason::Erased));
                from_seq = seq;
            }
            to_seq = seq;
        }
        ranges.push(range(from_seq, to_seq, Reason::Erased));
    }
    Ok(ranges)
}
