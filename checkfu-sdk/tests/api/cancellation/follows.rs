use std::convert::Infallible;
use std::marker::PhantomData;
use std::time::Duration;

use checkfu_sdk::Event;
use checkfu_sdk::follow::{EventHandler, Follow, Follower, RunEnd};
use serde_json::{Value, json};

use super::Cuts;
use super::databases::{Database, OnPostgres, OnSqlite};
use crate::support::event::{event, frames, idle, message, session};
use crate::support::fake_api::{FakeApi, Step, stream};
use crate::support::random::cancel_after;

const LAST: i64 = 9;

/// Holes and an unknown type among them.
fn log() -> Vec<Value> {
    let dreamt = event(3, "agent.dreamt", json!({}));
    vec![
        message(1),
        dreamt,
        message(4),
        message(6),
        message(8),
        idle(9, "end_turn"),
    ]
}

/// One consumer after the other follows the same turn.
struct Turn<D> {
    api: FakeApi,
    database: D,
}

impl<D: Database> Turn<D> {
    /// The list knows the first half of the log.
    async fn open() -> Option<Self> {
        let database = D::open().await?;
        let api = FakeApi::start().await;
        api.set_session(session("running", json!(null), 9))
            .set_log(log()[..3].to_vec())
            .set_page(2);
        Some(Self { api, database })
    }

    fn follow(&self, consumer: &str) -> Follow<D::Store> {
        let events = self.api.client().sessions().events("sess_1");
        events.follow(consumer, self.database.store())
    }

    /// The next stream comes in pieces and breaks off once; the one after it repeats everything and stays open.
    fn breaks_once(&self) {
        let pieces = |text: String| {
            let pieces = text.as_bytes().chunks(100);
            pieces.map(|piece| Step::Send(piece.to_vec())).collect::<Vec<_>>()
        };
        let (mut broken, mut whole) = (stream(""), stream(""));
        broken.extend(pieces(frames(&log()[..4])));
        broken.push(Step::Reset);
        whole.extend(pieces(frames(&log())));
        whole.push(Step::Hang);
        self.api.on_stream(broken).on_stream(whole);
    }

    /// Goes on to the settlement with the same follower; then every effect stands once, and the cursor is the log's end.
    async fn finish(&self, consumer: &str, follower: &mut Follower<D::Store>) {
        self.database.nothing_is_held().await;
        while let Some(mut delivery) = follower.next().await.unwrap() {
            let (event, transaction) = delivery.parts();
            D::apply(consumer, transaction, event).await;
            delivery.commit().await.unwrap();
        }
        assert_eq!(self.database.applied(consumer).await, [1, 3, 4, 6, 8, LAST]);
        assert_eq!(self.database.cursor(consumer).await, Some(LAST));
        assert_eq!(follower.settlement().unwrap().seq.get(), 9);
        self.database.nothing_is_held().await;
    }
}

/// Writes the effects, and waits in between.
struct Rows<D> {
    consumer: String,
    database: PhantomData<fn() -> D>,
}

impl<D: Database> Rows<D> {
    fn of(consumer: &str) -> Self {
        Self {
            consumer: consumer.to_owned(),
            database: PhantomData,
        }
    }
}

impl<D: Database> EventHandler<D::Transaction> for Rows<D> {
    type Error = Infallible;

    async fn handle(&mut self, transaction: &mut D::Transaction, event: &Event) -> Result<(), Infallible> {
        tokio::task::yield_now().await;
        D::apply(&self.consumer, transaction, event).await;
        tokio::task::yield_now().await;
        Ok(())
    }
}

