use std::error::Error;
use std::future::Future;
use std::sync::Arc;

use super::key::{Cursor, CursorKey, Position};
use crate::model::Seq;

/// What became of moving a cursor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use = "a cursor that was not moved must not be committed"]
pub enum Advance {
    /// The cursor stands at the new place.
    Moved,
    /// The cursor was not where it was read: nothing was written.
    Superseded,
}

impl Advance {
    /// What became of it, by the number of rows that its statement wrote.
    #[cfg(any(feature = "sqlx-postgres", feature = "sqlx-sqlite"))]
    pub(super) fn of_rows(rows: u64) -> Self {
        if rows == 1 { Self::Moved } else { Self::Superseded }
    }
}

/// Where followers keep their cursors: in the same database as the effects of the events, and in the same
/// transaction (`FOL-1`).
///
/// A store must keep two rules. The lock on a key belongs to one transaction at a time, so that two followers never read
/// the same cursor and both apply an event; every follower of the key takes it (`FOL-2`). And a transaction that is
/// dropped, at whatever point, leaves nothing of what was written in it and frees the lock (`FOL-3`).
pub trait CursorStore: Send + Sync {
    /// A transaction of the caller's database, owned, as `sqlx::Pool::begin` gives it.
    type Transaction: Send;
    /// The database's error. It reaches the caller unchanged (`FOL-4`).
    type Error: Error + Send + Sync + 'static;

    /// Makes sure that the store can be used. A follower calls it once, when it starts.
    ///
    /// # Errors
    ///
    /// The store's error, if its table is missing or of another version.
    ///
    /// # Cancel safety
    ///
    /// It may be dropped at any time.
    fn prepare(&self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        std::future::ready(Ok(()))
    }

    /// Begins a transaction.
    ///
    /// # Errors
    ///
    /// The database's error.
    ///
    /// # Cancel safety
    ///
    /// It may be dropped at any time: a transaction that nobody took is rolled back.
    fn begin(&self) -> impl Future<Output = Result<Self::Transaction, Self::Error>> + Send;

    /// Locks the cursor of `key`, whether or not there is one, until the transaction ends, and reads it.
    ///
    /// # Errors
    ///
    /// The database's error.
    ///
    /// # Cancel safety
    ///
    /// After it was dropped, the transaction must be dropped too.
    fn lock(
        &self,
        transaction: &mut Self::Transaction,
        key: &CursorKey,
    ) -> impl Future<Output = Result<Cursor, Self::Error>> + Send;

    /// Moves the cursor of `key`, which stood at `from`, to `to`: on to a later place, or back to an earlier one. `None`
    /// and [`Seq::ZERO`] are the same place, before the first event.
    ///
    /// # Errors
    ///
    /// The database's error.
    ///
    /// # Cancel safety
    ///
    /// After it was dropped, the transaction must be dropped too.
    fn advance(
        &self,
        transaction: &mut Self::Transaction,
        key: &CursorKey,
        from: Option<Seq>,
        to: &Cursor,
    ) -> impl Future<Output = Result<Advance, Self::Error>> + Send;

    /// Removes the cursor of `key`; says whether there was one. For a consumer that is no more: one that follows again
    /// begins a new projection (`FOL-8`).
    ///
    /// # Errors
    ///
    /// The database's error.
    ///
    /// # Cancel safety
    ///
    /// After it was dropped, the transaction must be dropped too.
    fn forget(
        &self,
        transaction: &mut Self::Transaction,
        key: &CursorKey,
    ) -> impl Future<Output = Result<bool, Self::Error>> + Send;

