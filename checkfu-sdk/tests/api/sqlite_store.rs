use checkfu_sdk::Seq;
use checkfu_sdk::cursor::{
    Advance, Cursor, CursorKey, CursorStore, Position, SqliteCursorStore, SqlxCursorError,
};
use sqlx::SqlitePool;

use crate::support::projection::Projection;

async fn empty() -> (tempfile::TempDir, SqlitePool) {
    let directory = tempfile::tempdir().unwrap();
    let url = format!("sqlite:{}?mode=rwc", directory.path().join("x.db").display());
    (directory, SqlitePool::connect(&url).await.unwrap())
}

fn at(seq: u32) -> Cursor {
    Cursor::new(Some(Position::new(Seq::from(seq), Some("evt_1".into()))), None)
}

/// A store without its table says so, by name and with the fix; migrating twice is migrating once.
#[tokio::test]
async fn a_missing_table_is_told() {
    let (_directory, pool) = empty().await;
    let store = SqliteCursorStore::new(pool.clone());
    let error = store.prepare().await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the table checkfu_cursors is missing: call `migrate`, or run the published SQL"
    );
    store.migrate().await.unwrap();
    store.migrate().await.unwrap();
    store.prepare().await.unwrap();
    let versions: Vec<i64> = sqlx::query_scalar("SELECT version FROM checkfu_cursors_schema")
        .fetch_all(&pool)
        .await
        .unwrap();
    assert_eq!(versions, [1]);
}

/// The published SQL makes a store usable, without `migrate`.
#[tokio::test]
async fn the_published_sql_is_enough() {
    let (_directory, pool) = empty().await;
    sqlx::raw_sql(SqliteCursorStore::SCHEMA_SQL)
        .execute(&pool)
        .await
        .unwrap();
    let store = SqliteCursorStore::new(pool);
    store.prepare().await.unwrap();
    let key = CursorKey::session("c", "sess_1");
    let mut transaction = store.begin().await.unwrap();
    assert_eq!(
        store.advance(&mut transaction, &key, None, &at(5)).await.unwrap(),
        Advance::Moved
    );
    store.commit(transaction).await.unwrap();
}

/// A table that a newer library made is refused, and left as it is.
#[tokio::test]
async fn a_newer_schema_is_refused() {
    let (_directory, pool) = empty().await;
    let store = SqliteCursorStore::new(pool.clone());
    store.migrate().await.unwrap();
    sqlx::query("UPDATE checkfu_cursors_schema SET version = 9")
        .execute(&pool)
        .await
        .unwrap();
    for error in [
        store.prepare().await.unwrap_err(),
        store.migrate().await.unwrap_err(),
    ] {
        assert!(
            matches!(
                error,
                SqlxCursorError::SchemaVersion {
                    found: 9,
                    known: 1,
                    ..
                }
            ),
            "{error:?}"
        );
    }
}

/// The table can have a name of the caller's own, and nothing else than a name.
#[tokio::test]
async fn the_table_has_a_name_of_the_callers_own() {
    let (_directory, pool) = empty().await;
    let store = SqliteCursorStore::with_table(pool.clone(), "my_app_cursors").unwrap();
    store.migrate().await.unwrap();
    let key = CursorKey::session("c", "sess_1");
    let mut transaction = store.begin().await.unwrap();
    assert_eq!(
        store.advance(&mut transaction, &key, None, &at(5)).await.unwrap(),
        Advance::Moved
    );
    store.commit(transaction).await.unwrap();
    let seq: i64 = sqlx::query_scalar("SELECT seq FROM my_app_cursors")
        .fetch_one(&pool)
        .await
        .unwrap();
    assert_eq!(seq, 5);
    let word = SqliteCursorStore::with_table(pool.clone(), "order").unwrap();
    word.migrate().await.unwrap();
    let mut transaction = word.begin().await.unwrap();
    assert_eq!(
        word.lock(&mut transaction, &key).await.unwrap(),
        Cursor::default(),
        "two tables touch"
    );
    assert!(word.schema_sql().contains("\"order_schema\""));
    for bad in ["", "1st", "a b", "a;b", "a\"b", "caf\u{e9}"] {
        let error = SqliteCursorStore::with_table(pool.clone(), bad).unwrap_err();
        assert!(matches!(error, SqlxCursorError::InvalidTable { .. }), "{bad:?}");
    }
}

