//! Streams and calls that share an HTTP/2 connection, and those that have one each: a stream that nobody reads holds back
//! no other, and a server's limit is told.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use checkfu_sdk::client::{Interruption, StreamChange};
use checkfu_sdk::error::TransportErrorKind;
use checkfu_sdk::model::LogId;
use checkfu_sdk::retry::ReconnectPolicy;
use checkfu_sdk::stream::EventStream;
use checkfu_sdk::{Client, Error};
use futures::StreamExt;
use serde_json::json;
use tokio::sync::Notify;

use crate::support::clock::ManualClock;
use crate::support::event::{frames, message, session};
use crate::support::fake_api::{FakeApi, Step, stream};
use crate::support::h2_api::H2Api;

/// The limit on the first byte, which is 30 s unless it is set.
const FIRST_BYTE: Duration = Duration::from_secs(30);

/// The longest wait before another try.
const LONGEST_WAIT: Duration = Duration::from_secs(8);

/// Fails a test that would hang otherwise.
const PATIENCE: Duration = Duration::from_secs(120);

fn open(client: &Client, session_id: &str) -> EventStream {
    client.sessions().events(session_id).stream().open()
}

/// Lets the limit on the first byte pass for the next request: one is counted for its key, one for its answer.
async fn waits_in_vain(clock: &ManualClock) {
    for _ in 0..2 {
        clock.slept(|limit| limit == FIRST_BYTE).await;
    }
    clock.advance(FIRST_BYTE);
}

async fn call(client: &Client) {
    let (sessions, id) = (client.sessions(), "sess_1".into());
    let call = tokio::time::timeout(PATIENCE, sessions.retrieve(&id)).await;
    call.expect("no answer came").unwrap();
}

async fn event(events: &mut EventStream) -> u64 {
    let event = tokio::time::timeout(PATIENCE, events.next()).await;
    event.expect("no event came").unwrap().unwrap().seq().get()
}

/// 120 streams that nobody reads, each filled by the server as far as it goes, hold back neither another stream nor
/// a call, on the connections that they share. A connection gets 100 of them.
#[tokio::test]
async fn stalled_streams_hold_back_no_other() {
    let api = H2Api::start(100).await;
    let client = api.builder().build().unwrap();
    let mut stalled = Vec::new();
    for number in 0..120 {
        let mut events = open(&client, &format!("full_{number}"));
        assert_eq!(event(&mut events).await, 1, "stream {number}");
        stalled.push(events);
        tokio::time::timeout(PATIENCE, api.stalled(number + 1))
            .await
            .unwrap();
    }
    // More than the whole of the window that a connection has by default.
    tokio::time::timeout(PATIENCE, api.sent(8 << 20)).await.unwrap();
    let mut live = open(&client, "live");
    assert_eq!(event(&mut live).await, 1);
    api.next_event();
    assert_eq!(event(&mut live).await, 2);
    call(&client).await;
    let connections = api.connections("/stream");
    let on = |number| {
        connections
            .iter()
            .filter(|connection| **connection == number)
            .count()
    };
    assert_eq!((on(0), on(1)), (100, 21));
    assert_eq!(
        api.connections("/sess_1"),
        [2],
        "a call shares no connection with streams"
    );
}

/// The same over HTTP/1.1, where each stream has a connection of its own.
#[tokio::test]
async fn stalled_streams_hold_back_no_other_over_http_1() {
    let api = FakeApi::start().await;
    api.set_session(session("idle", json!(null), 1));
    let client = api.client();
    let mut stalled = Vec::new();
    for _ in 0..120 {
        let mut script = stream(frames(&[message(1)]));
        script.push(Step::Fill);
        api.on_stream(script);
        let mut events = open(&client, "sess_1");
        assert_eq!(event(&mut events).await, 1);
        stalled.push(events);
    }
    let signal = Arc::new(Notify::new());
    let mut script = stream(frames(&[message(1)]));
    script.extend([
        Step::Until(Arc::clone(&signal)),
        Step::Send(frames(&[message(2)]).into()),
        Step::Hang,
    ]);
    api.on_stream(script);
    let mut live = open(&client, "sess_1");
    assert_eq!(event(&mut live).await, 1);
    signal.notify_one();
    assert_eq!(event(&mut live).await, 2);
    call(&client).await;
}

