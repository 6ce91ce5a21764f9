use std::sync::Arc;
use std::time::Duration;

use checkfu_sdk::cursor::SqliteCursorStore;
use checkfu_sdk::follow::{Batch, FollowError, Follower};
use checkfu_sdk::{Error, Seq};
use serde_json::{Value, json};
use tokio::sync::Notify;

use crate::support::clock::ManualClock;
use crate::support::event::{frames, idle, message, session};
use crate::support::fake_api::{FakeApi, Step, stream};
use crate::support::projection::{Projection, apply};
use crate::support::random::{Random, cancel_after};

/// Longer than any clock of these tests goes.
const LONG: Duration = Duration::from_secs(3_600);

/// A running Session that streams `log`, piece by piece of so many events.
async fn api(log: &[Value], piece: usize) -> FakeApi {
    let api = FakeApi::start().await;
    let mut script = stream("");
    let pieces = log.chunks(piece);
    script.extend(pieces.map(|piece| Step::Send(frames(piece).into_bytes())));
    script.push(Step::Hang);
    api.set_session(session("running", json!(null), 99))
        .set_log(log.to_vec())
        .on_stream(script);
    api
}

/// A follower whose clock stands still, so that only a test lets a batch stop waiting.
async fn follow(api: &FakeApi, projection: &Projection) -> (Follower<SqliteCursorStore>, ManualClock) {
    let clock = ManualClock::new();
    let client = api.builder().clock(clock.clone()).build().unwrap();
    let events = client.sessions().events("sess_1");
    let follow = events.follow("billing", projection.store.clone());
    (follow.start().await.unwrap(), clock)
}

async fn apply_batch(batch: &mut Batch<'_, SqliteCursorStore>) -> Vec<u64> {
    let (events, transaction) = batch.parts();
    for event in events {
        apply(transaction, event).await.unwrap();
    }
    events.iter().map(|event| event.seq().get()).collect()
}

fn turn() -> Vec<Value> {
    let mut log: Vec<Value> = [1, 2, 4, 5, 7, 8].into_iter().map(message).collect();
    log.push(idle(9, "end_turn"));
    log.push(message(10));
    log
}

/// FOL-1, FOL-6: the effects of a batch and the cursor commit together, at most `max` events at a time; the settling event
/// ends its batch without waiting for more, and then the follow.
#[tokio::test]
async fn a_batch_commits_many_events_at_once() {
    let api = api(&turn(), 8).await;
    let projection = Projection::new().await;
    let (mut follower, _clock) = follow(&api, &projection).await;
    let mut applied = Vec::new();
    for expected in [vec![1, 2, 4], vec![5, 7, 8], vec![9]] {
        let mut batch = follower.next_batch(3, LONG).await.unwrap().unwrap();
        assert_eq!(apply_batch(&mut batch).await, expected);
        assert_eq!(
            projection.applied().await,
            applied,
            "an effect shows before it is committed"
        );
        let last = *expected.last().unwrap();
        assert_eq!(batch.commit().await.unwrap().get(), last);
        applied.extend(expected.into_iter().map(|seq| i64::try_from(seq).unwrap()));
        assert_eq!(projection.applied().await, applied);
        let event_id = format!("evt_{last:032x}");
        assert_eq!(
            projection.cursor().await,
            Some((i64::try_from(last).unwrap(), Some(event_id)))
        );
    }
    assert!(follower.next_batch(3, LONG).await.unwrap().is_none());
    assert_eq!(follower.settlement().unwrap().seq, Seq::from(9));
}

