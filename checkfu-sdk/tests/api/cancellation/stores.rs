use std::convert::Infallible;

use checkfu_sdk::Seq;
use checkfu_sdk::cursor::{Advance, Cursor, CursorKey, CursorStore, MemoryCursorStore, Position};

use super::Cuts;
use super::databases::{Database, OnPostgres, OnSqlite};
use crate::support::random::cancel_after;

fn at(seq: u32) -> Cursor {
    let event_id = format!("evt_{seq}").into();
    Cursor::new(Some(Position::new(Seq::from(seq), Some(event_id))), None)
}

/// A store and the place at which its one cursor must stand.
struct Subject<D: Database> {
    database: D,
    store: D::Store,
    key: CursorKey,
    place: u32,
}

impl<D: Database> Subject<D> {
    async fn open() -> Option<Self> {
        let database = D::open().await?;
        let mut subject = Self {
            store: database.store(),
            database,
            key: CursorKey::session("billing", "sess_1"),
            place: 0,
        };
        subject.step().await;
        Some(subject)
    }

    /// Moves the cursor on in a transaction of its own.
    async fn step(&mut self) {
        let mut transaction = self.store.begin().await.unwrap();
        let stored = self.store.lock(&mut transaction, &self.key).await.unwrap();
        let next = at(self.place + 1);
        let advance = self
            .store
            .advance(&mut transaction, &self.key, stored.seq(), &next);
        assert_eq!(advance.await.unwrap(), Advance::Moved);
        self.store.commit(transaction).await.unwrap();
        self.place += 1;
    }

    /// What was dropped holds nothing and changed nothing, and the store goes on.
    async fn goes_on(&mut self) {
        self.database.nothing_is_held().await;
        let found = self.database.cursor("billing").await;
        assert_eq!(found, Some(i64::from(self.place)));
        self.step().await;
    }
}

async fn transactions<D: Database>() {
    let Some(mut subject) = Subject::<D>::open().await else {
        return;
    };
    let store = subject.store.clone();
    let mut cuts = Cuts::of(&["CursorStore::prepare"]);
    while let Some(waits) = cuts.place() {
        cuts.cut(cancel_after(waits, store.prepare()).await);
        subject.goes_on().await;
    }
    cuts.waited();
    let mut cuts = Cuts::of(&["CursorStore::begin"]);
    while let Some(waits) = cuts.place() {
        let transaction = cuts.cut(cancel_after(waits, store.begin()).await);
        drop(transaction);
        subject.goes_on().await;
    }
    cuts.waited();
    let mut cuts = Cuts::of(&["CursorStore::commit"]);
    while let Some(waits) = cuts.place() {
        let mut transaction = store.begin().await.unwrap();
        let stored = store.lock(&mut transaction, &subject.key).await.unwrap();
        let next = at(subject.place + 1);
        let advance = store.advance(&mut transaction, &subject.key, stored.seq(), &next);
        assert_eq!(advance.await.unwrap(), Advance::Moved);
        let committed = cuts.cut(cancel_after(waits, store.commit(transaction)).await);
        subject.database.nothing_is_held().await;
        let found = subject.database.cursor("billing").await.unwrap();
        let places = [subject.place, subject.place + 1].map(i64::from);
        assert!(places.contains(&found), "{found} is none of {places:?}");
        subject.place = u32::try_from(found).unwrap();
        assert!(committed.is_none() || found == places[1]);
        subject.goes_on().await;
    }
    cuts.waited();
}