/// A server that allows fewer streams at once than are opened: the one too many is told so at the limit on the first byte,
/// in type and in words, and may be tried again; a call is not touched.
#[tokio::test]
async fn a_servers_limit_on_streams_is_told() {
    let (api, clock) = (H2Api::start(2).await, ManualClock::new());
    let client = api
        .builder()
        .clock(clock.clone())
        .reconnect_policy(ReconnectPolicy::default().max_reconnects(0))
        .build()
        .unwrap();
    let (mut first, mut second) = (open(&client, "a"), open(&client, "b"));
    assert_eq!((event(&mut first).await, event(&mut second).await), (1, 1));
    let mut third = open(&client, "c");
    clock.forget();
    let (item, ()) = tokio::join!(third.next(), waits_in_vain(&clock));
    let error = item.unwrap().unwrap_err();
    assert!(error.is_retryable());
    let Error::Transport(error) = &error else {
        panic!("{error:?}");
    };
    let kind = TransportErrorKind::NoFreeStream {
        open: 2,
        after: FIRST_BYTE,
    };
    assert_eq!(error.kind(), kind);
    assert!(
        error.to_string().starts_with(
            "no answer began within 30.0 s on an HTTP/2 connection with 2 others: the server may allow no more at once"
        ),
        "{error}"
    );
    call(&client).await;
    api.next_event();
    assert_eq!((event(&mut first).await, event(&mut second).await), (2, 2));
}

/// The same where the stream may connect again: its observer is told of the wait, and it goes on over a further connection.
/// The limit is known from then on, and the next streams do not wait for it.
#[tokio::test]
async fn a_stream_goes_on_over_another_connection() {
    let (api, clock) = (H2Api::start(2).await, ManualClock::new());
    let told = Arc::new(Mutex::new(Vec::new()));
    let telling = Arc::clone(&told);
    let client = api
        .builder()
        .clock(clock.clone())
        .observer(move |_: &LogId, change: &StreamChange<'_>| {
            if let StreamChange::Interrupted {
                cause: Interruption::Failed(Error::Transport(error)),
                ..
            } = change
            {
                telling.lock().unwrap().push(error.kind());
            }
        })
        .build()
        .unwrap();
    let mut streams = Vec::new();
    for number in 0..7 {
        let mut events = open(&client, &format!("{number}"));
        clock.forget();
        let again = async {
            if number == 2 {
                waits_in_vain(&clock).await;
                clock.advance(clock.slept(|wait| wait <= LONGEST_WAIT).await);
            }
        };
        assert_eq!(tokio::join!(event(&mut events), again).0, 1);
        streams.push(events);
    }
    let kind = TransportErrorKind::NoFreeStream {
        open: 2,
        after: FIRST_BYTE,
    };
    assert_eq!(*told.lock().unwrap(), [kind]);
    assert_eq!(api.connections("/stream"), [0, 0, 1, 1, 2, 2, 3]);
    // A connection that has room again gets the next stream.
    drop(streams.remove(0));
    let mut events = open(&client, "again");
    assert_eq!(event(&mut events).await, 1);
    assert_eq!(api.connections("/again/events/stream"), [0]);
    api.next_event();
    for events in &mut streams {
        assert_eq!(event(events).await, 2);
    }
}

/// A connection that died without a word is given up after one request that waited in vain: the next attempt has another.
#[tokio::test]
async fn a_dead_connection_is_given_up() {
    let (api, clock) = (H2Api::start(100).await, ManualClock::new());
    let client = api.builder().clock(clock.clone()).build().unwrap();
    call(&client).await;
    api.freeze();
    clock.forget();
    let again = async {
        waits_in_vain(&clock).await;
        clock.advance(clock.slept(|wait| wait <= LONGEST_WAIT).await);
    };
    tokio::join!(call(&client), again);
    call(&client).await;
    assert_eq!(api.connections("/sess_1"), [0, 1, 1]);
}
