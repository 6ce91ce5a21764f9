use checkfu_sdk::follow::FollowError;
use serde_json::{Value, json};

use crate::support::event::{frames, idle, message, session};
use crate::support::fake_api::{FakeApi, Step, stream};
use crate::support::projection::{Projection, apply};
use crate::support::random::{Random, cancel_after};

const EVENTS: u64 = 40;

fn log() -> Vec<Value> {
    (1..=EVENTS)
        .map(|seq| {
            if seq == EVENTS {
                idle(seq, "end_turn")
            } else {
                message(seq)
            }
        })
        .collect()
}

/// A server that repeats everything at each connection, splits frames and breaks off.
async fn unruly(random: &mut Random, connections: usize) -> FakeApi {
    let api = FakeApi::start().await;
    let log = log();
    api.set_session(session("running", json!(null), EVENTS))
        .set_log(log.clone());
    for connection in 0..connections {
        let text = frames(&log);
        let cut = if connection % 8 != 7 {
            random.below(text.len() as u64) as usize
        } else {
            text.len()
        };
        let size = 1 + random.below(400) as usize;
        let mut script = stream("");
        script.extend(
            text.as_bytes()[..cut]
                .chunks(size)
                .map(|chunk| Step::Send(chunk.to_vec())),
        );
        if random.below(2) == 0 {
            script.push(Step::Reset);
        }
        api.on_stream(script);
    }
    api
}

/// FOL-1, FOL-2, FOL-3, STR-4: three rivals on one cursor, which abandon deliveries and meet breaks and repeats, apply
/// each event once and in order; each of them learns of the settlement.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn rivals_apply_each_event_once() {
    let mut random = Random::new("rivals_apply_each_event_once");
    let api = unruly(&mut random, 400).await;
    let projection = Projection::new().await;
    let mut rivals = Vec::new();
    for _ in 0..3 {
        let (events, store) = (api.client().sessions().events("sess_1"), projection.store.clone());
        let mut random = random.fork();
        rivals.push(tokio::spawn(async move {
            loop {
                let mut follower = events.follow("billing", store.clone()).start().await?;
                loop {
                    let mut delivery = match follower.next().await {
                        Ok(Some(delivery)) => delivery,
                        Ok(None) => return Ok(follower.settlement().unwrap().seq.get()),
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
        }));
    }
    let settle_all = async {
        // A rival that starts when all is applied must find a settled session.
        while projection.cursor().await.map(|(seq, _)| seq) != Some(i64::try_from(EVENTS).unwrap()) {
            tokio::task::yield_now().await;
        }
        api.set_session(session("idle", json!("end_turn"), EVENTS));
    };
    settle_all.await;
    for rival in rivals {
        let settled: Result<u64, FollowError<_>> = rival.await.unwrap();
        assert_eq!(settled.unwrap(), EVENTS);
    }
    let expected: Vec<i64> = (1..=i64::try_from(EVENTS).unwrap()).collect();
    assert_eq!(projection.applied().await, expected);
}

/// FOL-1, FOL-6: an event that a rival applied meanwhile is skipped without being handed out, and a settlement that
/// is skipped so ends the follow all the same.
#[tokio::test]
async fn what_a_rival_applied_is_skipped() {
    let api = FakeApi::start().await;
    let log = log();
    api.set_session(session("running", json!(null), EVENTS))
        .set_log(log.clone());
    api.on_stream(stream(frames(&log)))
        .on_stream(stream(frames(&log)));
    let projection = Projection::new().await;
    let events = api.client().sessions().events("sess_1");
    let mut slow = events
        .follow("billing", projection.store.clone())
        .start()
        .await
        .unwrap();
    assert_eq!(slow.next().await.unwrap().unwrap().event().seq().get(), 1);
    let mut fast = events
        .follow("billing", projection.store.clone())
        .start()
        .await
        .unwrap();
    while let Some(mut delivery) = fast.next().await.unwrap() {
        let (event, transaction) = delivery.parts();
        apply(transaction, event).await.unwrap();
        delivery.commit().await.unwrap();
    }
    assert!(
        slow.next().await.unwrap().is_none(),
        "an applied event was handed out"
    );
    assert_eq!(slow.settlement(), fast.settlement());
    assert_eq!(projection.applied().await.len(), log.len());
}

/// FOL-3, REP-45: fetch, effect and commit may be dropped at any await; nothing is lost, nothing stands twice, and the
/// store stays usable.
#[tokio::test]
async fn cancellation_at_any_point_loses_nothing() {
    let mut random = Random::new("cancellation_at_any_point_loses_nothing");
    let api = FakeApi::start().await;
    let log = log();
    let mut script = stream("");
    script.extend(
        frames(&log)
            .as_bytes()
            .chunks(50)
            .map(|chunk| Step::Send(chunk.to_vec())),
    );
    script.push(Step::Hang);
    api.set_session(session("running", json!(null), EVENTS))
        .set_log(log)
        .on_stream(script);
    let projection = Projection::new().await;
    let events = api.client().sessions().events("sess_1");
    let mut follower = events
        .follow("billing", projection.store.clone())
        .start()
        .await
        .unwrap();
    let mut cancelled = 0;
    loop {
        let step = async {
            let Some(mut delivery) = follower.next().await.unwrap() else {
                return false;
            };
            let (event, transaction) = delivery.parts();
            apply(transaction, event).await.unwrap();
            delivery.commit().await.unwrap();
            true
        };
        match cancel_after(random.below(6), step).await {
            Some(true) => {}
            Some(false) => break,
            None => cancelled += 1,
        }
    }
    eprintln!("{cancelled} cancelled");
    assert!(cancelled > 10, "only {cancelled} were cancelled");
    let expected: Vec<i64> = (1..=i64::try_from(EVENTS).unwrap()).collect();
    assert_eq!(projection.applied().await, expected);
}
