use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use checkfu_sdk::Seq;
use checkfu_sdk::cursor::{Advance, Cursor, CursorKey, CursorStore, MemoryCursorStore, Position};
use checkfu_sdk::testing::cursor_store_suite;
use tokio::sync::{OwnedMutexGuard, OwnedSemaphorePermit, Semaphore};

use crate::support::pg_projection::PgProjection;
use crate::support::projection::Projection;

/// FOL-1, FOL-2, FOL-3, FOL-8: the store in memory keeps every rule of a store.
#[tokio::test]
async fn memory_keeps_the_rules() {
    cursor_store_suite(&MemoryCursorStore::new()).await.unwrap();
}

/// A store in memory tells the cursor that was committed, to every clone of it, and no other's.
#[tokio::test]
async fn memory_tells_what_was_committed() {
    let store = MemoryCursorStore::new();
    let key = CursorKey::session("c", "sess_1");
    let cursor = Cursor::new(Some(Position::new(Seq::from(5), Some("evt_5".into()))), None);
    let mut transaction = store.begin().await.unwrap();
    let advance = store.advance(&mut transaction, &key, None, &cursor).await;
    assert_eq!(advance.unwrap(), Advance::Moved);
    store.commit(transaction).await.unwrap();
    let clone = store.clone();
    assert_eq!(clone.cursor(&key).await, cursor);
    assert_eq!(
        clone.cursor(&CursorKey::session("d", "sess_1")).await,
        Cursor::default()
    );
}

/// FOL-1, FOL-2, FOL-3, FOL-8: so does SQLite, with several connections and with one, and what the suite wrote is gone.
#[tokio::test]
async fn sqlite_keeps_the_rules() {
    let directory = tempfile::tempdir().unwrap();
    for connections in [4, 1] {
        let projection = Projection::open(&directory.path().join("p.db"), connections).await;
        cursor_store_suite(&projection.store).await.unwrap();
        let left = sqlx::query_scalar("SELECT count(*) FROM checkfu_cursors");
        let left: i64 = left.fetch_one(&projection.pool).await.unwrap();
        assert_eq!(left, 0);
    }
}

