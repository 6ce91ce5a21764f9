use std::time::Duration;

use checkfu_sdk::Error;
use checkfu_sdk::error::{Limit, TransportErrorKind};
use checkfu_sdk::retry::ReconnectPolicy;
use futures::{FutureExt, StreamExt};
use serde_json::json;
use std::sync::Arc;
use tokio::sync::Notify;

use crate::support::clock::ManualClock;
use crate::support::event::{frames, message, session};
use crate::support::fake_api::{FakeApi, Step, stream};

const IDLE: Duration = Duration::from_secs(60);

fn is_idle(sleep: Duration) -> bool {
    sleep == IDLE
}

async fn running() -> FakeApi {
    let api = FakeApi::start().await;
    api.set_session(session("running", json!(null), 99));
    api
}

/// A-CLI, REP-8, REP-9, REP-39: 60 s without a byte break a connection, and the stream goes on from its cursor. 59.999
/// s do not.
#[tokio::test]
async fn silence_breaks_a_connection() {
    let api = running().await;
    let clock = ManualClock::new();
    let mut silent = stream(frames(&[message(1)]));
    silent.push(Step::Hang);
    api.on_stream(silent).on_stream(stream(frames(&[message(2)])));
    let client = api.builder().clock(clock.clone()).build().unwrap();
    let mut events = client.sessions().events("sess_1").stream().open();
    assert_eq!(events.next().await.unwrap().unwrap().seq().get(), 1);
    let reading = tokio::spawn(async move { events.next().await.unwrap().unwrap().seq().get() });
    clock.slept(is_idle).await;
    clock.advance(IDLE - Duration::from_millis(1));
    tokio::task::yield_now().await;
    assert_eq!(api.stream_cursors().len(), 1);
    clock.advance(Duration::from_millis(1));
    api.hung_up(1).await;
    let wait = clock.slept(|sleep| sleep <= Duration::from_millis(4)).await;
    clock.advance(wait);
    assert_eq!(reading.await.unwrap(), 2);
    assert_eq!(api.stream_cursors()[1].as_deref(), Some("1"));
}

/// A-CLI, REP-10, REP-44, REP-57: a comment counts as life, and the event behind it arrives.
#[tokio::test]
async fn a_comment_counts_as_life() {
    let api = running().await;
    let clock = ManualClock::new();
    let (comment, last) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let mut script = stream("");
    script.push(Step::Until(Arc::clone(&comment)));
    script.push(Step::Send(b": alive\n".to_vec()));
    script.push(Step::Until(Arc::clone(&last)));
    script.push(Step::Send(frames(&[message(1)]).into_bytes()));
    script.push(Step::Hang);
    api.on_stream(script);
    let client = api.builder().clock(clock.clone()).build().unwrap();
    let mut events = client.sessions().events("sess_1").stream().open();
    let reading = tokio::spawn(async move { events.next().await.unwrap().unwrap().seq().get() });
    clock.slept(is_idle).await;
    clock.advance(Duration::from_secs(50));
    comment.notify_one();
    // The timer of the first silence rings after 60 s and is set again for the rest of the second one.
    let second = Duration::from_secs(60);
    loop {
        clock.advance(Duration::from_secs(2));
        if clock
            .slept(|sleep| sleep > Duration::from_secs(40) && sleep < second)
            .now_or_never()
            .is_some()
        {
            break;
        }
        tokio::task::yield_now().await;
        assert!(
            !reading.is_finished() && api.stream_cursors().len() == 1,
            "the comment was not taken for life"
        );
    }
    last.notify_one();
    assert_eq!(reading.await.unwrap(), 1);
    assert_eq!(api.stream_cursors().len(), 1);
}

