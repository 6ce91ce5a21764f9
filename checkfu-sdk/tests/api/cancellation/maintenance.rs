use std::time::Duration;

use checkfu_sdk::cursor::{
    Cursor, CursorKey, CursorStore, MemoryCursorStore, PgCursorStore, Position, SqliteCursorStore,
    SqlxCursorError,
};
use checkfu_sdk::settlement::{Outcome, Settlement};
use checkfu_sdk::testing::cursor_store_suite;
use checkfu_sdk::{Event, Seq};
use jiff::Timestamp;

use super::Cuts;
use super::databases::{Database, OnPostgres, OnSqlite};
use crate::support::random::cancel_after;

/// FOL-1: the tables are made by one transaction, so a migration that is dropped made both or none, and the next one makes
/// what is missing.
#[tokio::test]
async fn a_dropped_migration_did_all_or_nothing() {
    let sqlite = OnSqlite::open().await.unwrap();
    let pool = &sqlite.projection.pool;
    let mut cuts = Cuts::of(&["SqliteCursorStore::migrate"]).at_least(4);
    while let Some(waits) = cuts.place() {
        let store = SqliteCursorStore::with_table(pool.clone(), format!("cut_{}", cuts.run())).unwrap();
        let migrated = cuts.cut(cancel_after(waits, store.migrate()).await);
        sqlite.nothing_is_held().await;
        let tables =
            sqlx::query_scalar("SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN (?, ?)");
        let tables = tables
            .bind(format!("cut_{}", cuts.run()))
            .bind(format!("cut_{}_schema", cuts.run()));
        let tables: i64 = tables.fetch_one(pool).await.unwrap();
        check(tables, migrated.is_some(), &store.prepare().await);
        store.migrate().await.unwrap();
        store.prepare().await.unwrap();
    }
    cuts.waited();
    let Some(postgres) = OnPostgres::open().await else {
        return;
    };
    let pool = &postgres.projection.pool;
    let mut cuts = Cuts::of(&["PgCursorStore::migrate"]).at_least(4);
    while let Some(waits) = cuts.place() {
        let store = PgCursorStore::with_table(pool.clone(), format!("cut_{}", cuts.run())).unwrap();
        let migrated = cuts.cut(cancel_after(waits, store.migrate()).await);
        postgres.nothing_is_held().await;
        let tables = sqlx::query_scalar(
            "SELECT count(*) FROM pg_tables WHERE schemaname = $1 AND tablename IN ($2, $3)",
        );
        let tables = tables.bind(&postgres.projection.postgres.namespace);
        let tables = tables
            .bind(format!("cut_{}", cuts.run()))
            .bind(format!("cut_{}_schema", cuts.run()));
        let tables: i64 = tables.fetch_one(pool).await.unwrap();
        check(tables, migrated.is_some(), &store.prepare().await);
        store.migrate().await.unwrap();
        store.prepare().await.unwrap();
    }
    cuts.waited();
}

fn check(tables: i64, migrated: bool, prepared: &Result<(), SqlxCursorError>) {
    match prepared {
        Ok(()) => assert_eq!(tables, 2),
        Err(SqlxCursorError::MissingTable { .. }) => assert!(tables == 0 && !migrated, "{tables}"),
        Err(error) => panic!("{error}"),
    }
}

/// Leaves the cursor of a Session that ended for good, and one that can move.
async fn fill<S: CursorStore>(store: &S, number: u64) {
    let mut transaction = store.begin().await.unwrap();
    for (consumer, outcome) in [
        ("over", Outcome::Completed),
        ("open", Outcome::Idle { stop_reason: None }),
    ] {
        let key = CursorKey::session(consumer, format!("sess_{number}"));
        let event = r#"{"id": "evt_7", "seq": 7, "type": "session.status_completed"}"#;
        let event: Event = serde_json::from_str(event).unwrap();
        let mut settlement = Settlement::of(&event).unwrap();
        settlement.outcome = outcome;
        let place = Position::new(Seq::from(7), None);
        let cursor = Cursor::new(Some(place), Some(settlement));
        let advance = store.advance(&mut transaction, &key, None, &cursor);
        let _ = advance.await.unwrap();
    }
    store.commit(transaction).await.unwrap();
}

/// FOL-8: a removal of old cursors that is dropped removed all or none of them, and never one that can move.
#[tokio::test]
async fn a_dropped_prune_did_all_or_nothing() {
    let later = Timestamp::now() + Duration::from_secs(3600);
    let sqlite = OnSqlite::open().await.unwrap();
    let store = sqlite.store();
    let mut cuts = Cuts::of(&["SqliteCursorStore::prune"]).at_least(2);
    while let Some(waits) = cuts.place() {
        fill(&store, cuts.run() * 2).await;
        fill(&store, cuts.run() * 2 + 1).await;
        let pruned = cuts.cut(cancel_after(waits, store.prune(later)).await);
        sqlite.nothing_is_held().await;
        let left = store.prune(later).await.unwrap();
        assert!(left == 2 && pruned.is_none() || left == 0, "{left} were left");
        let open = sqlx::query_scalar("SELECT count(*) FROM checkfu_cursors");
        let open: i64 = open.fetch_one(&sqlite.projection.pool).await.unwrap();
        assert_eq!(open, i64::try_from(cuts.run() * 2).unwrap());
    }
    cuts.waited();
    let Some(postgres) = OnPostgres::open().await else {
        return;
    };
    let store = postgres.store();
    let mut cuts = Cuts::of(&["PgCursorStore::prune"]).at_least(2);
    while let Some(waits) = cuts.place() {
        fill(&store, cuts.run() * 2).await;
        fill(&store, cuts.run() * 2 + 1).await;
        let pruned = cuts.cut(cancel_after(waits, store.prune(later)).await);
        postgres.nothing_is_held().await;
        let left = store.prune(later).await.unwrap();
        assert!(left == 2 && pruned.is_none() || left == 0, "{left} were left");
        let open = sqlx::query_scalar("SELECT count(*) FROM checkfu_cursors");
        let open: i64 = open.fetch_one(&postgres.projection.pool).await.unwrap();
        assert_eq!(open, i64::try_from(cuts.run() * 2).unwrap());
    }
    cuts.waited();
}

/// FOL-3: the suite for stores may be dropped too; it leaves cursors, in Sessions of its own, and the store goes on.
#[tokio::test]
async fn a_dropped_suite_leaves_the_store_usable() {
    let mut cuts = Cuts::of(&["cursor_store_suite"]);
    while let Some(waits) = cuts.place() {
        let store = MemoryCursorStore::new();
        let suite = cuts.cut(cancel_after(waits, cursor_store_suite(&store)).await);
        assert!(suite.is_none_or(|passed| passed.is_ok()));
        fill(&store, 1).await;
        let key = CursorKey::session("over", "sess_1");
        assert_eq!(store.cursor(&key).await.seq(), Some(Seq::from(7)));
    }
    cuts.waited();
}
