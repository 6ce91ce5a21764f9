use std::fmt;
use std::sync::Arc;

use super::batch::commit;
use super::error::FollowError;
use super::progress::Progress;
use crate::cursor::{Cursor, CursorStore};
use crate::model::{Event, Seq};

/// One event and the open transaction to apply it in.
///
/// The cursor is locked: no other follower of the same consumer and Session applies anything meanwhile. Dropping
/// a delivery rolls its transaction back, and the event is delivered again (`FOL-3`).
#[must_use = "dropping a delivery rolls its transaction back; the event is delivered again"]
pub struct Delivery<'f, S: CursorStore> {
    progress: &'f mut Progress<S>,
    transaction: S::Transaction,
    event: Arc<Event>,
    before: Cursor,
}

impl<'f, S: CursorStore> Delivery<'f, S> {
    pub(super) fn new(
        progress: &'f mut Progress<S>,
        transaction: S::Transaction,
        event: Arc<Event>,
        before: Cursor,
    ) -> Self {
        Self {
            progress,
            transaction,
            event,
            before,
        }
    }

    /// The event.
    pub fn event(&self) -> &Event {
        &self.event
    }

    /// The transaction to write the event's effect in. It can be borrowed but not taken, so nothing commits past
    /// the cursor.
    pub fn transaction(&mut self) -> &mut S::Transaction {
        &mut self.transaction
    }

    /// The event and the transaction at once.
    pub fn parts(&mut self) -> (&Event, &mut S::Transaction) {
        (&self.event, &mut self.transaction)
    }

    /// Moves the cursor to the event and commits it together with the effect (`FOL-1`).
    ///
    /// # Errors
    ///
    /// [`FollowError::Store`] with the database's error, unchanged; nothing was applied, unless the error is the
    /// commit's own and it committed all the same. The next delivery finds out.
    ///
    /// # Cancel safety
    ///
    /// Dropped, it may have committed or not. The next call of [`Follower::next`](super::Follower::next) reads
    /// the cursor again and finds out; the effect is never applied twice.
    pub async fn commit(self) -> Result<Seq, FollowError<S::Error>> {
        let Self {
            progress,
            transaction,
            event,
            before,
        } = self;
        commit(progress, transaction, &[event], before).await
    }
}

impl<S: CursorStore> fmt::Debug for Delivery<'_, S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Delivery")
            .field("event", &self.event)
            .finish_non_exhaustive()
    }
}
