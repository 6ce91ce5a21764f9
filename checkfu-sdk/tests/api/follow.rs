use std::convert::Infallible;

use checkfu_sdk::cursor::{Advance, Cursor, CursorKey, CursorStore, MemoryCursorStore, Position};
use checkfu_sdk::follow::{EventHandler, FollowError};
use checkfu_sdk::settlement::Outcome;
use checkfu_sdk::{Event, EventData, Seq, StopReason};
use serde_json::{Value, json};
use sqlx::{Sqlite, Transaction};

use crate::support::event::{event, frames, idle, message, session};
use crate::support::fake_api::{FakeApi, Step, stream};
use crate::support::projection::{Projection, apply, apply_for, apply_rest};

/// A running Session whose log is `log`.
async fn api(log: &[Value]) -> FakeApi {
    let api = FakeApi::start().await;
    api.set_session(session("running", json!(null), 99))
        .set_log(log.to_vec())
        .on_stream(stream(frames(log)));
    api
}

fn turn() -> [Value; 4] {
    [
        message(1),
        event(3, "agent.dreamt", json!({})),
        message(4),
        idle(7, "end_turn"),
    ]
}

/// FOL-1, FOL-6, FOL-8, SET-1: a new projection starts at the beginning; each event's effect and the cursor commit
/// together, and the follow ends once the settlement's transaction committed.
#[tokio::test]
async fn a_turn_is_followed_to_its_settlement() {
    let log = turn();
    let api = api(&log).await;
    let projection = Projection::new().await;
    let events = api.client().sessions().events("sess_1");
    let mut follower = events
        .follow("billing", projection.store.clone())
        .start()
        .await
        .unwrap();
    let mut before = Vec::new();
    while let Some(mut delivery) = follower.next().await.unwrap() {
        let seq = i64::try_from(delivery.event().seq().get()).unwrap();
        assert_eq!(
            projection.cursor().await.map(|(seq, _)| seq),
            before.last().copied()
        );
        let (event, transaction) = delivery.parts();
        apply(transaction, event).await.unwrap();
        assert_eq!(
            projection.applied().await,
            before,
            "the effect shows before it is committed"
        );
        assert_eq!(
            i64::try_from(delivery.commit().await.unwrap().get()).unwrap(),
            seq
        );
        before.push(seq);
        assert_eq!(projection.applied().await, before);
        let id = format!("evt_{seq:032x}");
        assert_eq!(projection.cursor().await, Some((seq, Some(id))));
    }
    assert_eq!(before, [1, 3, 4, 7]);
    assert!(follower.next().await.unwrap().is_none());
    let settlement = follower.settlement().unwrap();
    assert_eq!(
        settlement.outcome,
        Outcome::Idle {
            stop_reason: Some(StopReason::EndTurn)
        }
    );
    assert_eq!(
        (settlement.seq, follower.cursor()),
        (Seq::from(7), Some(Seq::from(7)))
    );
    assert_eq!(settlement.event_id.as_ref().unwrap().as_str(), log[3]["id"]);
    assert_eq!(api.stream_cursors(), [None]);
}

/// FOL-1, REP-25: another follow of the same consumer goes on after the stored cursor, another consumer has its own.
#[tokio::test]
async fn a_follow_goes_on_after_the_stored_cursor() {
    let api = api(&turn()).await;
    let projection = Projection::new().await;
    let events = api.client().sessions().events("sess_1");
    for (consumer, count) in [("billing", 2), ("billing", 9), ("audit", 9)] {
        api.on_stream(stream(frames(&turn())));
        let mut follower = events
            .follow(consumer, projection.store.clone())
            .start()
            .await
            .unwrap();
        for _ in 0..count {
            let Some(mut delivery) = follower.next().await.unwrap() else {
                break;
            };
            let (event, transaction) = delivery.parts();
            apply_for(consumer, transaction, event).await.unwrap();
            delivery.commit().await.unwrap();
        }
    }
    assert_eq!(projection.applied_by("billing").await, [1, 3, 4, 7]);
    assert_eq!(projection.applied_by("audit").await, [1, 3, 4, 7]);
    assert_eq!(api.stream_cursors(), [None, Some("3".to_owned()), None]);
}

