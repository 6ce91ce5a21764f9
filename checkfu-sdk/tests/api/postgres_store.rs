use checkfu_sdk::Seq;
use checkfu_sdk::cursor::{
    Advance, Cursor, CursorKey, CursorStore, PgCursorStore, Position, SqlxCursorError,
};
use checkfu_sdk::settlement::Settlement;
use sqlx::{AssertSqlSafe, PgPool};

use crate::support::pg_projection::PgProjection;
use crate::support::postgres::Postgres;

fn at(seq: u32) -> Cursor {
    Cursor::new(Some(Position::new(Seq::from(seq), Some("evt_1".into()))), None)
}

async fn step(store: &PgCursorStore, key: &CursorKey, from: Option<u32>, to: &Cursor) {
    let mut transaction = store.begin().await.unwrap();
    let found = store.lock(&mut transaction, key).await.unwrap();
    assert_eq!(found.seq(), from.map(Seq::from));
    let advance = store.advance(&mut transaction, key, found.seq(), to).await;
    assert_eq!(advance.unwrap(), Advance::Moved);
    store.commit(transaction).await.unwrap();
}

async fn run(pool: &PgPool, sql: impl Into<String>) {
    let sql = sqlx::raw_sql(AssertSqlSafe(sql.into()));
    sql.execute(pool).await.unwrap();
}

/// A store without its tables says so, by name and with the fix; migrating twice, and by many at once, is migrating once.
#[tokio::test]
async fn a_missing_table_is_told() {
    let Some(postgres) = Postgres::find().await else {
        return;
    };
    let pool = postgres.pool(8).await;
    let store = PgCursorStore::new(pool.clone());
    assert_eq!(
        store.prepare().await.unwrap_err().to_string(),
        "the table checkfu_cursors is missing: call `migrate`, or run the published SQL"
    );
    let migrations = futures::future::join_all((0..8).map(|_| store.migrate())).await;
    assert!(migrations.iter().all(Result::is_ok), "{migrations:?}");
    store.migrate().await.unwrap();
    store.prepare().await.unwrap();
    let versions = sqlx::query_scalar("SELECT version FROM checkfu_cursors_schema");
    let versions: Vec<i64> = versions.fetch_all(&pool).await.unwrap();
    assert_eq!(versions, [1]);
}

