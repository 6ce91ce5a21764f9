use std::error::Error;
use std::future::Future;
use std::sync::Arc;

use super::key::{Cursor, CursorKey};
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

/// Where followers keep their cursors: in the same database as the effects of the events, and in the same
/// transaction (`FOL-1`).
///
/// A transaction is owned, as `sqlx::Pool::begin` gives it. Dropping one rolls it back.
///
/// A store must keep two rules. [`lock`](Self::lock) holds the key until the transaction ends, so that two
/// followers never read the same cursor and both apply an event; every follower of a key goes through it
/// (`FOL-2`). And what [`advance`](Self::advance) wrote is gone if the transaction does not commit (`FOL-3`).
pub trait CursorStore: Send + Sync {
    /// A transaction of the caller's database.
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

    /// Locks the cursor of `key` until the transaction ends, whether or not it exists, and reads it.
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

    /// Moves the cursor of `key`, which stood at `from`, to `to`.
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

    fn commit(&self, transaction: Self::Transaction) -> impl Future<Output = Result<(), Self::Error>> + Send {
        S::commit(self, transaction)
    }
}
