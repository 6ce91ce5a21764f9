//! Idempotency records (A-IDEM). They commit with the effect that they stand for.

use rusqlite::{Connection, OptionalExtension};
use serde::de::Error;

use super::error::StorageError;
use super::json;
use crate::core::moment::Moment;

/// Which call a key belongs to: Workspace, method and path, and what was sent.
#[derive(Debug, Clone)]
pub(crate) struct RecordKey {
    pub(crate) scope: String,
    pub(crate) key: String,
    pub(crate) body_hash: [u8; 32],
}

/// A response that stands for every repetition of its call.
#[derive(Debug, Clone)]
pub(crate) struct Record {
    pub(crate) body_hash: Vec<u8>,
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
}

/// The record that is still alive.
pub(crate) fn find(
    connection: &Connection,
    key: &RecordKey,
    now: Moment,
) -> Result<Option<Record>, StorageError> {
    let mut query = connection.prepare_cached(
        "SELECT body_hash, status, body FROM idempotency WHERE scope = ?1 AND key = ?2 AND expires_at > ?3",
    )?;
    let record = query
        .query_row((&key.scope, &key.key, now.milliseconds()), |row| {
            Ok(Record {
                body_hash: row.get(0)?,
                status: row.get(1)?,
                body: row.get(2)?,
            })
        })
        .optional()?;
    if let Some(Record { status, body, .. }) = &record {
        json::check(body)?;
        // Nothing else was ever kept.
        if !(200..300).contains(status) {
            return Err(serde_json::Error::custom(format!("a stored response has status {status}")).into());
        }
    }
    Ok(record)
}

/// Keeps a response under its key, in place of one that has expired.
pub(crate) fn save(
    connection: &Connection,
    key: &RecordKey,
    status: u16,
    body: &[u8],
    expires_at: Moment,
) -> Result<(), StorageError> {
    connection
        .prepare_cached(
            "INSERT OR REPLACE INTO idempotency (scope, key, body_hash, status, body, expires_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute((
            &key.scope,
            &key.key,
            key.body_hash.as_slice(),
            status,
            body,
            expires_at.milliseconds(),
        ))?;
    Ok(())
}

/// Drops what has expired.
pub(crate) fn purge(connection: &Connection, now: Moment) -> Result<(), StorageError> {
    connection
        .prepare_cached("DELETE FROM idempotency WHERE expires_at <= ?1")?
        .execute([now.milliseconds()])?;
    Ok(())
}
