//! States that stand for events which are gone (A-GAP).

use rusqlite::{Connection, OptionalExtension};

use super::error::StorageError;
use super::position::{position, seq_of};
use crate::core::moment::Moment;
use crate::core::snapshot::Snapshot;

/// The state after the event with this `seq`.
#[derive(Debug)]
pub(crate) struct StoredSnapshot {
    pub(crate) seq: u64,
    pub(crate) snapshot: Snapshot,
}

/// Keeps a state; `at` is when its last event was written.
pub(crate) fn save(
    connection: &Connection,
    session: i64,
    seq: u64,
    at: Moment,
    snapshot: &Snapshot,
) -> Result<(), StorageError> {
    connection
        .prepare_cached("INSERT OR REPLACE INTO snapshots (position, at, state) VALUES (?1, ?2, ?3)")?
        .execute((
            position(session, seq),
            at.milliseconds(),
            serde_json::to_vec(snapshot)?,
        ))?;
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
