//! The Sessions' states as the writer sees them, folded from the log when first needed.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::sync::Arc;

use rusqlite::Connection;

use crate::core::moment::Moment;
use crate::core::session::Session;
use crate::core::touched::Touched;
use crate::storage::error::StorageError;
use crate::storage::position::MAX_SEQ;
use crate::storage::writer::Mirror;
use crate::storage::{events, sessions, snapshots};

/// How many states are kept before those that are at rest are folded anew when needed.
const CAPACITY: usize = 4096;

/// The writer's memory.
#[derive(Debug, Default)]
pub(crate) struct Folds {
    states: HashMap<i64, Session>,
    /// What the current job has looked at, and may have changed.
    touched: Vec<i64>,
    /// When expired idempotency records were last dropped.
    pub(crate) purged_at: Option<Moment>,
}

impl Folds {
    /// The state after everything in the log.
    pub(crate) fn load(&mut self, connection: &Connection, row: i64) -> Result<&mut Session, StorageError> {
        self.make_room();
        self.touched.push(row);
        match self.states.entry(row) {
            Entry::Occupied(known) => Ok(known.into_mut()),
            Entry::Vacant(vacant) => Ok(vacant.insert(fold(connection, row)?)),
        }
    }

    /// Takes the state of a Session that was just created.
    pub(crate) fn insert(&mut self, row: i64, session: Session) {
        self.touched.push(row);
        self.states.insert(row, session);
    }

    /// Drops one state; it is folded again when needed.
    pub(crate) fn evict(&mut self, row: i64) {
        self.states.remove(&row);
    }

    fn make_room(&mut self) {
        if self.states.len() >= CAPACITY {
            self.states.retain(|_, session| !session.unfinished.is_empty());
        }
    }
}

impl Mirror for Folds {
    fn begin(&mut self) {
        self.touched.clear();
    }

    fn undo(&mut self) {
        for row in self.touched.drain(..) {
            self.states.remove(&row);
        }
        self.purged_at = None;
    }

    fn forget(&mut self) {
        self.states.clear();
        self.purged_at = None;
    }
}

/// SES-1, SES-5: the state is the fold of the log over what was fixed at admission.
fn fold(connection: &Connection, row: i64) -> Result<Session, StorageError> {
    fold_to(connection, row, MAX_SEQ)
}

/// The state after the event with this `seq`, or after the last one below it. Where events are gone, it is the fold over
/// the snapshot that was taken when they went (A-GAP).
pub(crate) fn fold_to(connection: &Connection, row: i64, seq: u64) -> Result<Session, StorageError> {
    let stored = sessions::at(connection, row)?.ok_or(rusqlite::Error::QueryReturnedNoRows)?;
    let mut session = Session::admitted(Arc::new(stored.admission));
    if let Some(kept) = snapshots::latest(connection, row, seq)? {
        session = kept.snapshot.restore(session.admission);
    }
    session.head.first_seq = stored.head.first_seq;
    replay(connection, row, &mut session, seq)?;
    Ok(session)
}

/// Takes a state forward to the event with this `seq`.
pub(crate) fn fold_on(
    connection: &Connection,
    row: i64,
    session: &mut Session,
    seq: u64,
) -> Result<(), StorageError> {
    if let Some(kept) = snapshots::latest(connection, row, seq)?
        && kept.seq > session.head.last_seq
    {
        let first_seq = session.head.first_seq;
        *session = kept.snapshot.restore(Arc::clone(&session.admission));
        session.head.first_seq = first_seq;
    }
    replay(connection, row, session, seq)
}

fn replay(connection: &Connection, row: i64, session: &mut Session, seq: u64) -> Result<(), StorageError> {
    let mut touched = Touched::default();
    events::replay(connection, row, session.head.last_seq, seq, |event| {
        session.apply(event, &mut touched);
    })
}
