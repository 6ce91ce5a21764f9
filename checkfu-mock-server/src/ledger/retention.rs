//! Taking events out of a log (A-GAP): its beginning, or single ones. The state stays what the whole log made it, and
//! the end of the log never goes back.

use std::collections::BTreeSet;

use rusqlite::Connection;

use super::folds::{Folds, fold_on, fold_to};
use super::handle::LogEnd;
use crate::core::session::Session;
use crate::storage::error::StorageError;
use crate::storage::{erased, events, sessions, snapshots};

/// A log whose beginning was trimmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Trimmed {
    /// How many events went.
    pub(crate) removed: usize,
    /// Where the log begins and ends now. It begins past its end when nothing is left.
    pub(crate) end: LogEnd,
}

/// A log that single events were taken out of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Erased {
    /// Which events went, ascending; what was not retained is not among them.
    pub(crate) seqs: Vec<u64>,
    /// Where the log begins and ends; an erased event is a hole and moves neither.
    pub(crate) end: LogEnd,
}

/// Removes the events before a `seq`, up to all of them.
pub(super) fn trim(
    connection: &Connection,
    folds: &mut Folds,
    row: i64,
    before_seq: u64,
) -> Result<Trimmed, StorageError> {
    let head = &folds.load(connection, row)?.head;
    let before_seq = before_seq.min(head.last_seq.saturating_add(1));
    if before_seq <= head.first_seq {
        let end = head.into();
        return Ok(Trimmed { removed: 0, end });
    }
    // Where the first event to stay is a hole, the state is kept behind the hole already.
    if !erased::contains(connection, row, before_seq)? {
        let state = fold_to(connection, row, before_seq - 1)?;
        keep(connection, row, before_seq - 1, &state)?;
    }
    let removed = events::remove_before(connection, row, before_seq)?;
    erased::remove_before(connection, row, before_seq)?;
    snapshots::remove_before(connection, row, before_seq - 1)?;
    let session = folds.load(connection, row)?;
    session.head.first_seq = before_seq;
    sessions::update(connection, row, session)?;
    let end = (&session.head).into();
    Ok(Trimmed { removed, end })
}

/// Removes single events wherever they are.
pub(super) fn erase(
    connection: &Connection,
    folds: &mut Folds,
    row: i64,
    seqs: &BTreeSet<u64>,
) -> Result<Erased, StorageError> {
    let mut going = BTreeSet::new();
    for seq in seqs {
        if events::is_retained(connection, row, *seq)? {
            going.insert(*seq);
        }
    }
    let mut state: Option<Session> = None;
    for seq in &going {
        let next = seq + 1;
        // Over a longer hole one state is enough, at its end.
        if going.contains(&next) || erased::contains(connection, row, next)? {
            continue;
        }
        let state = match &mut state {
            Some(state) => {
                fold_on(connection, row, state, *seq)?;
                state
            }
            None => state.insert(fold_to(connection, row, *seq)?),
        };
        keep(connection, row, *seq, state)?;
    }
    for seq in &going {
        events::remove(connection, row, *seq)?;
        erased::add(connection, row, *seq)?;
    }
    snapshots::remove_unused(connection, row)?;
    let head = &folds.load(connection, row)?.head;
    Ok(Erased {
        seqs: going.into_iter().collect(),
        end: head.into(),
    })
}

/// Keeps the state right after an event, unless it is kept already.
fn keep(connection: &Connection, row: i64, seq: u64, state: &Session) -> Result<(), StorageError> {
    if snapshots::contains(connection, row, seq)? {
        return Ok(());
    }
    let event = events::at(connection, row, seq)?
        .map(|event| event.id())
        .transpose()?;
    snapshots::save(connection, row, seq, event.as_ref(), state)
}

#[cfg(test)]
mod tests;
