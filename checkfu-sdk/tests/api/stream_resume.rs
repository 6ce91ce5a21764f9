use std::sync::{Arc, Mutex};
use std::time::Duration;

use checkfu_sdk::client::{Interruption, StreamChange};
use checkfu_sdk::error::StopCause;
use checkfu_sdk::model::LogId;
use checkfu_sdk::retry::{Backoff, ReconnectPolicy};
use checkfu_sdk::stream::{EventStream, StreamState};
use checkfu_sdk::{Error, Result, Seq};
use futures::{StreamExt, TryStreamExt};
use serde_json::{Value, json};

use crate::support::clock::ManualClock;
use crate::support::event::{event, frame, frames, idle, message, session};
use crate::support::fake_api::{FakeApi, Step, answer, stream};

async fn seqs(stream: &mut EventStream, count: usize) -> Vec<u64> {
    let events: Vec<_> = stream.take(count).try_collect().await.unwrap();
    events.iter().map(|event| event.seq().get()).collect()
}

fn completed(seq: u64) -> Value {
    event(seq, "session.status_completed", json!({}))
}

/// A Session that runs on: no stream is worth ending for it.
async fn running() -> FakeApi {
    let api = FakeApi::start().await;
    api.set_session(session("running", json!(null), 99));
    api
}

/// STR-2, STR-8, REP-20: a stream that breaks goes on after the last event that it delivered, whatever broke it. It
/// reads, and sends no input again.
#[tokio::test]
async fn a_break_is_mended_from_the_delivered_cursor() {
    let api = running().await;
    let half = frame(&message(4));
    let mut reset = stream(frames(&[message(3)]) + &half[..half.len() - 1]);
    reset.push(Step::Reset);
    api.on_stream(stream(frames(&[message(1), message(2)])))
        .on_stream(reset)
        .on_stream(stream(": nothing but life\n\n"))
        .on_stream(answer(503, "", ""))
        .on_stream(vec![Step::Reset])
        .on_stream(stream(frames(&[message(4), message(9)])))
        .on_stream(stream(frames(&[completed(12)])));
    let mut events = api.client().sessions().events(api.session_id()).stream().open();
    assert_eq!(seqs(&mut events, 6).await, [1, 2, 3, 4, 9, 12]);
    assert!(events.next().await.is_none());
    let cursors = api.stream_cursors();
    let cursors: Vec<_> = cursors
        .iter()
        .map(|cursor| cursor.as_deref().unwrap_or("none"))
        .collect();
    assert_eq!(cursors, ["none", "2", "3", "3", "3", "3", "9"]);
    assert!(api.requests().iter().all(|request| request.method == "GET"));
}

/// STR-2, SDK-2, REP-21, REP-52: the given cursor is sent as it is, 0 included; no cursor sends none.
#[tokio::test]
async fn the_first_connection_sends_the_given_cursor() {
    for (after, sent) in [(Some(12), Some("12")), (Some(0), Some("0")), (None, None)] {
        let api = running().await;
        api.on_stream(stream(frames(&[message(20)])));
        let mut events = api.client().sessions().events("sess_1").stream();
        if let Some(after) = after {
            events = events.after(Seq::from(after));
        }
        assert_eq!(seqs(&mut events.open(), 1).await, [20]);
        let request = &api.requests()[0];
        assert_eq!(request.target, "/v1/sessions/sess_1/events/stream");
        assert_eq!(request.headers["accept"], "text/event-stream");
        assert_eq!(request.headers.get("last-event-id").map(String::as_str), sent);
    }
}

/// STR-4, REP-48: an event at or below the cursor is delivered once, on one connection and over several; order stays.
#[tokio::test]
async fn replays_are_dropped() {
    let api = running().await;
    api.on_stream(stream(frames(&[
        message(1),
        message(2),
        message(2),
        message(1),
        message(5),
    ])))
    .on_stream(stream(frames(&[
        message(1),
        message(4),
        message(5),
        message(6),
        completed(8),
    ])));
    let mut events = api.client().sessions().events("sess_1").stream().open();
    assert_eq!(seqs(&mut events, 5).await, [1, 2, 5, 6, 8]);
    assert!(events.next().await.is_none());

    let api = running().await;
    api.on_stream(stream(frames(&[message(3), message(4), message(5)])));
    let mut events = api
        .client()
        .sessions()
        .events("sess_1")
        .stream()
        .after(Seq::from(4))
        .open();
    assert_eq!(seqs(&mut events, 1).await, [5]);
}

