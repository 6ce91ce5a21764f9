//! States that stand for events which are gone (A-GAP).

use rusqlite::{Connection, OptionalExtension};

use super::error::StorageError;
use super::position::{MAX_SEQ, position, seq_of};
use crate::core::id::EventId;
use crate::core::session::Session;
use crate::core::snapshot::Snapshot;

/// The state after the event with this `seq`.
#[derive(Debug)]
pub(crate) struct StoredSnapshot {
    pub(crate) seq: u64,
    pub(crate) snapshot: Snapshot,
}

/// Keeps a state, unless there is one already; `event` is the last one in it, and
/// absent before the first.
pub(crate) fn save(
    connection: &Connection,
    session: i64,
    seq: u64,
    event: Option<&EventId>,
    state: &Session,
) -> Result<(), StorageError> {
    connection
        .prepare_cached(
            "INSERT OR IGNORE INTO snapshots (position, at, event, state) VALUES (?1, ?2, ?3, ?4)",
        )?
        .execute((
            position(session, seq),
            state.head.updated_at.milliseconds(),
            event.map(EventId::as_str),
            serde_json::to_vec(&Snapshot::of(state))?,
        ))?;
    Ok(())
}

/// The identifier of an event that is gone, where a state right after it is kept.
pub(crate) fn event_at(
    connection: &Connection,
    session: i64,
    seq: u64,
) -> Result<Option<EventId>, StorageError> {
    let mut query = connection.prepare_cached("SELECT event FROM snapshots WHERE position = ?1")?;
    let found: Option<Option<String>> = query
        .query_row([position(session, seq)], |row| row.get(0))
        .optional()?;
    Ok(found.flatten().as_deref().and_then(EventId::parse))
}

/// Whether there is a state right after the event with this `seq`.
pub(crate) fn contains(connection: &Connection, session: i64, seq: u64) -> Result<bool, StorageError> {
    Ok(connection
        .prepare_cached("SELECT 1 FROM snapshots WHERE position = ?1")?
        .exists([position(session, seq)])?)
}

/// Drops the states before a `seq`.
pub(crate) fn remove_before(connection: &Connection, session: i64, seq: u64) -> Result<(), StorageError> {
    connection
        .prepare_cached("DELETE FROM snapshots WHERE position >= ?1 AND position < ?2")?
        .execute((position(session, 0), position(session, seq)))?;
    Ok(())
}

/// Drops the states that no event follows any more: nothing is folded over them.
pub(crate) fn remove_unused(connection: &Connection, session: i64) -> Result<(), StorageError> {
    connection
        .prepare_cached(
            "DELETE FROM snapshots WHERE position >= ?1 AND position <= ?2
             AND position + 1 IN (SELECT position FROM erased WHERE position > ?1 AND position <= ?2)",
        )?
        .execute((position(session, 0), position(session, MAX_SEQ)))?;
    Ok(())
}

/// The latest state at or below a `seq`.
pub(crate) fn latest(
    connection: &Connection,
    session: i64,
    seq: u64,
) -> Result<Option<StoredSnapshot>, StorageError> {
    let mut query = connection.prepare_cached(
        "SELECT position, state FROM snapshots WHERE position >= ?1 AND position <= ?2 ORDER BY position DESC LIMIT 1",
    )?;
    let found: Option<(i64, Vec<u8>)> = query
        .query_row((position(session, 0), position(session, seq)), |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .optional()?;
    found
        .map(|(position, state)| {
            Ok(StoredSnapshot {
                seq: seq_of(position),
                snapshot: serde_json::from_slice(&state)?,
            })
        })
        .transpose()
}
