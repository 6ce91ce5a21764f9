//! What `tracing` is told, with the feature of that name. Each test runs in a process of its own: what one thread listens to,
//! `tracing` may remember for the others.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use checkfu_sdk::client::{ClientBuilder, StreamChange};
use checkfu_sdk::input::UserMessage;
use checkfu_sdk::model::LogId;
use checkfu_sdk::retry::{Backoff, ReconnectPolicy, RetryPolicy};
use futures::StreamExt;
use serde_json::json;
use tracing::Level;
use tracing::subscriber::DefaultGuard;

use crate::support::alone::is_alone;
use crate::support::event::{frames, message, session};
use crate::support::fake_api::{FakeApi, Step, answer, stream};
use crate::support::recorder::Recorder;

fn record() -> (Recorder, DefaultGuard) {
    let recorder = Recorder::default();
    let guard = tracing::subscriber::set_default(recorder.clone());
    (recorder, guard)
}

/// Waits of 3 ms each, so that their texts are known.
fn backoff() -> Backoff {
    Backoff::between(Duration::from_millis(3), Duration::from_millis(3))
}

fn builder(api: &FakeApi) -> ClientBuilder {
    api.builder()
        .retry_policy(RetryPolicy::default().backoff(backoff()))
        .reconnect_policy(ReconnectPolicy::default().max_reconnects(2).backoff(backoff()))
}

/// A call is one span, with its method and its route, and each further attempt an event in it, with the wait before it and
/// what went wrong. A call that succeeds at once tells no more than its span, and one that is given up no attempt that
/// was not made.
#[tokio::test]
async fn a_call_is_a_span_in_which_its_retries_are_told() {
    if !is_alone("traces::a_call_is_a_span_in_which_its_retries_are_told") {
        return;
    }
    let (recorder, _guard) = record();
    let api = FakeApi::start().await;
    let client = builder(&api).build().unwrap();
    let span = r#"checkfu.call method="GET" route="/v1/sessions/{session_id}""#;
    let again = |attempt: u32, status: u16| {
        format!(
            "checkfu.call: trying again attempt={attempt} wait=3ms status={status} \
             error=the server answered {status}"
        )
    };

    api.set_session(session("running", json!(null), 9));
    client.sessions().retrieve(&api.session_id()).await.unwrap();
    assert_eq!(recorder.take(), [span]);

    api.on_session(answer(503, "", ""))
        .on_session(answer(500, "", ""));
    client.sessions().retrieve(&api.session_id()).await.unwrap();
    assert_eq!(recorder.take(), [span.to_owned(), again(1, 503), again(2, 500)]);

    for status in [503, 502, 500] {
        api.on_session(answer(status, "", ""));
    }
    client.sessions().retrieve(&api.session_id()).await.unwrap_err();
    assert_eq!(recorder.take(), [span.to_owned(), again(1, 503), again(2, 502)]);

    api.on_session(answer(404, "", ""));
    client.sessions().retrieve(&api.session_id()).await.unwrap_err();
    assert_eq!(recorder.take(), [span]);

    api.on_session(vec![Step::Reset]);
    client.sessions().retrieve(&api.session_id()).await.unwrap();
    let broken = "checkfu.call: trying again attempt=1 wait=3ms \
                  error=the connection broke before the answer was whole";
    assert_eq!(recorder.take(), [span, broken]);
    assert!(recorder.levels().iter().all(|level| *level == Level::DEBUG));
}