/// Drops the start of a follow everywhere. Nothing changes by it.
async fn start<D: Database>() {
    let Some(turn) = Turn::<D>::open().await else {
        return;
    };
    let mut cuts = Cuts::of(&["Follow::start"]).at_least(4);
    while let Some(waits) = cuts.place() {
        let consumer = format!("start {}", cuts.run());
        let start = cancel_after(waits, turn.follow(&consumer).start()).await;
        drop(cuts.cut(start));
        turn.database.nothing_is_held().await;
        turn.breaks_once();
        let mut follower = turn.follow(&consumer).start().await.unwrap();
        turn.finish(&consumer, &mut follower).await;
    }
    cuts.waited();
    // At the head of a Session that is settled, where the event at the cursor is looked at.
    turn.api
        .set_session(session("idle", json!("end_turn"), 9))
        .set_log(log());
    let mut cuts = Cuts::of(&["Follow::start"]).at_least(4);
    while let Some(waits) = cuts.place() {
        let start = cancel_after(waits, turn.follow("start 1").start()).await;
        drop(cuts.cut(start));
        turn.database.nothing_is_held().await;
        let mut follower = turn.follow("start 1").start().await.unwrap();
        assert!(follower.next().await.unwrap().is_none());
        assert_eq!(turn.database.cursor("start 1").await, Some(LAST));
    }
    cuts.waited();
}

/// Drops a whole follow everywhere, by one event or in batches, from the stream or with the list first.
async fn deliveries<D: Database>() {
    let Some(turn) = Turn::<D>::open().await else {
        return;
    };
    for list_above in [u64::MAX, 0] {
        let mut cuts = Cuts::of(&["Follower::next", "Delivery::commit"]).at_least(20);
        while let Some(waits) = cuts.place() {
            let consumer = format!("next {list_above} {}", cuts.run());
            turn.breaks_once();
            let follow = turn.follow(&consumer).list_above(list_above);
            let mut follower = follow.start().await.unwrap();
            let all = async {
                while let Some(mut delivery) = follower.next().await.unwrap() {
                    let (event, transaction) = delivery.parts();
                    D::apply(&consumer, transaction, event).await;
                    delivery.commit().await.unwrap();
                }
            };
            cuts.cut(cancel_after(waits, all).await);
            turn.finish(&consumer, &mut follower).await;
        }
        cuts.waited();
        let mut cuts = Cuts::of(&["Follower::next_batch", "Batch::commit"]).at_least(10);
        while let Some(waits) = cuts.place() {
            let consumer = format!("batch {list_above} {}", cuts.run());
            turn.breaks_once();
            let follow = turn.follow(&consumer).list_above(list_above);
            let mut follower = follow.start().await.unwrap();
            let all = async {
                let linger = Duration::from_millis(1);
                while let Some(mut batch) = follower.next_batch(4, linger).await.unwrap() {
                    let (events, transaction) = batch.parts();
                    for event in events {
                        D::apply(&consumer, transaction, event).await;
                    }
                    batch.commit().await.unwrap();
                }
            };
            cuts.cut(cancel_after(waits, all).await);
            turn.finish(&consumer, &mut follower).await;
        }
        cuts.waited();
    }
}

