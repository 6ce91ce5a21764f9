//! The table of events.

use std::borrow::Cow;

use bytes::Bytes;
use rusqlite::{Connection, OptionalExtension};
use serde::Deserialize;
use serde::de::Error;
use serde_json::value::RawValue;

use super::error::StorageError;
use super::position::{MAX_SEQ, child_key, position, seq_of};
use crate::core::event::{Event, EventData};
use crate::core::id::{EventId, RunId, SessionId, ThreadId};
use crate::core::moment::Moment;
use crate::mutant::{self, Mutant};

/// A stored envelope as it goes on the wire.
#[derive(Debug, Clone)]
pub(crate) struct StoredEvent {
    pub(crate) seq: u64,
    pub(crate) type_name: Box<str>,
    pub(crate) envelope: Bytes,
}

/// Which events of a Session a reader sees (A-VIEW). The primary thread's history is the Session's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum View {
    /// Everything but what is local to a child.
    Session,
    /// Everything of the child at this place among the threads.
    Child(usize),
}

/// What a reader asks for.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Range {
    pub(crate) view: View,
    /// Events right after this `seq`,
    pub(crate) after: u64,
    /// up to this one,
    pub(crate) up_to: u64,
    /// at most so many,
    pub(crate) limit: usize,
    /// and no more once so many bytes are full; at least one if there is one.
    pub(crate) max_bytes: usize,
}

/// Appends one event and returns its JSON; `child` is the place of the child that it belongs to.
pub(crate) fn append(
    connection: &Connection,
    session: i64,
    event: &Event,
    child: Option<usize>,
) -> Result<Bytes, StorageError> {
    let envelope = serde_json::to_vec(event)?;
    if mutant::active(Mutant::InterruptUnlogged) && matches!(event.data, EventData::UserInterrupt(_)) {
        return Ok(envelope.into());
    }
    let shared = if mutant::active(Mutant::SessionShowsChildren) {
        true
    } else {
        event.data.is_shared() && !mutant::active(Mutant::SessionHidesChildren)
    };
    connection
        .prepare_cached(
            "INSERT INTO events (position, at, type, child, local, envelope) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?
        .execute((
            position(session, event.seq),
            event.created_at.milliseconds(),
            event.data.type_name(),
            child.map(|place| child_key(session, place)),
            child.is_some() && !shared,
            &envelope,
        ))?;
    Ok(envelope.into())
}

/// Events of a view, read in one snapshot.
#[derive(Debug)]
pub(crate) struct Page {
    pub(crate) events: Vec<StoredEvent>,
    /// The view has more in the range.
    pub(crate) more: bool,
    /// The oldest event of the Session that was retained when the page was read.
    pub(crate) first_seq: u64,
}

/// Reads a page. It ends before an event that is damaged, and one that would begin with it is an error: what can be read
/// is read, and nothing else is ever passed on.
pub(crate) fn page(connection: &Connection, session: i64, range: Range) -> Result<Page, StorageError> {
    let first_seq: i64 = connection
        .prepare_cached("SELECT first_seq FROM sessions WHERE row = ?1")?
        .query_row([session], |row| row.get(0))?;
    let mut page = Page {
        events: Vec::new(),
        more: false,
        first_seq: first_seq.cast_unsigned(),
    };
    let bounds = (position(session, range.after), position(session, range.up_to));
    let mut query = connection.prepare_cached(match range.view {
        View::Session => {
            "SELECT position, type, envelope FROM events
             WHERE position > ?1 AND position <= ?2 AND local = 0 ORDER BY position"
        }
        View::Child(_) => {
            "SELECT position, type, envelope FROM events
             WHERE position > ?1 AND position <= ?2 AND child = ?3 ORDER BY position"
        }
    })?;
    let mut rows = match range.view {
        View::Session => query.query(bounds)?,
        View::Child(place) => query.query((bounds.0, bounds.1, child_key(session, place)))?,
    };
    let mut size = 0;
    while let Some(row) = rows.next()? {
        if page.events.len() >= range.limit || size >= range.max_bytes {
            page.more = true;
            break;
        }
        let envelope = mutant::shown(row.get::<_, Vec<u8>>(2)?.into());
        size += envelope.len();
        let event = StoredEvent {
            seq: seq_of(row.get(0)?),
            type_name: row.get(1)?,
            envelope,
        };
        match event.check() {
            Ok(()) => page.events.push(event),
            Err(error) if page.events.is_empty() => return Err(error),
            Err(error) => {
                tracing::error!(%error, "read");
                page.more = true;
                break;
            }
        }
    }
    Ok(page)
}

/// One event, if it is retained.
pub(crate) fn at(
    connection: &Connection,
    session: i64,
    seq: u64,
) -> Result<Option<StoredEvent>, StorageError> {
    let mut query = connection.prepare_cached("SELECT type, envelope FROM events WHERE position = ?1")?;
    let found: Option<(Box<str>, Vec<u8>)> = query
        .query_row([position(session, seq)], |row| Ok((row.get(0)?, row.get(1)?)))
        .optional()?;
    found
        .map(|(type_name, envelope)| {
            let event = StoredEvent {
                seq,
                type_name,
                envelope: envelope.into(),
            };
            event.check().map(|()| event)
        })
        .transpose()
}

/// The `seq` of a retained event by its identifier.
pub(crate) fn find(connection: &Connection, session: i64, id: &EventId) -> Result<Option<u64>, StorageError> {
    // Most envelopes do not have the text anywhere; only those that do are decoded.
    let mut query = connection.prepare_cached(
        "SELECT position, envelope FROM events
         WHERE position > ?1 AND position <= ?2 AND instr(envelope, ?3) > 0 ORDER BY position",
    )?;
    let bounds = (position(session, 0), position(session, MAX_SEQ));
    let mut rows = query.query((bounds.0, bounds.1, id.as_str().as_bytes()))?;
    while let Some(row) = rows.next()? {
        let identity: Identity =
            serde_json::from_slice(row.get_ref(1)?.as_blob().map_err(rusqlite::Error::from)?)?;
        if identity.id == *id {
            return Ok(Some(seq_of(row.get(0)?)));
        }
    }
    Ok(None)
}

/// Whether an event is still there.
pub(crate) fn is_retained(connection: &Connection, session: i64, seq: u64) -> Result<bool, StorageError> {
    if seq == 0 || seq > MAX_SEQ {
        return Ok(false);
    }
    Ok(connection
        .prepare_cached("SELECT 1 FROM events WHERE position = ?1")?
        .exists([position(session, seq)])?)
}

/// Removes the events before a `seq`; gives how many there were.
pub(crate) fn remove_before(connection: &Connection, session: i64, seq: u64) -> Result<usize, StorageError> {
    Ok(connection
        .prepare_cached("DELETE FROM events WHERE position > ?1 AND position < ?2")?
        .execute((position(session, 0), position(session, seq)))?)
}

/// Removes one event.
pub(crate) fn remove(connection: &Connection, session: i64, seq: u64) -> Result<(), StorageError> {
    connection
        .prepare_cached("DELETE FROM events WHERE position = ?1")?
        .execute([position(session, seq)])?;
    Ok(())
}

#[derive(Deserialize)]
struct Identity {
    id: EventId,
}

/// What an envelope must say of itself: every member, each of its form, and no other.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Anchor<'a> {
    #[serde(rename = "id")]
    _id: EventId,
    seq: u64,
    #[serde(rename = "session_id")]
    _session_id: SessionId,
    #[serde(rename = "session_thread_id")]
    _session_thread_id: Option<ThreadId>,
    #[serde(rename = "run_id")]
    _run_id: Option<RunId>,
    #[serde(rename = "created_at")]
    _created_at: Moment,
    #[serde(borrow)]
    r#type: Cow<'a, str>,
    #[serde(borrow, rename = "payload")]
    _payload: &'a RawValue,
}

