use std::fmt::Debug;
use std::future::Future;
use std::sync::Mutex;

use super::failure::SuiteFailure;
use crate::cursor::{Advance, Cursor, CursorKey, CursorStore, Position};
use crate::model::Seq;

/// The store that is looked at, and the keys that were used on it.
pub(super) struct Subject<'s, S> {
    pub(super) store: &'s S,
    session: String,
    used: Mutex<Vec<CursorKey>>,
}

impl<'s, S: CursorStore> Subject<'s, S> {
    pub(super) fn new(store: &'s S, session: String) -> Self {
        Self {
            store,
            session,
            used: Mutex::default(),
        }
    }

    /// The key of a consumer on the suite's Session.
    pub(super) fn key(&self, consumer: &str) -> CursorKey {
        self.used(CursorKey::session(consumer, self.session.as_str()))
    }

    /// Remembers a key, so that its cursor is removed in the end.
    pub(super) fn used(&self, key: CursorKey) -> CursorKey {
        if let Ok(mut used) = self.used.lock() {
            used.push(key.clone());
        }
        key
    }

    /// What must succeed for the rule to hold.
    pub(super) async fn may<T>(
        &self,
        work: impl Future<Output = Result<T, S::Error>> + Send,
        rule: &'static str,
    ) -> Result<T, SuiteFailure<S::Error>> {
        work.await.map_err(|source| SuiteFailure::Store { rule, source })
    }

    /// Reads a cursor in a transaction of its own.
    pub(super) async fn read(&self, key: &CursorKey) -> Result<Cursor, S::Error> {
        let mut transaction = self.store.begin().await?;
        let cursor = self.store.lock(&mut transaction, key).await?;
        self.store.commit(transaction).await?;
        Ok(cursor)
    }

    /// Locks the cursor and moves it in a transaction of its own.
    pub(super) async fn step(&self, key: &CursorKey, to: &Cursor) -> Result<Advance, S::Error> {
        let mut transaction = self.store.begin().await?;
        let before = self.store.lock(&mut transaction, key).await?;
        let advance = self
            .store
            .advance(&mut transaction, key, before.seq(), to)
            .await?;
        self.store.commit(transaction).await?;
        Ok(advance)
    }

    /// Moves the cursor, which must succeed.
    pub(super) async fn put(
        &self,
        key: &CursorKey,
        to: &Cursor,
        rule: &'static str,
    ) -> Result<(), SuiteFailure<S::Error>> {
        let advance = self.may(self.step(key, to), rule).await?;
        same(rule, &advance, &Advance::Moved)
    }

    pub(super) async fn clean_up(&self) -> Result<(), SuiteFailure<S::Error>> {
        let used = self.used.lock().map(|used| used.clone()).unwrap_or_default();
        let clean = async {
            let mut transaction = self.store.begin().await?;
            for key in &used {
                self.store.forget(&mut transaction, key).await?;
            }
            self.store.commit(transaction).await
        };
        self.may(clean, "cursors are removed").await
    }
}

/// A cursor at `seq`, with an event.
pub(super) fn at(seq: u32) -> Cursor {
    let position = Position::new(Seq::from(seq), Some(format!("evt_{seq}").into()));
    Cursor::new(Some(position), None)
}

/// Breaks the rule unless the two are the same.
pub(super) fn same<T: PartialEq + Debug, E: std::error::Error>(
    rule: &'static str,
    found: &T,
    expected: &T,
) -> Result<(), SuiteFailure<E>> {
    if found == expected {
        return Ok(());
    }
    Err(SuiteFailure::Broken {
        rule,
        found: format!("{found:?} and not {expected:?}"),
    })
}