/// A stream tells each connection, each interruption with its cause and the last event that was delivered, each wait, and
/// its end once, however it ends: in good order, given up, or refused. An observer hears of the same changes.
#[tokio::test]
async fn a_stream_tells_how_it_goes_on_and_how_it_ends() {
    if !is_alone("traces::a_stream_tells_how_it_goes_on_and_how_it_ends") {
        return;
    }
    let (recorder, _guard) = record();
    let api = FakeApi::start().await;
    let changes = Arc::new(Mutex::new(0));
    let observed = Arc::clone(&changes);
    let client = builder(&api)
        .observer(move |_: &LogId, _: &StreamChange<'_>| *observed.lock().unwrap() += 1)
        .build()
        .unwrap();
    api.set_session(session("running", json!(null), 9));
    let failure = "event: error\ndata: {\"type\": \"error\", \"error\": {}}\n\n";
    api.on_stream(stream(""))
        .on_stream(stream(format!("{}{failure}", frames(&[message(1)]))))
        .on_stream(stream(frames(&[message(2)])));
    api.on_stream(answer(204, "", ""));
    let mut events = client.sessions().events("sess_1").stream().open();
    while let Some(event) = events.next().await {
        event.unwrap();
    }
    let told = recorder.take();
    let expected = [
        "stream opened session=\"sess_1\" reconnects=0",
        "stream interrupted session=\"sess_1\" cause=\"closed in good order\"",
        "stream waits session=\"sess_1\" wait=3ms reconnect=1",
        "stream opened session=\"sess_1\" reconnects=1",
        "stream interrupted session=\"sess_1\" after=1 cause=\"the connection broke before the answer was whole\"",
        "stream waits session=\"sess_1\" wait=3ms reconnect=1",
        "stream opened session=\"sess_1\" after=1 reconnects=2",
        "stream interrupted session=\"sess_1\" after=2 cause=\"closed in good order\"",
        "stream waits session=\"sess_1\" wait=3ms reconnect=1",
        "stream ended session=\"sess_1\"",
    ];
    assert_eq!(told, expected);
    assert_eq!(*changes.lock().unwrap(), told.len());

    for _ in 0..3 {
        api.on_stream(answer(503, "", ""));
    }
    let thread = client.sessions().threads("sess_1").events("sthr_2");
    let mut events = thread.stream().after(7.into()).open();
    assert!(events.next().await.unwrap().is_err() && events.next().await.is_none());
    let log = "session=\"sess_1\" thread=\"sthr_2\"";
    let interrupted = format!("stream interrupted {log} after=7 cause=\"the server answered 503\"");
    let waits = |reconnect: u32| format!("stream waits {log} wait=3ms reconnect={reconnect}");
    let expected = [
        interrupted.clone(),
        waits(1),
        interrupted.clone(),
        waits(2),
        interrupted,
        format!("stream ended {log}"),
    ];
    assert_eq!(recorder.take(), expected);

    api.on_stream(answer(403, "", ""));
    let mut items = client.sessions().events("sess_1").stream().open_with_previews([]);
    assert!(items.next().await.unwrap().is_err() && items.next().await.is_none());
    let expected = [
        "stream interrupted session=\"sess_1\" cause=\"the server answered 403\"",
        "stream ended session=\"sess_1\"",
    ];
    assert_eq!(recorder.take(), expected);
    assert!(recorder.levels().iter().all(|level| *level == Level::DEBUG));
}

/// Neither the key nor the value of a further header is told, where a server repeats them in a refusal, on a stream
/// or in a header; and no text of an input or an event, nor an id in a route.
#[tokio::test]
async fn no_secret_and_no_text_is_told() {
    if !is_alone("traces::no_secret_and_no_text_is_told") {
        return;
    }
    let (recorder, _guard) = record();
    let api = FakeApi::start().await;
    let client = builder(&api)
        .header("x-gateway-token", "token-of-the-gateway")
        .build()
        .unwrap();
    let repeated = json!({ "error": {
        "code": "key-of-the-test", "message": "you sent key-of-the-test and token-of-the-gateway",
    } })
    .to_string();
    let id = "request-id: key-of-the-test\r\n";
    api.set_session(session("running", json!(null), 9));
    api.on_session(answer(503, id, &repeated));
    client.sessions().retrieve(&api.session_id()).await.unwrap();
    api.on_list(answer(403, id, &repeated));
    let input = UserMessage::new("a text of the user").by("prin_1");
    client.sessions().events("sess_1").send(input).await.unwrap_err();
    let failure = json!({ "type": "error", "error": { "message": "key-of-the-test, token-of-the-gateway" } });
    let failure = format!("event: error\ndata: {failure}\n\n");
    api.on_stream(answer(503, id, &repeated))
        .on_stream(stream(format!("{}{failure}", frames(&[message(1)]))))
        .on_stream(stream("id: 9\ndata: key-of-the-test token-of-the-gateway\n\n"));
    let mut events = client.sessions().events("sess_1").stream().open();
    assert!(events.next().await.unwrap().is_ok());
    assert!(events.next().await.unwrap().is_err());
    let told = recorder.take();
    let told_of = |part: &str| told.iter().filter(|line| line.contains(part)).count();
    assert_eq!(told_of("checkfu.call method="), 2, "{told:?}");
    assert_eq!(told_of("trying again"), 1, "{told:?}");
    assert!(told_of("stream interrupted") >= 2, "{told:?}");
    assert!(told_of("you sent") >= 2, "{told:?}");
    for secret in [
        "key-of-the-test",
        "token-of-the-gateway",
        "a text of the user",
        "message 1",
        "/sess_1",
    ] {
        assert_eq!(told_of(secret), 0, "{secret} was told: {told:?}");
    }
}

/// The trace that a request belongs to is asked for in the span that makes it: that of a call, for each of its attempts,
/// and that of whoever polls a stream.
#[tokio::test]
async fn the_trace_is_asked_for_in_the_span_of_the_request() {
    if !is_alone("traces::the_trace_is_asked_for_in_the_span_of_the_request") {
        return;
    }
    let (recorder, _guard) = record();
    let api = FakeApi::start().await;
    let spans = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&spans);
    let client = builder(&api)
        .traceparent(move || {
            seen.lock().unwrap().push(recorder.span());
            None
        })
        .build()
        .unwrap();
    api.set_session(session("running", json!(null), 9));
    api.on_session(answer(503, "", ""));
    client.sessions().retrieve(&api.session_id()).await.unwrap();
    assert_eq!(*spans.lock().unwrap(), [Some("checkfu.call"); 2]);
    api.on_stream(stream(frames(&[message(1)])));
    let mut events = client.sessions().events("sess_1").stream().open();
    let own = tracing::debug_span!(target: "checkfu_sdk", "own");
    tracing::Instrument::instrument(events.next(), own)
        .await
        .unwrap()
        .unwrap();
    assert_eq!(spans.lock().unwrap()[2..], [Some("own")]);
}