impl StoredEvent {
    /// The identifier that the envelope has.
    pub(crate) fn id(&self) -> Result<EventId, StorageError> {
        Ok(serde_json::from_slice::<Identity>(&self.envelope)?.id)
    }

    /// That the envelope is one line of JSON and the event that its row says.
    fn check(&self) -> Result<(), StorageError> {
        let damaged = |problem: &dyn std::fmt::Display| {
            serde_json::Error::custom(format!("event {}: {problem}", self.seq))
        };
        let text = std::str::from_utf8(&self.envelope).map_err(|error| damaged(&error))?;
        let anchor: Anchor<'_> = serde_json::from_str(text).map_err(|error| damaged(&error))?;
        let whole = anchor.seq == self.seq
            && anchor.r#type == *self.type_name
            && !self.envelope.iter().any(|byte| matches!(byte, b'\n' | b'\r'));
        if whole {
            return Ok(());
        }
        Err(damaged(&"not what its row says").into())
    }
}

/// Calls `take` with every retained event of a Session after a `seq` and up to another, in order.
pub(crate) fn replay(
    connection: &Connection,
    session: i64,
    after: u64,
    up_to: u64,
    mut take: impl FnMut(&Event),
) -> Result<(), StorageError> {
    let mut query = connection.prepare_cached(
        "SELECT envelope FROM events WHERE position > ?1 AND position <= ?2 ORDER BY position",
    )?;
    let mut rows = query.query((position(session, after), position(session, up_to)))?;
    while let Some(row) = rows.next()? {
        take(&serde_json::from_slice(
            row.get_ref(0)?.as_blob().map_err(rusqlite::Error::from)?,
        )?);
    }
    Ok(())
}
