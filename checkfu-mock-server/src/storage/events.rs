//! The table of events.

use std::borrow::Cow;

use bytes::Bytes;
use rusqlite::Connection;
use serde::Deserialize;
use serde::de::Error;

use super::error::StorageError;
use super::position::{MAX_SEQ, position, seq_of};
use crate::core::event::Event;

/// A stored envelope as it goes on the wire.
#[derive(Debug, Clone)]
pub(crate) struct StoredEvent {
    pub(crate) seq: u64,
    pub(crate) type_name: Box<str>,
    pub(crate) envelope: Bytes,
}

/// Appends one event and returns its JSON.
pub(crate) fn append(connection: &Connection, session: i64, event: &Event) -> Result<Bytes, StorageError> {
    let envelope = serde_json::to_vec(event)?;
    connection
        .prepare_cached("INSERT INTO events (position, at, type, envelope) VALUES (?1, ?2, ?3, ?4)")?
        .execute((
            position(session, event.seq),
            event.created_at.milliseconds(),
            event.data.type_name(),
            &envelope,
        ))?;
    Ok(envelope.into())
}

/// Events right after `after`, at most `limit`, and no more once `max_bytes` are full; at least one if there is one. A
/// page ends before an event that is damaged, and one that would begin with it is an error: what can be read is read,
/// and nothing else is ever passed on.
pub(crate) fn page(
    connection: &Connection,
    session: i64,
    after: u64,
    limit: usize,
    max_bytes: usize,
) -> Result<Vec<StoredEvent>, StorageError> {
    let mut query = connection.prepare_cached(
        "SELECT position, type, envelope FROM events WHERE position > ?1 AND position <= ?2 ORDER BY position LIMIT ?3",
    )?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let mut rows = query.query((position(session, after), position(session, MAX_SEQ), limit))?;
    let mut events = Vec::new();
    let mut size = 0;
    while size < max_bytes
        && let Some(row) = rows.next()?
    {
        let envelope = Bytes::from(row.get::<_, Vec<u8>>(2)?);
        size += envelope.len();
        let event = StoredEvent {
            seq: seq_of(row.get(0)?),
            type_name: row.get(1)?,
            envelope,
        };
        match event.check() {
            Ok(()) => events.push(event),
            Err(error) if events.is_empty() => return Err(error),
            Err(error) => {
                tracing::error!(%error, "read");
                break;
            }
        }
    }
    Ok(events)
}

/// What an envelope must say of itself.
#[derive(Deserialize)]
struct Anchor<'a> {
    seq: u64,
    #[serde(borrow)]
    r#type: Cow<'a, str>,
}

impl StoredEvent {
    /// That the envelope is one line of JSON and the event that its row says.
    fn check(&self) -> Result<(), StorageError> {
        let anchor: Anchor<'_> = serde_json::from_slice(&self.envelope)
            .map_err(|error| serde_json::Error::custom(format!("event {}: {error}", self.seq)))?;
        let whole = anchor.seq == self.seq
            && anchor.r#type == *self.type_name
            && !self.envelope.iter().any(|byte| matches!(byte, b'\n' | b'\r'));
        if whole {
            return Ok(());
        }
        Err(serde_json::Error::custom(format!("event {}: not what its row says", self.seq)).into())
    }
}

/// Calls `take` with every retained event of a Session in order.
pub(crate) fn replay(
    connection: &Connection,
    session: i64,
    mut take: impl FnMut(&Event),
) -> Result<(), StorageError> {
    let mut query = connection.prepare_cached(
        "SELECT envelope FROM events WHERE position > ?1 AND position <= ?2 ORDER BY position",
    )?;
    let mut rows = query.query((position(session, 0), position(session, MAX_SEQ)))?;
    while let Some(row) = rows.next()? {
        take(&serde_json::from_slice(
            row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?,
        )?);
    }
    Ok(())
}