async fn statements<D: Database>() {
    let Some(mut subject) = Subject::<D>::open().await else {
        return;
    };
    let (store, key) = (subject.store.clone(), subject.key.clone());
    subject.step().await;
    let mut cuts = Cuts::of(&["CursorStore::lock"]);
    while let Some(waits) = cuts.place() {
        let mut transaction = store.begin().await.unwrap();
        let locked = cancel_after(waits, store.lock(&mut transaction, &key)).await;
        let locked = cuts.cut(locked);
        assert!(locked.is_none_or(|cursor| cursor.unwrap() == at(subject.place)));
        drop(transaction);
        subject.goes_on().await;
    }
    cuts.waited();
    let mut cuts = Cuts::of(&["CursorStore::lock"]);
    while let Some(waits) = cuts.place() {
        // A cursor that is not there yet.
        let new = CursorKey::session(format!("new {}", cuts.run()), "sess_1");
        let mut transaction = store.begin().await.unwrap();
        cuts.cut(cancel_after(waits, store.lock(&mut transaction, &new)).await);
        drop(transaction);
        subject.goes_on().await;
        assert_eq!(subject.database.cursor(&new.consumer).await, None);
    }
    cuts.waited();
    let mut cuts = Cuts::of(&["CursorStore::advance"]);
    while let Some(waits) = cuts.place() {
        let mut transaction = store.begin().await.unwrap();
        let stored = store.lock(&mut transaction, &key).await.unwrap();
        let next = at(subject.place + 1);
        let advance = store.advance(&mut transaction, &key, stored.seq(), &next);
        let advance = cuts.cut(cancel_after(waits, advance).await);
        assert!(advance.is_none_or(|advance| advance.unwrap() == Advance::Moved));
        drop(transaction);
        subject.goes_on().await;
    }
    cuts.waited();
    let mut cuts = Cuts::of(&["CursorStore::forget"]);
    while let Some(waits) = cuts.place() {
        let mut transaction = store.begin().await.unwrap();
        let forgotten = cancel_after(waits, store.forget(&mut transaction, &key)).await;
        cuts.cut(forgotten);
        drop(transaction);
        subject.goes_on().await;
    }
    cuts.waited();
    let mut cuts = Cuts::of(&["CursorStore::rewind"]).at_least(2);
    while let Some(waits) = cuts.place() {
        let mut transaction = store.begin().await.unwrap();
        let rewound = cancel_after(waits, store.rewind(&mut transaction, &key, Seq::from(1))).await;
        cuts.cut(rewound);
        drop(transaction);
        subject.goes_on().await;
    }
    cuts.waited();
    let mut cuts = Cuts::of(&["CursorStore::rebuild"]).at_least(2);
    while let Some(waits) = cuts.place() {
        let mut transaction = store.begin().await.unwrap();
        let rebuilt = cancel_after(waits, store.rebuild(&mut transaction, &key)).await;
        cuts.cut(rebuilt);
        drop(transaction);
        subject.goes_on().await;
    }
    cuts.waited();
}

/// FOL-1, FOL-3: on SQLite, a future of a store that is dropped wherever it waits leaves the cursor where it was, or moved
/// whole where it was the commit, and the pool's one connection free.
#[tokio::test]
async fn a_store_on_sqlite_may_be_dropped_everywhere() {
    transactions::<OnSqlite>().await;
    statements::<OnSqlite>().await;
}

/// FOL-1, FOL-3: so it is on PostgreSQL.
#[tokio::test]
async fn a_store_on_postgres_may_be_dropped_everywhere() {
    transactions::<OnPostgres>().await;
    statements::<OnPostgres>().await;
}

/// FOL-3: the store in memory waits for the one transaction that runs, and whoever gives up waiting is in nobody's way.
#[tokio::test]
async fn a_store_in_memory_may_be_dropped_everywhere() {
    let store = MemoryCursorStore::new();
    let key = CursorKey::session("billing", "sess_1");
    let held = store.begin().await.unwrap();
    let begun: Option<Result<_, Infallible>> = cancel_after(0, store.begin()).await;
    assert!(begun.is_none());
    drop(held);
    let mut cuts = Cuts::of(&["MemoryCursorStore::cursor"]);
    while let Some(waits) = cuts.place() {
        let held = store.begin().await.unwrap();
        let read = async {
            let mut read = std::pin::pin!(store.cursor(&key));
            assert!(
                futures::poll!(&mut read).is_pending(),
                "it waits for the transaction"
            );
            drop(held);
            tokio::task::yield_now().await;
            read.await
        };
        let read = cuts.cut(cancel_after(waits, read).await);
        assert!(read.is_none_or(|cursor| cursor == Cursor::default()));
        assert_eq!(store.cursor(&key).await, Cursor::default());
    }
    cuts.waited();
    let mut transaction = store.begin().await.unwrap();
    let advance = store.advance(&mut transaction, &key, None, &at(1)).await;
    assert_eq!(advance.unwrap(), Advance::Moved);
    store.commit(transaction).await.unwrap();
    assert_eq!(store.cursor(&key).await, at(1));
}
