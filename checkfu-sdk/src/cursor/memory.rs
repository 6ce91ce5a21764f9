use std::collections::HashMap;
use std::convert::Infallible;
use std::sync::Arc;

use tokio::sync::{Mutex, OwnedMutexGuard};

use super::key::{Cursor, CursorKey};
use super::store::{Advance, CursorStore};
use crate::model::Seq;

type Cursors = HashMap<CursorKey, Cursor>;

/// Cursors in memory, for tests and for consumers that build everything anew when they start.
///
/// A clone shares the cursors. One transaction runs at a time.
#[derive(Debug, Clone, Default)]
pub struct MemoryCursorStore {
    cursors: Arc<Mutex<Cursors>>,
}

/// A transaction of a [`MemoryCursorStore`]. Dropping it undoes what it wrote.
#[derive(Debug)]
pub struct MemoryTransaction {
    cursors: OwnedMutexGuard<Cursors>,
    /// `None` removes the cursor.
    written: Vec<(CursorKey, Option<Cursor>)>,
}

impl MemoryCursorStore {
    /// A store without cursors.
    pub fn new() -> Self {
        Self::default()
    }

    /// The committed cursor of `key`.
    ///
    /// # Cancel safety
    ///
    /// It may be dropped at any time.
    pub async fn cursor(&self, key: &CursorKey) -> Cursor {
        self.cursors.lock().await.get(key).cloned().unwrap_or_default()
    }
}

impl MemoryTransaction {
    fn find(&self, key: &CursorKey) -> Option<&Cursor> {
        match self.written.iter().rev().find(|(written, _)| written == key) {
            Some((_, cursor)) => cursor.as_ref(),
            None => self.cursors.get(key),
        }
    }
}

impl CursorStore for MemoryCursorStore {
    type Transaction = MemoryTransaction;
    type Error = Infallible;

    async fn begin(&self) -> Result<MemoryTransaction, Infallible> {
        Ok(MemoryTransaction {
            cursors: Arc::clone(&self.cursors).lock_owned().await,
            written: Vec::new(),
        })
    }

    async fn lock(&self, transaction: &mut MemoryTransaction, key: &CursorKey) -> Result<Cursor, Infallible> {
        Ok(transaction.find(key).cloned().unwrap_or_default())
    }

    async fn advance(
        &self,
        transaction: &mut MemoryTransaction,
        key: &CursorKey,
        from: Option<Seq>,
        to: &Cursor,
    ) -> Result<Advance, Infallible> {
        let stands_at = transaction.find(key).and_then(Cursor::seq);
        if stands_at.unwrap_or_default() != from.unwrap_or_default() {
            return Ok(Advance::Superseded);
        }
        transaction.written.push((key.clone(), Some(to.clone())));
        Ok(Advance::Moved)
    }

    async fn forget(&self, transaction: &mut MemoryTransaction, key: &CursorKey) -> Result<bool, Infallible> {
        let known = transaction.find(key).is_some();
        transaction.written.push((key.clone(), None));
        Ok(known)
    }

    async fn commit(&self, mut transaction: MemoryTransaction) -> Result<(), Infallible> {
        for (key, cursor) in std::mem::take(&mut transaction.written) {
            match cursor {
                Some(cursor) => transaction.cursors.insert(key, cursor),
                None => transaction.cursors.remove(&key),
            };
        }
        Ok(())
    }
}
