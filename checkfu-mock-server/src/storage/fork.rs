//! The copied prefix of a fork (FRK-2, A-FORK).

use rusqlite::Connection;
use serde::de::Error;

use super::error::StorageError;
use super::position::position;
use crate::core::id::SessionId;

/// Copies what a Session retains up to a `seq`: its events, changed in nothing but their `session_id` (A-ID), the states
/// that stand for events which are gone, and which ones were erased. What is a hole stays one.
pub(crate) fn copy(
    connection: &Connection,
    source: i64,
    target: i64,
    target_id: &SessionId,
    up_to: u64,
) -> Result<(), StorageError> {
    let (first, last) = (position(source, 0), position(source, up_to));
    let shift = position(target, 0) - first;
    // SQLite parses the envelope, so only the outermost member is replaced, and every other byte stays as it is.
    connection
        .prepare_cached(
            "INSERT INTO events (position, at, type, child, local, envelope)
             SELECT position + ?3, at, type, child + ?3, local,
                    CAST(json_set(CAST(envelope AS TEXT), '$.session_id', ?4) AS BLOB)
             FROM events WHERE position > ?1 AND position <= ?2 ORDER BY position",
        )?
        .execute((first, last, shift, target_id.as_str()))
        .map_err(damaged)?;
    connection
        .prepare_cached(
            "INSERT INTO snapshots (position, at, event, state)
             SELECT position + ?3, at, event, state FROM snapshots WHERE position >= ?1 AND position <= ?2",
        )?
        .execute((first, last, shift))?;
    connection
        .prepare_cached(
            "INSERT INTO erased (position) SELECT position + ?3 FROM erased WHERE position > ?1 AND position <= ?2",
        )?
        .execute((first, last, shift))?;
    Ok(())
}

/// What SQLite cannot parse was not written by this server.
fn damaged(error: rusqlite::Error) -> StorageError {
    match &error {
        rusqlite::Error::SqliteFailure(_, Some(message)) if message.contains("malformed JSON") => {
            serde_json::Error::custom(message).into()
        }
        _ => error.into(),
    }
}