/// A table that a newer library made is refused, and left as it is.
#[tokio::test]
async fn a_newer_schema_is_refused() {
    let Some(projection) = PgProjection::find(2).await else {
        return;
    };
    run(&projection.pool, "UPDATE checkfu_cursors_schema SET version = 9").await;
    for error in [
        projection.store.prepare().await.unwrap_err(),
        projection.store.migrate().await.unwrap_err(),
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

/// The published SQL is enough: a user that may create nothing migrates, follows, forgets and prunes.
#[tokio::test]
async fn a_store_works_without_the_right_to_create() {
    let Some(postgres) = Postgres::find().await else {
        return;
    };
    let pool = postgres.pool(2).await;
    run(&pool, PgCursorStore::SCHEMA_SQL).await;
    let (namespace, user) = (&postgres.namespace, format!("{}_user", postgres.namespace));
    run(
        &pool,
        format!(
            "CREATE ROLE {user} LOGIN PASSWORD 'checkfu'; GRANT USAGE ON SCHEMA {namespace} TO {user}; \
             GRANT SELECT, INSERT, UPDATE, DELETE ON checkfu_cursors TO {user}; \
             GRANT SELECT ON checkfu_cursors_schema TO {user}"
        ),
    )
    .await;
    let options = postgres.options().username(&user).password("checkfu");
    let pool = PgPool::connect_with(options).await.unwrap();
    let refused = sqlx::raw_sql("CREATE TABLE x (x INT)").execute(&pool).await;
    let refused = refused.unwrap_err().into_database_error().unwrap();
    assert_eq!(refused.code().unwrap(), "42501", "the user may create");
    let store = PgCursorStore::new(pool);
    store.migrate().await.unwrap();
    store.prepare().await.unwrap();
    let key = CursorKey::session("c", "sess_1");
    step(&store, &key, None, &at(5)).await;
    step(&store, &key, Some(5), &at(6)).await;
    let mut transaction = store.begin().await.unwrap();
    store.rewind(&mut transaction, &key, Seq::from(3)).await.unwrap();
    assert!(store.forget(&mut transaction, &key).await.unwrap());
    store.commit(transaction).await.unwrap();
    assert_eq!(store.prune(jiff::Timestamp::MAX).await.unwrap(), 0);
}

/// The tables can have a name of the caller's own, with a namespace, a word of SQL or in upper case, and nothing else than
/// a name. Two stores do not touch.
#[tokio::test]
async fn the_table_has_a_name_of_the_callers_own() {
    let Some(projection) = PgProjection::find(2).await else {
        return;
    };
    let namespace = &projection.postgres.namespace;
    let longest = "l".repeat(56);
    let names = [
        "my_app_cursors",
        "order",
        "Order",
        &longest,
        &format!("{namespace}.select"),
    ]
    .map(str::to_owned);
    let key = CursorKey::session("c", "sess_1");
    for (number, name) in (1..).zip(names) {
        let store = PgCursorStore::with_table(projection.pool.clone(), &*name).unwrap();
        assert!(
            matches!(store.prepare().await, Err(SqlxCursorError::MissingTable { table }) if table == name)
        );
        store.migrate().await.unwrap();
        step(&store, &key, None, &at(number)).await;
        let table = name.replace('.', "\".\"");
        let select = sqlx::query_scalar(AssertSqlSafe(format!("SELECT seq FROM \"{table}\"")));
        let seq: i64 = select.fetch_one(&projection.pool).await.unwrap();
        assert_eq!(seq, i64::from(number));
        let own = format!("{}_schema\" (version", table.rsplit('"').next().unwrap());
        assert!(store.schema_sql().contains(&own), "{}", store.schema_sql());
    }
    let too_long = "l".repeat(57);
    for bad in [
        "", "1st", "a b", "a;b", "a\"b", "café", "a.", ".a", "a.b.c", "a.1", &too_long,
    ] {
        let error = PgCursorStore::with_table(projection.pool.clone(), bad).unwrap_err();
        assert!(matches!(error, SqlxCursorError::InvalidTable { .. }), "{bad:?}");
    }
}

/// A row that cannot be read is told by its column, and not taken for a new projection.
#[tokio::test]
async fn a_damaged_row_is_told() {
    let Some(projection) = PgProjection::find(2).await else {
        return;
    };
    let key = CursorKey::session("c", "sess_1");
    for (column, seq, settlement) in [("seq", "-5", "NULL"), ("settlement", "5", "'{'")] {
        run(
            &projection.pool,
            format!(
                "DELETE FROM checkfu_cursors; INSERT INTO checkfu_cursors (consumer, session_id, seq, settlement) \
                 VALUES ('c', 'sess_1', {seq}, {settlement})"
            ),
        )
        .await;
        let mut transaction = projection.store.begin().await.unwrap();
        let error = projection.store.lock(&mut transaction, &key).await.unwrap_err();
        assert!(matches!(error, SqlxCursorError::UnreadableCursor { column: found } if found == column));
    }
}

/// A NUL, which no text of PostgreSQL holds, wedges nothing: a settlement keeps it and an event's id goes without.
#[tokio::test]
async fn a_nul_wedges_nothing() {
    let Some(projection) = PgProjection::find(2).await else {
        return;
    };
    let settlement = r#"{"status": "idle", "stop_reason": "a\u0000b", "seq": 4, "event_id": "a\u0000b"}"#;
    let settlement: Settlement = serde_json::from_str(settlement).unwrap();
    let position = |event_id| Some(Position::new(Seq::from(4), event_id));
    let cursor = Cursor::new(position(Some("evt\0".into())), Some(settlement.clone()));
    let key = CursorKey::session("c", "sess_1");
    step(&projection.store, &key, None, &cursor).await;
    let mut transaction = projection.store.begin().await.unwrap();
    let found = projection.store.lock(&mut transaction, &key).await.unwrap();
    assert_eq!(found, Cursor::new(position(None), Some(settlement)));
    projection.store.commit(transaction).await.unwrap();
    assert_eq!(projection.store.prune(jiff::Timestamp::MAX).await.unwrap(), 0);
}

/// FOL-2: the lock reads what its last holder wrote, also where the database's default is a frozen snapshot.
#[tokio::test]
async fn the_default_isolation_does_not_matter() {
    let Some(projection) = PgProjection::find(2).await else {
        return;
    };
    let options = projection.postgres.options();
    let options = options.options([
        ("default_transaction_isolation", "serializable"),
        ("default_transaction_read_only", "on"),
    ]);
    let store = PgCursorStore::new(PgPool::connect_with(options).await.unwrap());
    checkfu_sdk::testing::cursor_store_suite(&store).await.unwrap();
}

/// Pruning removes the cursors of Sessions that ended for good and have long not moved, and no other.
#[tokio::test]
async fn only_ended_cursors_are_pruned() {
    let Some(projection) = PgProjection::find(2).await else {
        return;
    };
    for (session, status) in [
        ("a", "completed"),
        ("b", "failed"),
        ("c", "canceled"),
        ("d", "idle"),
        ("e", ""),
    ] {
        let settlement =
            serde_json::json!({ "status": status, "stop_reason": null, "seq": 5, "event_id": null });
        let settlement = serde_json::from_value(settlement).ok();
        let cursor = Cursor::new(at(5).position, settlement);
        step(
            &projection.store,
            &CursorKey::session("old", session),
            None,
            &cursor,
        )
        .await;
    }
    run(
        &projection.pool,
        "UPDATE checkfu_cursors SET updated_at = '2026-01-01T00:00:00Z'",
    )
    .await;
    let ended = serde_json::from_str(r#"{"status": "completed", "seq": 5, "event_id": null}"#).unwrap();
    let cursor = Cursor::new(at(5).position, Some(ended));
    step(&projection.store, &CursorKey::session("new", "a"), None, &cursor).await;
    let first: jiff::Timestamp = "2026-01-01T00:00:00Z".parse().unwrap();
    assert_eq!(projection.store.prune(first).await.unwrap(), 0);
    assert_eq!(
        projection
            .store
            .prune("2026-01-01T00:00:00.001Z".parse().unwrap())
            .await
            .unwrap(),
        3
    );
    let left = sqlx::query_scalar("SELECT consumer || session_id FROM checkfu_cursors ORDER BY 1");
    let left: Vec<String> = left.fetch_all(&projection.pool).await.unwrap();
    assert_eq!(left, ["newa", "oldd", "olde"]);
}

/// REP-73: a `begin` that is dropped at any point leaves the pool usable: its connection comes back without a
/// transaction.
#[tokio::test]
async fn a_dropped_begin_leaves_the_pool_usable() {
    let Some(projection) = PgProjection::find(1).await else {
        return;
    };
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
        let insert = sqlx::query("INSERT INTO applied (consumer, seq) VALUES ('billing', 1)");
        insert.execute(&mut *transaction).await.unwrap();
        projection.store.commit(transaction).await.unwrap();
    }
    assert_eq!(projection.applied().await.len(), 40);
}

/// What a store does leaves nothing on its connection: no statement prepared by name, no lock and no setting of a session,
/// so a pooler may give the connection to anyone after each transaction.
#[tokio::test]
async fn nothing_is_left_on_a_connection() {
    let Some(postgres) = Postgres::find().await else {
        return;
    };
    let pool = postgres.pool(1).await;
    let settings = "SELECT string_agg(name || '=' || setting, ',' ORDER BY name) FROM pg_settings \
                    WHERE source = 'session'";
    let value = async |sql: &'static str| -> Option<String> {
        use sqlx::Row;
        let row = sqlx::raw_sql(sql).fetch_one(&pool).await.unwrap();
        row.try_get(0).unwrap()
    };
    let before = value(settings).await;
    let store = PgCursorStore::new(pool.clone());
    store.migrate().await.unwrap();
    checkfu_sdk::testing::cursor_store_suite(&store).await.unwrap();
    store.prune(jiff::Timestamp::MAX).await.unwrap();
    let prepared = "SELECT count(*)::text FROM pg_prepared_statements";
    assert_eq!(value(prepared).await.as_deref(), Some("0"));
    let locks = "SELECT count(*)::text FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()";
    assert_eq!(value(locks).await.as_deref(), Some("0"));
    assert_eq!(value(settings).await, before);
    // The count is one that moves.
    sqlx::query("SELECT 1").execute(&pool).await.unwrap();
    assert_eq!(value(prepared).await.as_deref(), Some("1"));
}