/// FOL-2, REP-18: the cursor moves from where it was read, or not at all; consumers, Sessions and threads do not touch.
#[tokio::test]
async fn a_cursor_moves_only_from_where_it_was_read() {
    let projection = Projection::new().await;
    let store = &projection.store;
    let key = CursorKey::session("c", "sess_1");
    let mut thread = key.clone();
    thread.session_thread_id = Some("sthr_1".into());
    let mut transaction = store.begin().await.unwrap();
    let from = |seq: u32| Some(Seq::from(seq));
    assert_eq!(
        store
            .advance(&mut transaction, &key, from(1), &at(5))
            .await
            .unwrap(),
        Advance::Superseded
    );
    assert_eq!(
        store.advance(&mut transaction, &key, None, &at(5)).await.unwrap(),
        Advance::Moved
    );
    assert_eq!(
        store.advance(&mut transaction, &key, None, &at(6)).await.unwrap(),
        Advance::Superseded
    );
    assert_eq!(
        store
            .advance(&mut transaction, &key, from(4), &at(6))
            .await
            .unwrap(),
        Advance::Superseded
    );
    assert_eq!(
        store
            .advance(&mut transaction, &key, from(5), &at(6))
            .await
            .unwrap(),
        Advance::Moved
    );
    assert_eq!(
        store
            .advance(&mut transaction, &thread, None, &at(2))
            .await
            .unwrap(),
        Advance::Moved
    );
    for other in [
        CursorKey::session("d", "sess_1"),
        CursorKey::session("c", "sess_2"),
    ] {
        assert_eq!(
            store.lock(&mut transaction, &other).await.unwrap(),
            Cursor::default()
        );
    }
    assert_eq!(store.lock(&mut transaction, &key).await.unwrap(), at(6));
    assert_eq!(store.lock(&mut transaction, &thread).await.unwrap(), at(2));
    drop(transaction);
    let mut transaction = store.begin().await.unwrap();
    assert_eq!(
        store.lock(&mut transaction, &key).await.unwrap(),
        Cursor::default(),
        "not rolled back"
    );
}

/// REP-21: a row that cannot be read is told by its column, and not taken for a new projection.
#[tokio::test]
async fn a_damaged_row_is_told() {
    let projection = Projection::new().await;
    let key = CursorKey::session("c", "sess_1");
    for (column, value) in [("seq", "-5"), ("settlement", "'{'")] {
        let seq = if column == "seq" { value } else { "5" };
        let settlement = if column == "settlement" { value } else { "NULL" };
        let replace = format!(
            "INSERT OR REPLACE INTO checkfu_cursors (consumer, session_id, seq, settlement) \
             VALUES ('c', 'sess_1', {seq}, {settlement})"
        );
        sqlx::query(sqlx::AssertSqlSafe(replace))
            .execute(&projection.pool)
            .await
            .unwrap();
        let mut transaction = projection.store.begin().await.unwrap();
        let error = projection.store.lock(&mut transaction, &key).await.unwrap_err();
        assert!(matches!(error, SqlxCursorError::UnreadableCursor { column: found } if found == column));
    }
}

/// Pruning removes the cursors of Sessions that ended for good and have long not moved, and no other.
#[tokio::test]
async fn only_ended_cursors_are_pruned() {
    let projection = Projection::new().await;
    for (session, status) in [
        ("a", "completed"),
        ("b", "failed"),
        ("c", "canceled"),
        ("d", "idle"),
        ("e", ""),
        ("f", "completed"),
    ] {
        let settlement =
            serde_json::json!({ "status": status, "stop_reason": null, "seq": 5, "event_id": null });
        let cursor = Cursor::new(at(5).position, serde_json::from_value(settlement).ok());
        let mut transaction = projection.store.begin().await.unwrap();
        let key = CursorKey::session("c", session);
        let advance = projection
            .store
            .advance(&mut transaction, &key, None, &cursor)
            .await;
        assert_eq!(advance.unwrap(), Advance::Moved);
        projection.store.commit(transaction).await.unwrap();
    }
    sqlx::query("UPDATE checkfu_cursors SET updated_at = '2026-01-01T00:00:00.000Z' WHERE session_id < 'f'")
        .execute(&projection.pool)
        .await
        .unwrap();
    let prune = async |before: &str| projection.store.prune(before.parse().unwrap()).await.unwrap();
    assert_eq!(prune("2026-01-01T00:00:00Z").await, 0);
    assert_eq!(prune("2026-01-01T00:00:00.001Z").await, 3);
    let left = sqlx::query_scalar("SELECT session_id FROM checkfu_cursors ORDER BY 1");
    let left: Vec<String> = left.fetch_all(&projection.pool).await.unwrap();
    assert_eq!(left, ["d", "e", "f"]);
}

/// REP-73: a `begin` that is dropped at any point leaves the pool usable: its connection comes back without a
/// transaction.
#[tokio::test]
async fn a_dropped_begin_leaves_the_pool_usable() {
    let directory = tempfile::tempdir().unwrap();
    let projection = Projection::open(&directory.path().join("p.db"), 1).await;
    for polls in 0..40 {
        let mut begin = Box::pin(projection.store.begin());
        for _ in 0..polls % 8 {
            if futures::poll!(begin.as_mut()).is_ready() {
                break;
            }
            tokio::task::yield_now().await;
        }
        drop(begin);
        let mut transaction = projection.store.begin().await.unwrap();
        sqlx::query("INSERT INTO applied VALUES ('billing', 1)")
            .execute(&mut *transaction)
            .await
            .unwrap();
        projection.store.commit(transaction).await.unwrap();
    }
    assert_eq!(projection.applied().await.len(), 40);
}
