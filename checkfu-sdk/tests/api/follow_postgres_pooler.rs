use std::io::Write;

use checkfu_sdk::cursor::PgCursorStore;
use checkfu_sdk::testing::cursor_store_suite;
use serde_json::{Value, json};
use sqlx::PgPool;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions};

use crate::support::event::{frames, idle, message, session};
use crate::support::fake_api::{FakeApi, stream};
use crate::support::pg_projection::{PgProjection, apply};
use crate::support::pooler::Pooler;

/// A pool of two connections to a pooler that has three.
async fn pooled(projection: &PgProjection) -> Option<PgPool> {
    let Ok(pooler) = Pooler::of(&projection.postgres, 3).await else {
        let told = b"\nSKIPPED, it showed nothing: the pooler of the tests stands before a cluster of their own only\n\n";
        std::io::stderr().write_all(told).unwrap();
        return None;
    };
    let options = PgConnectOptions::new_without_pgpass()
        .host("127.0.0.1")
        .port(pooler.port)
        .username("checkfu")
        .database("postgres");
    let pool = PgPoolOptions::new()
        .max_connections(2)
        .connect_with(options)
        .await;
    Some(pool.unwrap())
}

/// FOL-1, FOL-2: a store keeps every rule behind a pooler in transaction mode, and a turn is followed there; a statement that
/// is prepared by name is not found again.
#[tokio::test]
async fn a_store_works_behind_a_pooler_in_transaction_mode() {
    let Some(projection) = PgProjection::find(2).await else {
        return;
    };
    let Some(pool) = pooled(&projection).await else {
        return;
    };
    let store = PgCursorStore::with_table(pool.clone(), "pooled").unwrap();
    store.migrate().await.unwrap();
    cursor_store_suite(&store).await.unwrap();
    assert_eq!(store.prune(jiff::Timestamp::MAX).await.unwrap(), 0);

    let log: Vec<Value> = (1..20).map(message).chain([idle(20, "end_turn")]).collect();
    let api = FakeApi::start().await;
    api.set_session(session("running", json!(null), 20))
        .on_stream(stream(frames(&log)));
    let events = api.client().sessions().events("sess_1");
    let mut follower = events.follow("billing", store).start().await.unwrap();
    while let Some(mut delivery) = follower.next().await.unwrap() {
        let (event, transaction) = delivery.parts();
        apply(transaction, event).await.unwrap();
        delivery.commit().await.unwrap();
    }
    let expected: Vec<i64> = (1..=20).collect();
    assert_eq!(projection.applied().await, expected);

    let mut prepared = 0;
    let failure = loop {
        let select = sqlx::query("SELECT seq FROM applied WHERE seq = $1").bind(1_i64);
        match select.execute(&pool).await {
            Ok(_) => prepared += 1,
            Err(failure) => break failure,
        }
        assert!(prepared < 100, "this is no pooler in transaction mode");
    };
    let failure = failure.into_database_error().unwrap();
    assert_eq!(failure.code().unwrap(), "26000", "{failure}");
}
