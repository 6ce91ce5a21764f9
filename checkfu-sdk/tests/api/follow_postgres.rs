use checkfu_sdk::Seq;
use checkfu_sdk::cursor::{CursorKey, CursorStore};
use checkfu_sdk::follow::FollowError;
use serde_json::{Value, json};

use crate::support::event::{frames, idle, message, session};
use crate::support::fake_api::{FakeApi, stream};
use crate::support::pg_projection::{PgProjection, apply, apply_rest};

fn turn() -> [Value; 4] {
    [message(1), message(3), message(4), idle(7, "end_turn")]
}

/// A running Session whose log is `turn`, streamed as often as it is asked for.
async fn api(streams: usize) -> FakeApi {
    let api = FakeApi::start().await;
    api.set_session(session("running", json!(null), 99))
        .set_log(turn().to_vec());
    for _ in 0..streams {
        api.on_stream(stream(frames(&turn())));
    }
    api
}

/// FOL-1, FOL-6, FOL-8, SET-1: on PostgreSQL each event's effect and the cursor commit together, and the follow ends once
/// the settlement's transaction committed. It stands in a spawned task.
#[tokio::test]
async fn a_turn_is_followed_on_postgres() {
    let Some(projection) = PgProjection::find(2).await else {
        return;
    };
    let api = api(1).await;
    let events = api.client().sessions().events("sess_1");
    let follow = events.follow("billing", projection.store.clone());
    let mut follower = follow.start().await.unwrap();
    assert_eq!(projection.cursor().await, Some(0));
    let mut delivery = follower.next().await.unwrap().unwrap();
    let (event, transaction) = delivery.parts();
    apply(transaction, event).await.unwrap();
    assert!(
        projection.applied().await.is_empty(),
        "the effect shows before it is committed"
    );
    assert_eq!(delivery.commit().await.unwrap(), Seq::from(1));
    assert_eq!(
        (projection.applied().await, projection.cursor().await),
        (vec![1], Some(1))
    );
    let following = tokio::spawn(async move {
        apply_rest(&mut follower).await;
        follower.settlement().cloned()
    });
    assert_eq!(following.await.unwrap().unwrap().seq, Seq::from(7));
    assert_eq!(
        (projection.applied().await, projection.cursor().await),
        (vec![1, 3, 4, 7], Some(7))
    );
}

/// FOL-8: a follower whose cursor is moved back or removed beneath it hands nothing out and says so; a new follow goes on
/// from the cursor.
#[tokio::test]
async fn a_cursor_that_is_moved_back_stops_its_follower() {
    let Some(projection) = PgProjection::find(2).await else {
        return;
    };
    let api = api(3).await;
    let events = api.client().sessions().events("sess_1");
    let key = CursorKey::session("billing", "sess_1");
    let store = &projection.store;
    for (count, moved_to) in [(3, Some(Seq::from(1))), (1, None)] {
        let mut follower = events.follow("billing", store.clone()).start().await.unwrap();
        for _ in 0..count {
            let delivery = follower.next().await.unwrap().unwrap();
            delivery.commit().await.unwrap();
        }
        let mut transaction = store.begin().await.unwrap();
        match moved_to {
            Some(to) => drop(store.rewind(&mut transaction, &key, to).await.unwrap()),
            None => assert!(store.forget(&mut transaction, &key).await.unwrap()),
        }
        store.commit(transaction).await.unwrap();
        let error = follower.next().await.unwrap_err();
        assert!(
            matches!(error, FollowError::Rewound { from: Some(_), to } if to == moved_to),
            "{error:?}"
        );
        assert!(!error.is_retryable());
    }
    let mut follower = events.follow("billing", store.clone()).start().await.unwrap();
    apply_rest(&mut follower).await;
    assert_eq!(projection.applied().await, [1, 3, 4, 7]);
}