/// A batch that is not full is handed out once `linger` has passed, and never before there is one event.
#[tokio::test]
async fn a_batch_waits_no_longer_than_it_may() {
    let api = FakeApi::start().await;
    let (first, rest) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let mut script = stream("");
    script.extend([
        Step::Until(Arc::clone(&first)),
        Step::Send(frames(&[message(1)]).into_bytes()),
        Step::Until(Arc::clone(&rest)),
        Step::Send(frames(&[message(2)]).into_bytes()),
        Step::Hang,
    ]);
    api.set_session(session("running", json!(null), 99))
        .on_stream(script);
    let projection = Projection::new().await;
    let (mut follower, clock) = follow(&api, &projection).await;
    let linger = Duration::from_millis(50);
    for (sent, seq) in [(first, 1), (rest, 2)] {
        let mut next = Box::pin(follower.next_batch(10, linger));
        assert!(futures::poll!(next.as_mut()).is_pending());
        sent.notify_one();
        let lingering = tokio::select! {
            batch = next.as_mut() => panic!("{batch:?} did not wait for more"),
            slept = clock.slept(|slept| slept == linger) => slept,
        };
        clock.advance(lingering);
        let batch = next.await.unwrap().unwrap();
        assert_eq!(batch.events().len(), 1);
        assert_eq!(batch.commit().await.unwrap(), Seq::from(seq));
    }
}

/// FOL-3: a batch that is dropped leaves nothing, and its events come again: as a batch of another size, or one by one.
#[tokio::test]
async fn a_dropped_batch_comes_again() {
    let api = api(&turn(), 8).await;
    let projection = Projection::new().await;
    let (mut follower, _clock) = follow(&api, &projection).await;
    let mut batch = follower.next_batch(5, LONG).await.unwrap().unwrap();
    assert_eq!(apply_batch(&mut batch).await, [1, 2, 4, 5, 7]);
    drop(batch);
    let mut delivery = follower.next().await.unwrap().unwrap();
    let (event, transaction) = delivery.parts();
    apply(transaction, event).await.unwrap();
    delivery.commit().await.unwrap();
    for (max, expected) in [(2, vec![2, 4]), (0, vec![5]), (99, vec![7, 8, 9])] {
        let mut batch = follower.next_batch(max, LONG).await.unwrap().unwrap();
        assert_eq!(apply_batch(&mut batch).await, expected);
        batch.commit().await.unwrap();
    }
    assert!(follower.next().await.unwrap().is_none());
    assert_eq!(projection.applied().await, [1, 2, 4, 5, 7, 8, 9]);
    assert_eq!(api.stream_cursors().len(), 1);
}

/// FOL-1, FOL-6: what a rival applied meanwhile is left out of a batch, and a settlement among it ends the follow.
#[tokio::test]
async fn what_a_rival_applied_is_left_out_of_a_batch() {
    let api = api(&turn(), 8).await;
    api.on_stream(stream(frames(&turn())));
    let projection = Projection::new().await;
    let (mut follower, _clock) = follow(&api, &projection).await;
    drop(follower.next_batch(4, LONG).await.unwrap().unwrap());
    let (mut rival, _clock) = follow(&api, &projection).await;
    let mut batch = rival.next_batch(2, LONG).await.unwrap().unwrap();
    assert_eq!(apply_batch(&mut batch).await, [1, 2]);
    batch.commit().await.unwrap();
    let mut batch = follower.next_batch(4, LONG).await.unwrap().unwrap();
    assert_eq!(apply_batch(&mut batch).await, [4, 5]);
    drop(batch);
    while let Some(mut batch) = rival.next_batch(9, LONG).await.unwrap() {
        apply_batch(&mut batch).await;
        batch.commit().await.unwrap();
    }
    assert!(
        follower.next_batch(9, LONG).await.unwrap().is_none(),
        "an applied event was handed out"
    );
    assert_eq!(follower.settlement(), rival.settlement());
    assert_eq!(projection.applied().await, [1, 2, 4, 5, 7, 8, 9]);
}

/// FOL-4, FOL-5: what was read before the stream failed is handed out first; then comes the failure, unchanged.
#[tokio::test]
async fn what_was_read_before_a_failure_is_handed_out_first() {
    let api = FakeApi::start().await;
    let mut script = stream(frames(&[message(1), message(2)]));
    script.push(Step::Send(b"id: 3\ndata: {}\n\n".to_vec()));
    api.set_session(session("running", json!(null), 99))
        .on_stream(script);
    let projection = Projection::new().await;
    let (mut follower, _clock) = follow(&api, &projection).await;
    let mut batch = follower.next_batch(9, LONG).await.unwrap().unwrap();
    assert_eq!(apply_batch(&mut batch).await, [1, 2]);
    drop(batch);
    let mut batch = follower.next_batch(9, LONG).await.unwrap().unwrap();
    assert_eq!(apply_batch(&mut batch).await, [1, 2]);
    batch.commit().await.unwrap();
    let error = follower.next_batch(9, LONG).await.unwrap_err();
    assert!(
        matches!(error, FollowError::Read(Error::Protocol(_))),
        "{error:?}"
    );
    assert_eq!(projection.applied().await, [1, 2]);
}

