//! Which single events were taken out of the log (A-GAP). Their numbers stay holes.

use rusqlite::Connection;

use super::error::StorageError;
use super::position::{position, seq_of};

/// Remembers that an event is gone.
pub(crate) fn add(connection: &Connection, session: i64, seq: u64) -> Result<(), StorageError> {
    connection
        .prepare_cached("INSERT OR IGNORE INTO erased (position) VALUES (?1)")?
        .execute([position(session, seq)])?;
    Ok(())
}

/// Whether the event with this `seq` was taken out.
pub(crate) fn contains(connection: &Connection, session: i64, seq: u64) -> Result<bool, StorageError> {
    Ok(connection
        .prepare_cached("SELECT 1 FROM erased WHERE position = ?1")?
        .exists([position(session, seq)])?)
}

/// What was taken out after one `seq` and up to another, ascending.
pub(crate) fn list(
    connection: &Connection,
    session: i64,
    after: u64,
    up_to: u64,
) -> Result<Vec<u64>, StorageError> {
    let mut query = connection.prepare_cached(
        "SELECT position FROM erased WHERE position > ?1 AND position <= ?2 ORDER BY position",
    )?;
    let rows = query.query_map((position(session, after), position(session, up_to)), |row| {
        Ok(seq_of(row.get(0)?))
    })?;
    Ok(rows.collect::<Result<_, _>>()?)
}

/// Forgets what lies before a `seq`: it is trimmed now.
pub(crate) fn remove_before(connection: &Connection, session: i64, seq: u64) -> Result<(), StorageError> {
    connection
        .prepare_cached("DELETE FROM erased WHERE position > ?1 AND position < ?2")?
        .execute((position(session, 0), position(session, seq)))?;
    Ok(())
}