/// STR-5, REP-55: the answer never depends on how the network cuts the bytes.
#[tokio::test]
async fn frames_may_be_cut_anywhere() {
    let api = running().await;
    let text = frames(&[
        message(1),
        event(2, "agent.message", json!({ "content": "\u{1F980}\u{e9}" })),
        completed(3),
    ]);
    let mut script = stream("");
    script.extend(text.bytes().map(|byte| Step::Send(vec![byte])));
    api.on_stream(script);
    let mut events = api.client().sessions().events("sess_1").stream().open();
    assert_eq!(seqs(&mut events, 3).await, [1, 2, 3]);
}

/// STR-8, A-CLI, REP-38, REP-47: the reconnects are bounded; spent on errors they end in the last, retryable error,
/// which tells them.
#[tokio::test]
async fn the_budget_spent_on_errors_is_a_retryable_error() {
    let api = running().await;
    for _ in 0..9 {
        api.on_stream(answer(503, "request-id: req_9\r\n", ""));
    }
    let quick = Backoff::between(Duration::from_millis(1), Duration::from_millis(2));
    let policy = ReconnectPolicy::default().max_reconnects(3).backoff(quick);
    let mut events = api
        .client()
        .sessions()
        .events("sess_1")
        .stream()
        .reconnect_policy(policy)
        .open();
    let error = events.next().await.unwrap().unwrap_err();
    assert!(error.is_retryable() && matches!(error, Error::Api(_)));
    let attempts = error.attempts().unwrap();
    assert_eq!((attempts.count, attempts.stopped), (4, StopCause::AttemptsSpent));
    assert_eq!(error.request_id().unwrap().as_str(), "req_9");
    assert_eq!(api.stream_cursors().len(), 4);
    assert!(events.next().await.is_none(), "an error is the last item");
    assert_eq!(events.state(), StreamState::Ended);
}

/// A-CLI: spent on connections that closed in good order, the reconnects end the stream without an error.
#[tokio::test]
async fn the_budget_spent_on_clean_closes_ends_the_stream() {
    let api = running().await;
    for _ in 0..9 {
        api.on_stream(stream(": hello\n\n"));
    }
    let quick = Backoff::between(Duration::from_millis(1), Duration::from_millis(2));
    let policy = ReconnectPolicy::default().max_reconnects(3).backoff(quick);
    let mut events = api
        .client()
        .sessions()
        .events("sess_1")
        .stream()
        .reconnect_policy(policy)
        .open();
    assert!(events.next().await.is_none());
    assert_eq!(api.stream_cursors().len(), 4);
    assert_eq!(
        api.session_reads(),
        4,
        "each close without events asks the session first"
    );
}

/// A-CLI: progress fills the budget, so a stream with one event a connection lives on.
#[tokio::test]
async fn progress_fills_the_budget() {
    let api = running().await;
    for seq in 1..=30 {
        api.on_stream(stream(frames(&[message(seq)])));
    }
    let quick = Backoff::between(Duration::from_millis(1), Duration::from_millis(2));
    let policy = ReconnectPolicy::default().max_reconnects(1).backoff(quick);
    let mut events = api
        .client()
        .sessions()
        .events("sess_1")
        .stream()
        .reconnect_policy(policy)
        .open();
    assert_eq!(seqs(&mut events, 30).await.len(), 30);
}

