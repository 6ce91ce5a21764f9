use std::sync::{Arc, Mutex};

use checkfu_sdk::cursor::{
    Advance, Cursor, CursorKey, CursorStore, PgCursorStore, Position, SqlxCursorError,
};
use checkfu_sdk::events::SessionEvents;
use checkfu_sdk::follow::FollowError;
use checkfu_sdk::{Client, Seq};
use serde_json::{Value, json};

use crate::support::event::{frames, idle, message, session};
use crate::support::fake_api::{FakeApi, Step, stream};
use crate::support::pg_projection::{PgProjection, PgTransaction, apply};
use crate::support::random::Random;

const EVENTS: u64 = 40;

type Failure = FollowError<SqlxCursorError>;

fn log() -> Vec<Value> {
    (1..EVENTS)
        .map(message)
        .chain([idle(EVENTS, "end_turn")])
        .collect()
}

/// A server that repeats everything at each connection and breaks most of them off.
async fn unruly(random: &mut Random, connections: usize) -> FakeApi {
    let api = FakeApi::start().await;
    api.set_session(session("running", json!(null), EVENTS))
        .set_log(log());
    let text = frames(&log());
    for connection in 0..connections {
        let cut = match connection % 8 {
            0 | 7 => text.len(),
            _ => usize::try_from(random.below(text.len() as u64)).unwrap(),
        };
        let mut script = stream(&text[..cut]);
        if random.below(2) == 0 && connection > 1 {
            script.push(Step::Reset);
        }
        api.on_stream(script);
    }
    api
}

/// What a rival's work must look like from the store's side.
trait Rival: CursorStore<Transaction = PgTransaction, Error = SqlxCursorError> + 'static {}
impl<S: CursorStore<Transaction = PgTransaction, Error = SqlxCursorError> + 'static> Rival for S {}

/// Two rivals meet at the first event: the second one comes while the first has applied it and not committed.
async fn meet<S: Rival>(
    projection: &PgProjection,
    events: &SessionEvents,
    stores: [S; 2],
) -> Result<(), Failure> {
    let [one, other] = stores.map(|store| events.follow("billing", store));
    let (mut one, mut other) = (one.start().await?, other.start().await?);
    let mut first = one.next().await?.unwrap();
    let (event, transaction) = first.parts();
    apply(transaction, event).await.unwrap();
    let mut second = Box::pin(other.next());
    let met = tokio::select! {
        met = second.as_mut() => Some(met),
        () = projection.someone_waits() => None,
    };
    first.commit().await?;
    let met = match met {
        Some(met) => met,
        None => second.await,
    };
    let mut second = met?.unwrap();
    let (event, transaction) = second.parts();
    apply(transaction, event).await.unwrap();
    second.commit().await.map(drop)
}

/// Three rivals that abandon deliveries and meet breaks and repeats, until each of them learns of the settlement.
async fn compete<S: Rival>(client: &Client, stores: [Arc<S>; 3], random: &mut Random) -> Result<(), Failure> {
    let rivals = stores.map(|store| {
        let (events, mut random) = (client.sessions().events("sess_1"), random.fork());
        tokio::spawn(async move {
            loop {
                let mut follower = events
                    .follow("billing", Arc::clone(&store))
                    .input(Seq::from(1))
                    .start()
                    .await?;
                loop {
                    let mut delivery = match follower.next().await {
                        Ok(Some(delivery)) => delivery,
                        Ok(None) => return Ok(()),
                        Err(error) if error.is_reconnectable() => break,
                        Err(error) => return Err(error),
                    };
                    if random.below(3) == 0 {
                        continue;
                    }
                    let (event, transaction) = delivery.parts();
                    apply(transaction, event).await.unwrap();
                    match random.below(5) {
                        0 => {}
                        1 => {
                            drop(delivery);
                            break;
                        }
                        _ => drop(delivery.commit().await?),
                    }
                }
            }
        })
    });
    for rival in rivals {
        rival.await.unwrap()?;
    }
    Ok(())
}