/// A-CLI, REP-43, REP-56: a reader that was away never takes its own pause for the server's silence.
#[tokio::test]
async fn a_slow_reader_is_no_dead_server() {
    let api = running().await;
    let clock = ManualClock::new();
    let more = Arc::new(Notify::new());
    let mut script = stream(frames(&[message(1), message(2)]));
    script.push(Step::Until(Arc::clone(&more)));
    script.push(Step::Send(frames(&[message(3)]).into_bytes()));
    script.push(Step::Hang);
    api.on_stream(script);
    let client = api.builder().clock(clock.clone()).build().unwrap();
    let mut events = client.sessions().events("sess_1").stream().open();
    for seq in [1, 2] {
        assert_eq!(events.next().await.unwrap().unwrap().seq().get(), seq);
        clock.advance(IDLE * 3);
    }
    let reading = tokio::spawn(async move { events.next().await.unwrap().unwrap().seq().get() });
    clock.slept(is_idle).await;
    more.notify_one();
    assert_eq!(reading.await.unwrap(), 3);
    assert_eq!(api.stream_cursors().len(), 1, "the connection was given up");
}

/// REP-9: a server that accepts and never answers is left after the first-byte limit; silence spent is a retryable
/// error.
#[tokio::test]
async fn a_server_that_never_answers_is_left() {
    let api = running().await;
    let clock = ManualClock::new();
    let limit = Duration::from_secs(30);
    let policy = ReconnectPolicy::default().max_reconnects(0);
    let client = api
        .builder()
        .clock(clock.clone())
        .reconnect_policy(policy)
        .build()
        .unwrap();
    let mut events = client.sessions().events("sess_1").stream().open();
    let reading = tokio::spawn(async move { events.next().await.unwrap().unwrap_err() });
    clock.slept(|sleep| sleep == limit).await;
    while api.stream_cursors().is_empty() {
        tokio::task::yield_now().await;
    }
    clock.advance(limit);
    let error = reading.await.unwrap();
    assert!(error.is_retryable());
    let Error::Transport(error) = error else {
        panic!("{error:?}")
    };
    assert_eq!(
        error.kind(),
        TransportErrorKind::TimedOut {
            limit: Limit::FirstByte,
            after: limit
        }
    );
    api.hung_up(1).await;
}

/// REP-11, REP-41, REP-58: no limit applies to a stream as a whole: one that lives for a day on comments is not cut.
#[tokio::test]
async fn a_stream_has_no_total_limit() {
    let api = running().await;
    let clock = ManualClock::new();
    let signals: Vec<_> = (0..50).map(|_| Arc::new(Notify::new())).collect();
    let mut script = stream("");
    for (seq, signal) in (1..).zip(&signals) {
        script.push(Step::Until(Arc::clone(signal)));
        script.push(Step::Send(frames(&[message(seq)]).into_bytes()));
    }
    script.push(Step::Hang);
    api.on_stream(script);
    let client = api.builder().clock(clock.clone()).build().unwrap();
    let mut events = client.sessions().events("sess_1").stream().open();
    for (seq, signal) in (1..).zip(&signals) {
        signal.notify_one();
        assert_eq!(events.next().await.unwrap().unwrap().seq().get(), seq);
        clock.advance(Duration::from_secs(1800));
    }
    assert_eq!(api.stream_cursors().len(), 1);
}

/// STR-6, REP-36: a stream that is dropped cancels its request, while it waits and in the middle of its events.
#[tokio::test]
async fn dropping_a_stream_cancels_its_request() {
    let api = running().await;
    let mut script = stream(frames(&[message(1), message(2)]));
    script.push(Step::Hang);
    api.on_stream(script);
    let mut events = api.client().sessions().events("sess_1").stream().open();
    assert_eq!(events.next().await.unwrap().unwrap().seq().get(), 1);
    drop(events);
    api.hung_up(1).await;
    let mut waiting = api.client().sessions().events("sess_1").stream().open();
    assert!(waiting.next().now_or_never().is_none());
    let reached = async {
        while api.stream_cursors().len() < 2 {
            let _ = tokio::time::timeout(Duration::from_millis(1), waiting.next()).await;
        }
    };
    reached.await;
    drop(waiting);
    api.hung_up(2).await;
}
