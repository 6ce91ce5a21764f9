//! The table of threads: a projection of the log.

use rusqlite::{Connection, OptionalExtension};

use super::error::StorageError;
use crate::core::thread::Thread;
use crate::mutant::{self, Mutant};

/// A thread and its place among the threads of its Session; 0 is the primary.
#[derive(Debug)]
pub(crate) struct StoredThread {
    pub(crate) place: usize,
    pub(crate) thread: Thread,
}

/// Writes a thread as it is now.
pub(crate) fn save(
    connection: &Connection,
    session: i64,
    place: usize,
    thread: &Thread,
) -> Result<(), StorageError> {
    connection
        .prepare_cached(
            "INSERT INTO threads (session, place, id, state) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (session, place) DO UPDATE SET state = excluded.state",
        )?
        .execute((
            session,
            place_column(place),
            thread.id.as_str(),
            serde_json::to_vec(thread)?,
        ))?;
    Ok(())
}

/// One thread of a Session (THR-3).
pub(crate) fn find(
    connection: &Connection,
    session: i64,
    id: &str,
) -> Result<Option<StoredThread>, StorageError> {
    let mut query = connection.prepare_cached(if mutant::active(Mutant::AnySessionsThread) {
        "SELECT place, state FROM threads WHERE ?1 > 0 AND id = ?2"
    } else {
        "SELECT place, state FROM threads WHERE session = ?1 AND id = ?2"
    })?;
    let found: Option<(i64, Vec<u8>)> = query
        .query_row((session, id), |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    found.map(decode).transpose()
}

/// Threads of a Session from a place on, primary first, then by spawn (THR-1).
pub(crate) fn list(
    connection: &Connection,
    session: i64,
    from: usize,
    limit: usize,
) -> Result<Vec<StoredThread>, StorageError> {
    let mut query = connection.prepare_cached(
        "SELECT place, state FROM threads WHERE session = ?1 AND place >= ?2 ORDER BY place LIMIT ?3",
    )?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = query.query_map((session, place_column(from), limit), |row| {
        Ok((row.get(0)?, row.get(1)?))
    })?;
    rows.map(|row| decode(row?)).collect()
}

fn decode((place, state): (i64, Vec<u8>)) -> Result<StoredThread, StorageError> {
    Ok(StoredThread {
        place: usize::try_from(place).unwrap_or_default(),
        thread: serde_json::from_slice(&state)?,
    })
}

fn place_column(place: usize) -> i64 {
    i64::try_from(place).unwrap_or(i64::MAX)
}