/// SET-1, WAIT-4, A-WAIT, REP-13, REP-16: `requires_action`, waiting and paused are no end; the idle after the continuation
/// is.
#[tokio::test]
async fn a_wait_is_followed_through() {
    let status = |seq, name: &str| event(seq, &format!("session.status_{name}"), json!({}));
    let log = [
        idle(1, "requires_action"),
        status(2, "waiting"),
        status(3, "running"),
        status(4, "paused"),
        event(
            5,
            "session.status_idle",
            json!({ "stop_reason": { "type": "requires_action" } }),
        ),
        idle(6, "retries_exhausted"),
        message(7),
    ];
    let api = api(&log).await;
    let store = MemoryCursorStore::new();
    let mut follower = api
        .client()
        .sessions()
        .events("sess_1")
        .follow("c", store)
        .start()
        .await
        .unwrap();
    let mut seen = 0;
    while let Some(delivery) = follower.next().await.unwrap() {
        seen = delivery.commit().await.unwrap().get();
    }
    assert_eq!(seen, 6);
}

/// FOL-3: a delivery that is dropped is rolled back, and its event comes again, with its effect once.
#[tokio::test]
async fn a_dropped_delivery_comes_again() {
    let api = api(&turn()).await;
    let projection = Projection::new().await;
    let mut follower = api
        .client()
        .sessions()
        .events("sess_1")
        .follow("billing", projection.store.clone())
        .start()
        .await
        .unwrap();
    let mut deliveries = 0;
    while let Some(mut delivery) = follower.next().await.unwrap() {
        deliveries += 1;
        let (event, transaction) = delivery.parts();
        apply(transaction, event).await.unwrap();
        if deliveries % 3 != 0 {
            drop(delivery);
            continue;
        }
        delivery.commit().await.unwrap();
    }
    assert_eq!(deliveries, 12);
    assert_eq!(projection.applied().await, [1, 3, 4, 7]);
    assert_eq!(
        api.stream_cursors().len(),
        1,
        "an event that is not applied costs no connection"
    );
}

/// An event that is not understood is delivered like any other.
#[tokio::test]
async fn an_undecodable_event_is_delivered() {
    let api = api(&[
        event(1, "agent.message", json!({ "content": 7 })),
        idle(2, "end_turn"),
    ])
    .await;
    let store = MemoryCursorStore::new();
    let mut follower = api
        .client()
        .sessions()
        .events("sess_1")
        .follow("c", store)
        .start()
        .await
        .unwrap();
    let delivery = follower.next().await.unwrap().unwrap();
    assert!(matches!(delivery.event().data(), EventData::Undecodable(_)));
    assert_eq!(delivery.commit().await.unwrap(), Seq::from(1));
}

struct Rows;

impl EventHandler<Transaction<'static, Sqlite>> for Rows {
    type Error = sqlx::Error;

    async fn handle(
        &mut self,
        transaction: &mut Transaction<'static, Sqlite>,
        event: &Event,
    ) -> Result<(), sqlx::Error> {
        apply(transaction, event).await
    }
}

/// REP-72, REP-74: a handler sees each event once, and the run gives the settlement; it stands in a spawned task.
#[tokio::test]
async fn a_handler_runs_to_the_settlement() {
    let api = api(&turn()).await;
    let projection = Projection::new().await;
    let (events, store) = (api.client().sessions().events("sess_1"), projection.store.clone());
    let running = tokio::spawn(async move {
        let mut follower = events.follow("billing", store).start().await.unwrap();
        follower.run(&mut Rows).await.unwrap()
    });
    assert_eq!(running.await.unwrap().seq, Seq::from(7));
    assert_eq!(projection.applied().await, [1, 3, 4, 7]);
}