/// FOL-3: gathering, effects and commit of batches may be dropped at any await, also while the list is read; nothing is
/// lost and nothing stands twice.
#[tokio::test]
async fn batches_may_be_dropped_anywhere() {
    let mut random = Random::new("batches_may_be_dropped_anywhere");
    const EVENTS: u64 = 60;
    let mut log: Vec<Value> = (1..EVENTS).map(message).collect();
    log.push(idle(EVENTS, "end_turn"));
    let api = FakeApi::start().await;
    let text = frames(&log);
    let mut script = stream("");
    script.extend(text.as_bytes().chunks(50).map(|chunk| Step::Send(chunk.to_vec())));
    script.push(Step::Hang);
    // The list knows half of the log; the stream repeats that and goes on.
    api.set_session(session("running", json!(null), EVENTS))
        .set_log(log[..30].to_vec())
        .set_page(7)
        .on_stream(script);
    let projection = Projection::new().await;
    let events = api.client().sessions().events("sess_1");
    let follow = events.follow("billing", projection.store.clone()).list_above(10);
    let mut follower = follow.start().await.unwrap();
    let mut cancelled = 0;
    loop {
        let max = 1 + usize::try_from(random.below(5)).unwrap();
        let linger = Duration::from_millis(random.below(2));
        let step = async {
            let Some(mut batch) = follower.next_batch(max, linger).await.unwrap() else {
                return false;
            };
            apply_batch(&mut batch).await;
            batch.commit().await.unwrap();
            true
        };
        match cancel_after(random.below(8), step).await {
            Some(true) => {}
            Some(false) => break,
            None => cancelled += 1,
        }
    }
    eprintln!("{cancelled} cancelled");
    assert!(cancelled > 10, "only {cancelled} were cancelled");
    let expected: Vec<i64> = (1..=i64::try_from(EVENTS).unwrap()).collect();
    assert_eq!(projection.applied().await, expected);
    assert!(api.lists().len() >= 5 && api.stream_cursors() == [Some("30".to_owned())]);
}

/// REP-51: neither comments nor events begin the wait for more anew: a batch is handed out once `linger` has passed
/// since its first event.
#[tokio::test]
async fn the_wait_for_more_is_not_restarted() {
    let api = FakeApi::start().await;
    let go_on = Arc::new(Notify::new());
    let mut script = stream(frames(&[message(1)]));
    for part in [frames(&[message(2)]), ": alive\n\n".to_owned()] {
        script.push(Step::Until(Arc::clone(&go_on)));
        script.push(Step::Send(part.into_bytes()));
    }
    script.push(Step::Hang);
    api.set_session(session("running", json!(null), 99))
        .on_stream(script);
    let projection = Projection::new().await;
    let (mut follower, clock) = follow(&api, &projection).await;
    let linger = Duration::from_secs(10);
    let gathering = tokio::spawn(async move {
        let batch = follower.next_batch(10, linger).await.unwrap().unwrap();
        batch.events().len()
    });
    clock.slept(|slept| slept == linger).await;
    for _ in 0..2 {
        clock.advance(Duration::from_secs(4));
        go_on.notify_one();
        for _ in 0..3 {
            // Whatever the server sent has arrived by the time it has answered this.
            drop(
                api.client()
                    .sessions()
                    .retrieve(&"sess_other".into())
                    .await
                    .unwrap(),
            );
        }
        assert!(!gathering.is_finished());
    }
    clock.advance(Duration::from_secs(2));
    assert_eq!(gathering.await.unwrap(), 2);
}
