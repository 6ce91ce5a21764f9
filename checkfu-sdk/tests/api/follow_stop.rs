use std::sync::Arc;

use checkfu_sdk::follow::{EventHandler, RunEnd};
use checkfu_sdk::{Event, Seq};
use serde_json::json;
use sqlx::{Sqlite, Transaction};
use tokio::sync::Notify;

use crate::support::event::{frames, idle, message, session};
use crate::support::fake_api::{FakeApi, Step, stream};
use crate::support::projection::{Projection, apply, apply_next};

async fn api() -> FakeApi {
    let api = FakeApi::start().await;
    let mut script = stream(frames(&[message(1), message(2), message(3)]));
    script.push(Step::Hang);
    api.set_session(session("running", json!(null), 99))
        .on_stream(script);
    api
}

/// Says when it works on its second event, and goes on when it may.
struct Slow {
    at_work: Arc<Notify>,
    go_on: Arc<Notify>,
}

impl EventHandler<Transaction<'static, Sqlite>> for Slow {
    type Error = sqlx::Error;

    async fn handle(
        &mut self,
        transaction: &mut Transaction<'static, Sqlite>,
        event: &Event,
    ) -> Result<(), sqlx::Error> {
        if event.seq() == Seq::from(2) {
            self.at_work.notify_one();
            self.go_on.notified().await;
        }
        apply(transaction, event).await
    }
}

/// A run that is asked to stop commits the event in work and hands out no other; the next run goes on from there. One that
/// is asked while nothing comes stops at once.
#[tokio::test]
async fn a_run_stops_between_events() {
    let api = api().await;
    let projection = Projection::new().await;
    let events = api.client().sessions().events("sess_1");
    let mut follower = events
        .follow("billing", projection.store.clone())
        .start()
        .await
        .unwrap();
    let (at_work, go_on, stop) = (
        Arc::new(Notify::new()),
        Arc::new(Notify::new()),
        Arc::new(Notify::new()),
    );
    let mut handler = Slow {
        at_work: Arc::clone(&at_work),
        go_on: Arc::clone(&go_on),
    };
    let stopped = Arc::clone(&stop);
    let running = tokio::spawn(async move {
        let end = follower
            .run_until(&mut handler, stopped.notified())
            .await
            .unwrap();
        (follower, handler, end)
    });
    at_work.notified().await;
    stop.notify_one();
    assert!(projection.applied().await == [1] && !running.is_finished());
    go_on.notify_one();
    let (mut follower, mut handler, end) = running.await.unwrap();
    assert_eq!(
        end,
        RunEnd::Stopped {
            cursor: Some(Seq::from(2))
        }
    );
    assert_eq!(projection.applied().await, [1, 2]);
    let stopped = Arc::clone(&stop);
    let running = tokio::spawn(async move {
        follower
            .run_until(&mut handler, stopped.notified())
            .await
            .unwrap()
    });
    while projection.applied().await != [1, 2, 3] {
        tokio::task::yield_now().await;
    }
    stop.notify_one();
    assert_eq!(
        running.await.unwrap(),
        RunEnd::Stopped {
            cursor: Some(Seq::from(3))
        }
    );
    api.hung_up(1).await;
}

/// A run that settles first says so, whether or not it may be stopped.
#[tokio::test]
async fn a_run_that_settles_is_not_stopped() {
    let api = FakeApi::start().await;
    api.set_session(session("running", json!(null), 99))
        .on_stream(stream(frames(&[message(1), idle(2, "end_turn")])));
    let projection = Projection::new().await;
    let events = api.client().sessions().events("sess_1");
    let mut follower = events
        .follow("billing", projection.store.clone())
        .start()
        .await
        .unwrap();
    let mut handler = Slow {
        at_work: Arc::default(),
        go_on: Arc::new(Notify::new()),
    };
    handler.go_on.notify_one();
    let end = follower
        .run_until(&mut handler, std::future::pending())
        .await
        .unwrap();
    assert!(matches!(end, RunEnd::Settled(settlement) if settlement.seq == Seq::from(2)));
    assert_eq!(follower.stop().await.unwrap(), Some(Seq::from(2)));
}

/// FOL-7: `stop` cancels the request and gives the durable cursor, also where a commit was dropped half-way; what was read
/// and not applied comes again with the next follow.
#[tokio::test]
async fn stopping_gives_the_durable_cursor() {
    let api = api().await;
    let projection = Projection::new().await;
    let events = api.client().sessions().events("sess_1");
    let mut follower = events
        .follow("billing", projection.store.clone())
        .start()
        .await
        .unwrap();
    apply_next(&mut follower).await.commit().await.unwrap();
    let mut commit = Box::pin(apply_next(&mut follower).await.commit());
    for _ in 0..3 {
        if futures::poll!(commit.as_mut()).is_ready() {
            break;
        }
        tokio::task::yield_now().await;
    }
    drop(commit);
    let cursor = follower.stop().await.unwrap().unwrap().get();
    api.hung_up(1).await;
    let expected: Vec<i64> = (1..=i64::try_from(cursor).unwrap()).collect();
    assert_eq!(projection.applied().await, expected);
}