/// Drops runs everywhere, within their handlers too, and handlers alone.
async fn runs<D: Database>() {
    let Some(turn) = Turn::<D>::open().await else {
        return;
    };
    let mut cuts = Cuts::of(&["Follower::run"]).at_least(20);
    while let Some(waits) = cuts.place() {
        let consumer = format!("run {}", cuts.run());
        turn.breaks_once();
        let mut follower = turn.follow(&consumer).start().await.unwrap();
        let mut rows = Rows::<D>::of(&consumer);
        let settled = cuts.cut(cancel_after(waits, follower.run(&mut rows)).await);
        assert!(settled.is_none_or(|settled| settled.unwrap().seq.get() == 9));
        turn.database.nothing_is_held().await;
        assert_eq!(follower.run(&mut rows).await.unwrap().seq.get(), 9);
        turn.finish(&consumer, &mut follower).await;
    }
    cuts.waited();
    let mut cuts = Cuts::of(&["Follower::run_until"]).at_least(20);
    while let Some(waits) = cuts.place() {
        let consumer = format!("run until {}", cuts.run());
        turn.breaks_once();
        let mut follower = turn.follow(&consumer).start().await.unwrap();
        let mut rows = Rows::<D>::of(&consumer);
        let never = std::future::pending();
        cuts.cut(cancel_after(waits, follower.run_until(&mut rows, never)).await);
        turn.database.nothing_is_held().await;
        let end = follower.run_until(&mut rows, std::future::ready(())).await;
        let cursor = turn.database.cursor(&consumer).await.filter(|seq| *seq > 0);
        match end.unwrap() {
            RunEnd::Stopped { cursor: told } => {
                assert!(told.map(|seq| i64::try_from(seq.get()).unwrap()) <= cursor);
            }
            end => assert!(matches!(end, RunEnd::Settled(_)) && cursor == Some(LAST)),
        }
        turn.finish(&consumer, &mut follower).await;
    }
    cuts.waited();
    let mut cuts = Cuts::of(&["EventHandler::handle"]).at_least(2);
    while let Some(waits) = cuts.place() {
        let consumer = format!("handle {}", cuts.run());
        turn.breaks_once();
        let mut follower = turn.follow(&consumer).start().await.unwrap();
        let mut rows = Rows::<D>::of(&consumer);
        let mut delivery = follower.next().await.unwrap().unwrap();
        let (event, transaction) = delivery.parts();
        cuts.cut(cancel_after(waits, rows.handle(transaction, event)).await);
        drop(delivery);
        turn.database.nothing_is_held().await;
        assert!(turn.database.applied(&consumer).await.is_empty());
        turn.finish(&consumer, &mut follower).await;
    }
    cuts.waited();
}

/// Drops a stop everywhere: the follow is over all the same, and another goes on where it stood.
async fn stop<D: Database>() {
    let Some(turn) = Turn::<D>::open().await else {
        return;
    };
    let mut cuts = Cuts::of(&["Follower::stop"]).at_least(2);
    while let Some(waits) = cuts.place() {
        let consumer = format!("stop {}", cuts.run());
        let mut hanging = stream(frames(&log()[..1]));
        hanging.push(Step::Hang);
        turn.api.on_stream(hanging);
        let mut follower = turn.follow(&consumer).start().await.unwrap();
        let mut delivery = follower.next().await.unwrap().unwrap();
        let (event, transaction) = delivery.parts();
        D::apply(&consumer, transaction, event).await;
        delivery.commit().await.unwrap();
        let stopped = cuts.cut(cancel_after(waits, follower.stop()).await);
        assert!(stopped.is_none_or(|cursor| cursor.unwrap().map(|seq| seq.get()) == Some(1)));
        turn.database.nothing_is_held().await;
        // The connection of this follower, and the one that each finished follower before it left hanging.
        turn.api
            .hung_up(usize::try_from(cuts.run()).unwrap() * 2 - 1)
            .await;
        turn.breaks_once();
        let mut follower = turn.follow(&consumer).start().await.unwrap();
        turn.finish(&consumer, &mut follower).await;
    }
    cuts.waited();
}

/// FOL-3, FOL-6, FOL-7: on SQLite, whatever of a follow is dropped and wherever it waits, the follower goes on, each effect stands
/// once, the cursor is the end of the log, and the pool's one connection is free.
#[tokio::test]
async fn a_follow_on_sqlite_may_be_dropped_everywhere() {
    start::<OnSqlite>().await;
    deliveries::<OnSqlite>().await;
    runs::<OnSqlite>().await;
    stop::<OnSqlite>().await;
}

/// FOL-3, FOL-6, FOL-7: so it is on PostgreSQL.
#[tokio::test]
async fn a_follow_on_postgres_may_be_dropped_everywhere() {
    start::<OnPostgres>().await;
    deliveries::<OnPostgres>().await;
    runs::<OnPostgres>().await;
    stop::<OnPostgres>().await;
}