/// A-CLI: a connection that stayed open for 60 s fills the budget, too; a shorter one does not.
#[tokio::test]
async fn a_long_connection_fills_the_budget() {
    for (open_for, refilled) in [(60, true), (59, false)] {
        let api = running().await;
        let clock = ManualClock::new();
        let closes: Vec<_> = (0..3).map(|_| Arc::new(tokio::sync::Notify::new())).collect();
        for close in &closes {
            let mut script = stream(": hello\n\n");
            script.push(Step::Until(Arc::clone(close)));
            api.on_stream(script);
        }
        let policy = ReconnectPolicy::default().max_reconnects(1);
        let client = api
            .builder()
            .clock(clock.clone())
            .reconnect_policy(policy)
            .build()
            .unwrap();
        let mut events = client.sessions().events("sess_1").stream().open();
        let reading = tokio::spawn(async move { events.next().await.map(|item| item.map(drop)) });
        let is_idle = |sleep| sleep == Duration::from_secs(60);
        let is_backoff = |sleep: Duration| (500..=1000).contains(&sleep.as_millis());
        clock.slept(is_idle).await;
        closes[0].notify_one();
        let wait = clock.slept(is_backoff).await;
        clock.forget();
        clock.advance(wait);
        clock.slept(is_idle).await;
        clock.forget();
        clock.advance(Duration::from_secs(open_for) - Duration::from_millis(1));
        clock.advance(Duration::from_millis(1));
        closes[1].notify_one();
        if refilled {
            clock.slept(is_backoff).await;
            assert!(!reading.is_finished());
        } else {
            assert!(reading.await.unwrap().is_none());
            assert_eq!(api.stream_cursors().len(), 2);
        }
    }
}

/// WIRE-4, A-CLI, REP-19, REP-38: waits grow from 0.5 s to 8 s by default, and `Retry-After` is a lower bound for them.
#[tokio::test]
async fn waits_grow_and_honour_retry_after() {
    let api = running().await;
    let clock = ManualClock::new();
    for header in ["", "", "", "", "", "retry-after: 33\r\n"] {
        api.on_stream(answer(503, header, ""));
    }
    api.on_stream(stream(frames(&[message(1)])));
    let builder = api
        .builder()
        .clock(clock.clone())
        .reconnect_policy(ReconnectPolicy::default());
    let mut events = builder
        .build()
        .unwrap()
        .sessions()
        .events("sess_1")
        .stream()
        .open();
    let reading = tokio::spawn(async move { seqs(&mut events, 1).await });
    for (low, high) in [
        (500, 1000),
        (1000, 2000),
        (2000, 4000),
        (4000, 8000),
        (4000, 8000),
        (33_000, 33_000),
    ] {
        let wait = clock
            .slept(|sleep| (low..=high).contains(&sleep.as_millis()))
            .await;
        let connections = api.stream_cursors().len();
        clock.advance(wait - Duration::from_millis(1));
        assert_eq!(api.stream_cursors().len(), connections, "tried early");
        clock.advance(Duration::from_millis(1));
    }
    assert_eq!(reading.await.unwrap(), [1]);
}

/// WIRE-4, A-CLI, REP-26, REP-27: a `Retry-After` above the cap is not slept through nor cut short: the error comes
/// back with it.
#[tokio::test]
async fn too_long_a_retry_after_comes_back() {
    let api = running().await;
    api.on_stream(answer(429, "retry-after: 3600\r\n", ""));
    let mut events = api.client().sessions().events("sess_1").stream().open();
    let error = events.next().await.unwrap().unwrap_err();
    assert_eq!(error.retry_after(), Some(Duration::from_secs(3600)));
    assert_eq!(error.attempts().unwrap().stopped, StopCause::RetryAfterTooLong);
    assert!(error.is_retryable());
    assert_eq!(api.stream_cursors().len(), 1);
}

/// REP-49: the stream's own `retry` line is a lower bound as well, up to the longest wait of the policy; 0 makes no hot
/// loop.
#[tokio::test]
async fn the_retry_line_is_a_bounded_lower_bound() {
    for (line, low, high) in [
        ("retry: 3000", 3000, 3000),
        ("retry: 86400000", 8000, 8000),
        ("retry: 0", 500, 1000),
    ] {
        let api = running().await;
        let clock = ManualClock::new();
        api.on_stream(stream(format!("{line}\n\n") + &frames(&[message(1)])));
        let builder = api
            .builder()
            .clock(clock.clone())
            .reconnect_policy(ReconnectPolicy::default());
        let events = builder
            .build()
            .unwrap()
            .sessions()
            .events("sess_1")
            .stream()
            .open();
        let reading = tokio::spawn(async move { events.try_collect::<Vec<_>>().await.map(drop) });
        clock
            .slept(|sleep| (low..=high).contains(&sleep.as_millis()))
            .await;
        reading.abort();
    }
}

