use std::fmt;
use std::sync::Arc;

use super::error::FollowError;
use super::progress::Progress;
use crate::cursor::{Advance, Cursor, CursorStore};
use crate::model::{Event, Seq};

/// Several events, one after the other in the log, and the one open transaction to apply them in.
///
/// The cursor is locked: no other follower of the same consumer and Session applies anything meanwhile. Dropping a batch
/// rolls its transaction back, and its events are delivered again (`FOL-3`).
#[must_use = "dropping a batch rolls its transaction back; its events are delivered again"]
pub struct Batch<'f, S: CursorStore> {
    progress: &'f mut Progress<S>,
    transaction: S::Transaction,
    /// Never empty.
    events: Vec<Arc<Event>>,
    before: Cursor,
}

impl<'f, S: CursorStore> Batch<'f, S> {
    pub(super) fn new(
        progress: &'f mut Progress<S>,
        transaction: S::Transaction,
        events: Vec<Arc<Event>>,
        before: Cursor,
    ) -> Self {
        Self {
            progress,
            transaction,
            events,
            before,
        }
    }

    /// The events in the order of the log, at least one.
    pub fn events(&self) -> &[Arc<Event>] {
        &self.events
    }

    /// The transaction to write the events' effects in. It can be borrowed but not taken, so nothing commits past the
    /// cursor.
    pub fn transaction(&mut self) -> &mut S::Transaction {
        &mut self.transaction
    }

    /// The events and the transaction at once.
    pub fn parts(&mut self) -> (&[Arc<Event>], &mut S::Transaction) {
        (&self.events, &mut self.transaction)
    }

    /// Moves the cursor to the last event and commits it together with the effects of all (`FOL-1`). Returns the place of
    /// the last event.
    ///
    /// # Errors
    ///
    /// [`FollowError::Store`] with the database's error, unchanged; nothing was applied, unless the error is the commit's
    /// own and it committed all the same. The next batch finds out.
    ///
    /// # Cancel safety
    ///
    /// Dropped, it may have committed or not, all events or none. The next call of
    /// [`Follower::next_batch`](super::Follower::next_batch) reads the cursor again and finds out; no effect is ever
    /// applied twice.
    pub async fn commit(self) -> Result<Seq, FollowError<S::Error>> {
        let Self {
            progress,
            transaction,
            events,
            before,
        } = self;
        commit(progress, transaction, &events, before).await
    }
}

/// Moves the cursor from `before` over `events`, which are the next ones, and commits.
pub(super) async fn commit<S: CursorStore>(
    progress: &mut Progress<S>,
    mut transaction: S::Transaction,
    events: &[Arc<Event>],
    before: Cursor,
) -> Result<Seq, FollowError<S::Error>> {
    let from = before.seq();
    let cursor = progress.cursor_after(events, before);
    let seq = cursor.seq().unwrap_or_default();
    let store = &progress.store;
    let advance = store
        .advance(&mut transaction, &progress.key, from, &cursor)
        .await;
    match advance.map_err(FollowError::Store)? {
        Advance::Moved => {}
        Advance::Superseded => return Err(FollowError::Superseded { seq }),
    }
    store.commit(transaction).await.map_err(FollowError::Store)?;
    progress.applied(events.len(), cursor);
    Ok(seq)
}

impl<S: CursorStore> fmt::Debug for Batch<'_, S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Batch")
            .field("events", &self.events)
            .finish_non_exhaustive()
    }
}