/// What became of rivals on stores made by `store`; `Err` says what went wrong.
async fn rivals<S: Rival>(
    projection: &PgProjection,
    random: &mut Random,
    store: impl Fn() -> S,
) -> Result<(), String> {
    let api = unruly(random, 400).await;
    let client = api.client();
    let events = client.sessions().events("sess_1");
    let told = |failure: Failure| failure.to_string();
    meet(projection, &events, [store(), store()])
        .await
        .map_err(told)?;
    let stores = [(); 3].map(|()| Arc::new(store()));
    compete(&client, stores, random).await.map_err(told)?;
    let expected: Vec<i64> = (1..=i64::try_from(EVENTS).unwrap()).collect();
    let applied = projection.applied().await;
    if applied == expected {
        Ok(())
    } else {
        Err(format!("applied {applied:?}"))
    }
}

/// FOL-1, FOL-2, FOL-3, STR-4: rivals on one cursor in PostgreSQL apply each event once and in order.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rivals_on_postgres_apply_each_event_once() {
    let mut random = Random::new("rivals_on_postgres_apply_each_event_once");
    let Some(projection) = PgProjection::find(4).await else {
        return;
    };
    let store = || projection.store.clone();
    assert_eq!(rivals(&projection, &mut random, store).await, Ok(()));
}

/// Reads the cursor without locking it.
struct Unlocked(PgCursorStore);

/// Locks the cursor, and then lets what it remembers decide instead of what stands in its row.
struct Remembering {
    store: PgCursorStore,
    remembered: Mutex<Cursor>,
}

macro_rules! as_before {
    ($($store:tt)+) => {
        type Transaction = PgTransaction;
        type Error = SqlxCursorError;

        async fn begin(&self) -> Result<PgTransaction, SqlxCursorError> {
            self.$($store)+.begin().await
        }

        async fn forget(&self, transaction: &mut PgTransaction, key: &CursorKey) -> Result<bool, SqlxCursorError> {
            self.$($store)+.forget(transaction, key).await
        }

        async fn commit(&self, transaction: PgTransaction) -> Result<(), SqlxCursorError> {
            self.$($store)+.commit(transaction).await
        }
    };
}

impl CursorStore for Unlocked {
    as_before!(0);

    async fn lock(
        &self,
        transaction: &mut PgTransaction,
        key: &CursorKey,
    ) -> Result<Cursor, SqlxCursorError> {
        let select = "SELECT seq FROM checkfu_cursors WHERE consumer = $1 AND session_id = $2";
        let select = sqlx::query_scalar::<_, i64>(select)
            .bind(&key.consumer)
            .bind(key.session_id.as_str());
        let seq = select.fetch_optional(&mut **transaction).await?;
        let seq = seq.and_then(|seq| Seq::new(u64::try_from(seq).unwrap()));
        Ok(Cursor::new(seq.map(|seq| Position::new(seq, None)), None))
    }

    async fn advance(
        &self,
        transaction: &mut PgTransaction,
        key: &CursorKey,
        from: Option<Seq>,
        to: &Cursor,
    ) -> Result<Advance, SqlxCursorError> {
        self.0.advance(transaction, key, from, to).await
    }
}

impl CursorStore for Remembering {
    as_before!(store);

    async fn lock(
        &self,
        transaction: &mut PgTransaction,
        key: &CursorKey,
    ) -> Result<Cursor, SqlxCursorError> {
        self.store.lock(transaction, key).await?;
        Ok(self.remembered.lock().unwrap().clone())
    }

    async fn advance(
        &self,
        transaction: &mut PgTransaction,
        key: &CursorKey,
        _: Option<Seq>,
        to: &Cursor,
    ) -> Result<Advance, SqlxCursorError> {
        let stored = self.store.lock(transaction, key).await?;
        *self.remembered.lock().unwrap() = to.clone();
        self.store.advance(transaction, key, stored.seq(), to).await
    }
}

/// FOL-1, FOL-2: the same rivals go wrong where the cursor is not locked, and where one in memory decides.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rivals_go_wrong_without_the_rules() {
    let mut random = Random::new("rivals_go_wrong_without_the_rules");
    let Some(projection) = PgProjection::find(4).await else {
        return;
    };
    let unlocked = || Unlocked(projection.store.clone());
    let failure = rivals(&projection, &mut random, unlocked).await.unwrap_err();
    assert_eq!(failure, "the cursor was moved past seq 1 while it was locked");
    let Some(projection) = PgProjection::find(4).await else {
        return;
    };
    let remembering = || Remembering {
        store: projection.store.clone(),
        remembered: Mutex::default(),
    };
    let failure = Box::pin(rivals(&projection, &mut random, remembering))
        .await
        .unwrap_err();
    assert!(failure.starts_with("applied [1, 1"), "{failure}");
}