/// The store in memory keeps the same rules: a dropped transaction leaves nothing, and its lock is held until then.
#[tokio::test]
async fn the_store_in_memory_keeps_the_rules() -> Result<(), Infallible> {
    let api = api(&turn()).await;
    let store = MemoryCursorStore::new();
    let key = CursorKey::session("c", "sess_1");
    let events = api.client().sessions().events("sess_1");
    let mut follower = events.follow("c", store.clone()).start().await.unwrap();
    let delivery = follower.next().await.unwrap().unwrap();
    let mut rival = Box::pin(store.begin());
    assert!(
        futures::poll!(rival.as_mut()).is_pending(),
        "the lock is not held"
    );
    drop(delivery);
    let mut transaction = rival.await?;
    let cursor = Cursor::new(Some(Position::new(Seq::from(3), None)), None);
    let wrong = store
        .advance(&mut transaction, &key, Some(Seq::from(2)), &cursor)
        .await?;
    assert_eq!(wrong, Advance::Superseded);
    assert_eq!(
        store.advance(&mut transaction, &key, None, &cursor).await?,
        Advance::Moved
    );
    drop(transaction);
    assert_eq!(store.cursor(&key).await.seq(), None, "not rolled back");
    while let Some(delivery) = follower.next().await.unwrap() {
        delivery.commit().await.unwrap();
    }
    let cursor = store.cursor(&key).await;
    assert_eq!(cursor.seq(), Some(Seq::from(7)));
    assert_eq!(cursor.settlement.as_ref(), follower.settlement());
    Ok(())
}

/// FOL-7, STR-6, REP-36, REP-46: leaving early cancels the request; nothing is left behind.
#[tokio::test]
async fn leaving_early_cancels_the_request() {
    let api = FakeApi::start().await;
    let mut script = stream(frames(&[message(1), message(2)]));
    script.push(Step::Hang);
    api.set_session(session("running", json!(null), 99))
        .on_stream(script);
    let projection = Projection::new().await;
    let mut follower = api
        .client()
        .sessions()
        .events("sess_1")
        .follow("billing", projection.store.clone())
        .start()
        .await
        .unwrap();
    let mut delivery = follower.next().await.unwrap().unwrap();
    let (event, transaction) = delivery.parts();
    apply(transaction, event).await.unwrap();
    drop(delivery);
    drop(follower);
    api.hung_up(1).await;
    assert!(projection.applied().await.is_empty());
}

/// No connection and no transaction of the database is held while streams are silent: many followers share one.
#[tokio::test]
async fn silent_followers_hold_no_connection() {
    let directory = tempfile::tempdir().unwrap();
    let projection = Projection::open(&directory.path().join("p.db"), 1).await;
    let api = FakeApi::start().await;
    api.set_session(session("running", json!(null), 99));
    let events = api.client().sessions().events("sess_1");
    let mut followers = Vec::new();
    for consumer in 0..30 {
        let mut script = stream(frames(&[message(1)]));
        script.push(Step::Hang);
        api.on_stream(script);
        let follow = events.follow(format!("consumer-{consumer}"), projection.store.clone());
        let mut follower = follow.start().await.unwrap();
        followers.push(tokio::spawn(async move {
            while let Some(delivery) = follower.next().await? {
                delivery.commit().await?;
            }
            Ok::<_, FollowError<_>>(())
        }));
    }
    let count = "SELECT count(*) FROM checkfu_cursors WHERE seq = 1";
    while sqlx::query_scalar::<_, i64>(count)
        .fetch_one(&projection.pool)
        .await
        .unwrap()
        < 30
    {
        tokio::task::yield_now().await;
    }
    let mut connection = projection.pool.acquire().await.unwrap();
    sqlx::query("BEGIN IMMEDIATE")
        .execute(&mut *connection)
        .await
        .unwrap();
    sqlx::query("ROLLBACK").execute(&mut *connection).await.unwrap();
    for follower in followers {
        assert!(!follower.is_finished());
        follower.abort();
    }
}

/// A-CURSOR, REP-18: a cursor is that of its Session. The same consumer and store begin another Session at its
/// beginning.
#[tokio::test]
async fn a_cursor_is_its_sessions_own() {
    let projection = Projection::new().await;
    for id in ["sess_1", "sess_2"] {
        let api = FakeApi::start().await;
        api.set_session(session("running", json!(null), 4))
            .on_stream(stream(frames(&turn())));
        let events = api.client().sessions().events(id);
        let follow = events.follow("billing", projection.store.clone());
        apply_rest(&mut follow.start().await.unwrap()).await;
        assert_eq!(api.stream_cursors(), [None], "{id}");
    }
    let twice: Vec<i64> = projection.applied().await;
    assert_eq!(twice.len(), 2 * turn().len());
}