/// REP-37: interruptions are no items; they show in the observer and in the state.
#[tokio::test]
async fn interruptions_show_in_observer_and_state() {
    let api = running().await;
    let mut broken = stream(frames(&[message(2)]));
    broken.push(Step::Reset);
    api.on_stream(stream(frames(&[message(1)])))
        .on_stream(broken)
        .on_stream(answer(500, "", ""))
        .on_stream(stream(frames(&[idle(3, "end_turn"), completed(4)])));
    let seen = Arc::new(Mutex::new(Vec::new()));
    let log = Arc::clone(&seen);
    let observer = move |log_id: &LogId, change: &StreamChange<'_>| {
        assert_eq!(*log_id, LogId::of_session("sess_1"));
        log.lock().unwrap().push(match change {
            StreamChange::Opened { after, reconnects } => format!("opened after {after:?}, {reconnects}"),
            StreamChange::Interrupted {
                cause: Interruption::Closed,
                ..
            } => "closed".to_owned(),
            StreamChange::Interrupted {
                cause: Interruption::Failed(error),
                ..
            } => format!("failed: {error}"),
            StreamChange::Waiting { reconnect, .. } => format!("waiting {reconnect}"),
            StreamChange::Ended => "ended".to_owned(),
            other => format!("{other:?}"),
        });
    };
    let mut events = api
        .client()
        .sessions()
        .events("sess_1")
        .stream()
        .observer(observer)
        .open();
    assert_eq!(events.state(), StreamState::Idle);
    assert!(events.next().await.unwrap().is_ok());
    assert_eq!(events.state(), StreamState::Open);
    assert_eq!(events.last_seq(), Some(Seq::from(1)));
    let rest: Vec<_> = events.by_ref().collect::<Vec<Result<_>>>().await;
    assert_eq!(rest.len(), 3);
    assert_eq!(events.state(), StreamState::Ended);
    let seen = seen.lock().unwrap().clone();
    let one = "Some(Seq(1))";
    let two = "Some(Seq(2))";
    let expected = [
        "opened after None, 0".to_owned(),
        "closed".into(),
        "waiting 1".into(),
        format!("opened after {one}, 1"),
        "failed: the connection broke before the answer was whole".into(),
        "waiting 1".into(),
        "failed: the server answered 500".into(),
        "waiting 2".into(),
        format!("opened after {two}, 2"),
    ];
    assert_eq!(seen[..expected.len()], expected);
    assert_eq!(seen.last().map(String::as_str), Some("ended"));
}

/// STR-2, REP-25: the cursor lives outside the connection, the stream and the client: a stream that is opened anew
/// after the last one's `last_seq`, with another client, resumes there.
#[tokio::test]
async fn a_new_stream_goes_on_where_the_last_one_stood() {
    let api = running().await;
    api.on_stream(stream(frames(&[message(1), message(2), message(3)])))
        .on_stream(stream(frames(&[message(3), message(4)])));
    let mut events = api.client().sessions().events("sess_1").stream().open();
    assert_eq!(seqs(&mut events, 2).await, [1, 2]);
    let stood = events.last_seq().unwrap();
    drop(events);
    let mut events = api
        .client()
        .sessions()
        .events("sess_1")
        .stream()
        .after(stood)
        .open();
    assert_eq!(seqs(&mut events, 2).await, [3, 4]);
    assert_eq!(api.stream_cursors(), [None, Some("2".to_owned())]);
}

/// STR-2, REP-54: a resumed stream that breaks before its first event keeps its cursor, whatever broke it.
#[tokio::test]
async fn a_break_before_the_first_event_keeps_the_cursor() {
    let api = running().await;
    api.on_stream(stream(""))
        .on_stream(answer(503, "", ""))
        .on_stream(vec![Step::Reset])
        .on_stream(stream("id:\ndata: {}\n\n"))
        .on_stream(stream(frames(&[message(13)])));
    let events = api.client().sessions().events("sess_1").stream();
    assert_eq!(seqs(&mut events.after(Seq::from(12)).open(), 1).await, [13]);
    assert_eq!(api.stream_cursors(), vec![Some("12".to_owned()); 5]);
}