/// FOL-1, FOL-2, FOL-3, FOL-8: so does PostgreSQL, with several connections and with one.
#[tokio::test]
async fn postgres_keeps_the_rules() {
    for connections in [4, 1] {
        let Some(projection) = PgProjection::find(connections).await else {
            return;
        };
        cursor_store_suite(&projection.store).await.unwrap();
        let left = sqlx::query_scalar("SELECT count(*) FROM checkfu_cursors");
        let left: i64 = left.fetch_one(&projection.pool).await.unwrap();
        assert_eq!(left, 0);
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Flaw {
    None,
    NoLock,
    WritesAtOnce,
    IgnoresFrom,
    ForgetsTheEvent,
    IgnoresTheThread,
    NeverForgets,
    LosesDroppedBegins,
}

/// A store in memory that breaks one rule.
struct Flawed {
    flaw: Flaw,
    cursors: Arc<Mutex<HashMap<CursorKey, Cursor>>>,
    lock: Arc<tokio::sync::Mutex<()>>,
    connections: Arc<Semaphore>,
}

struct FlawedTransaction {
    _lock: Option<OwnedMutexGuard<()>>,
    _connection: Option<OwnedSemaphorePermit>,
    cursors: HashMap<CursorKey, Cursor>,
}

#[derive(Debug, thiserror::Error)]
#[error("no connection is left")]
struct NoConnection;

impl Flawed {
    fn key(&self, key: &CursorKey) -> CursorKey {
        let mut key = key.clone();
        if self.flaw == Flaw::IgnoresTheThread {
            key.session_thread_id = None;
        }
        key
    }
}

impl CursorStore for Flawed {
    type Transaction = FlawedTransaction;
    type Error = NoConnection;

    async fn begin(&self) -> Result<FlawedTransaction, NoConnection> {
        let lock = match self.flaw {
            Flaw::NoLock => None,
            _ => Some(Arc::clone(&self.lock).lock_owned().await),
        };
        let mut connection = None;
        if self.flaw == Flaw::LosesDroppedBegins {
            let permit = Arc::clone(&self.connections).try_acquire_owned();
            let number = permit.map_err(|_| NoConnection)?.forget_and_count();
            tokio::task::yield_now().await;
            self.connections.add_permits(number);
            connection = Arc::clone(&self.connections).try_acquire_owned().ok();
        }
        Ok(FlawedTransaction {
            _lock: lock,
            _connection: connection,
            cursors: self.cursors.lock().unwrap().clone(),
        })
    }

    async fn lock(
        &self,
        transaction: &mut FlawedTransaction,
        key: &CursorKey,
    ) -> Result<Cursor, NoConnection> {
        tokio::task::yield_now().await;
        Ok(transaction
            .cursors
            .get(&self.key(key))
            .cloned()
            .unwrap_or_default())
    }

    async fn advance(
        &self,
        transaction: &mut FlawedTransaction,
        key: &CursorKey,
        from: Option<Seq>,
        to: &Cursor,
    ) -> Result<Advance, NoConnection> {
        let key = self.key(key);
        let before = transaction.cursors.get(&key).and_then(Cursor::seq);
        if before != from && self.flaw != Flaw::IgnoresFrom {
            return Ok(Advance::Superseded);
        }
        let mut to = to.clone();
        if self.flaw == Flaw::ForgetsTheEvent {
            to.position = to.position.map(|position| Position::new(position.seq, None));
        }
        if self.flaw == Flaw::WritesAtOnce {
            self.cursors.lock().unwrap().insert(key.clone(), to.clone());
        }
        transaction.cursors.insert(key, to);
        Ok(Advance::Moved)
    }

    async fn forget(
        &self,
        transaction: &mut FlawedTransaction,
        key: &CursorKey,
    ) -> Result<bool, NoConnection> {
        if self.flaw == Flaw::NeverForgets {
            return Ok(transaction.cursors.contains_key(key));
        }
        Ok(transaction.cursors.remove(&self.key(key)).is_some())
    }

    async fn commit(&self, transaction: FlawedTransaction) -> Result<(), NoConnection> {
        *self.cursors.lock().unwrap() = transaction.cursors;
        Ok(())
    }
}

trait ForgetAndCount {
    fn forget_and_count(self) -> usize;
}

impl ForgetAndCount for OwnedSemaphorePermit {
    /// Takes the permit away for good, as a connection that is lost.
    fn forget_and_count(self) -> usize {
        let number = self.num_permits();
        self.forget();
        number
    }
}

/// FOL-2, FOL-3: the suite passes a store without a flaw, and names the rule that each flawed one breaks.
#[tokio::test]
async fn the_suite_tells_each_flaw() {
    for (flaw, rule) in [
        (Flaw::None, ""),
        (Flaw::NoLock, "the lock of a key keeps rivals out"),
        (Flaw::WritesAtOnce, "a transaction that is dropped leaves nothing"),
        (Flaw::IgnoresFrom, "a cursor moves only from where it was read"),
        (Flaw::ForgetsTheEvent, "a cursor comes back as it was kept"),
        (Flaw::IgnoresTheThread, "different keys do not touch"),
        (Flaw::NeverForgets, "a cursor can be removed"),
        (
            Flaw::LosesDroppedBegins,
            "a future may be dropped wherever it waits",
        ),
    ] {
        let store = Flawed {
            flaw,
            cursors: Arc::default(),
            lock: Arc::default(),
            connections: Arc::new(Semaphore::new(1)),
        };
        match cursor_store_suite(&store).await {
            Ok(()) => assert_eq!(flaw, Flaw::None, "the suite did not find it"),
            Err(failure) => {
                let failure = failure.to_string();
                assert!(
                    flaw != Flaw::None && failure.contains(rule),
                    "{flaw:?}: {failure}"
                );
            }
        }
    }
}