    /// Moves the cursor of `key` back to `to`, and gives what it then is; a cursor at or before `to` stays where it is.
    /// Undo the effects of the events after `to` in the same transaction.
    ///
    /// Which event stood at `to` is not known any more, so the next follow begins without looking whether the log is the
    /// one that was followed (`A-ANCHOR`). A follower that runs meanwhile stops at its next event with
    /// [`FollowError::Rewound`](crate::follow::FollowError::Rewound).
    ///
    /// ```
    /// use checkfu_sdk::Seq;
    /// use checkfu_sdk::cursor::{CursorKey, CursorStore};
    ///
    /// async fn again_from<S: CursorStore>(store: &S, key: &CursorKey, to: Seq) -> Result<(), S::Error> {
    ///     let mut transaction = store.begin().await?;
    ///     store.rewind(&mut transaction, key, to).await?;
    ///     // … and undo the effects of what comes after `to`, in this transaction.
    ///     store.commit(transaction).await
    /// }
    /// ```
    ///
    /// # Errors
    ///
    /// The database's error.
    ///
    /// # Cancel safety
    ///
    /// After it was dropped, the transaction must be dropped too.
    fn rewind(
        &self,
        transaction: &mut Self::Transaction,
        key: &CursorKey,
        to: Seq,
    ) -> impl Future<Output = Result<Cursor, Self::Error>> + Send {
        async move {
            let cursor = self.lock(transaction, key).await?;
            if cursor.seq() <= Some(to) {
                return Ok(cursor);
            }
            let settlement = cursor.settlement.clone();
            let position = Position::new(to, None);
            let back = Cursor::new(
                Some(position).filter(|_| to != Seq::ZERO),
                settlement.filter(|settlement| settlement.seq <= to),
            );
            match self.advance(transaction, key, cursor.seq(), &back).await? {
                Advance::Moved => Ok(back),
                Advance::Superseded => self.lock(transaction, key).await,
            }
        }
    }

    /// Moves the cursor of `key` back before the first event, and gives what it was. Empty the projection in the same
    /// transaction; the next follow builds it anew from what is retained of the log (`FOL-8`, `FOL-10`).
    ///
    /// # Errors
    ///
    /// The database's error.
    ///
    /// # Cancel safety
    ///
    /// After it was dropped, the transaction must be dropped too.
    fn rebuild(
        &self,
        transaction: &mut Self::Transaction,
        key: &CursorKey,
    ) -> impl Future<Output = Result<Cursor, Self::Error>> + Send {
        async move {
            let before = self.lock(transaction, key).await?;
            self.rewind(transaction, key, Seq::ZERO).await?;
            Ok(before)
        }
    }

    /// Commits the transaction.
    ///
    /// # Errors
    ///
    /// The database's error.
    ///
    /// # Cancel safety
    ///
    /// After it was dropped, the transaction may have been committed or not.
    fn commit(&self, transaction: Self::Transaction) -> impl Future<Output = Result<(), Self::Error>> + Send;
}

impl<S: CursorStore> CursorStore for Arc<S> {
    type Transaction = S::Transaction;
    type Error = S::Error;

    fn prepare(&self) -> impl Future<Output = Result<(), Self::Error>> + Send {
        S::prepare(self)
    }

    fn begin(&self) -> impl Future<Output = Result<Self::Transaction, Self::Error>> + Send {
        S::begin(self)
    }

    fn lock(
        &self,
        transaction: &mut Self::Transaction,
        key: &CursorKey,
    ) -> impl Future<Output = Result<Cursor, Self::Error>> + Send {
        S::lock(self, transaction, key)
    }

    fn advance(
        &self,
        transaction: &mut Self::Transaction,
        key: &CursorKey,
        from: Option<Seq>,
        to: &Cursor,
    ) -> impl Future<Output = Result<Advance, Self::Error>> + Send {
        S::advance(self, transaction, key, from, to)
    }

    fn forget(
        &self,
        transaction: &mut Self::Transaction,
        key: &CursorKey,
    ) -> impl Future<Output = Result<bool, Self::Error>> + Send {
        S::forget(self, transaction, key)
    }

    fn rewind(
        &self,
        transaction: &mut Self::Transaction,
        key: &CursorKey,
        to: Seq,
    ) -> impl Future<Output = Result<Cursor, Self::Error>> + Send {
        S::rewind(self, transaction, key, to)
    }

    fn rebuild(
        &self,
        transaction: &mut Self::Transaction,
        key: &CursorKey,
    ) -> impl Future<Output = Result<Cursor, Self::Error>> + Send {
        S::rebuild(self, transaction, key)
    }

    fn commit(&self, transaction: Self::Transaction) -> impl Future<Output = Result<(), Self::Error>> + Send {
        S::commit(self, transaction)
    }
}
