use checkfu_sdk::error::{CursorGap, ErrorCode};
use checkfu_sdk::sse::BlockTooLarge;
use checkfu_sdk::{Error, Event, EventData, Limits, Seq};
use futures::{StreamExt, TryStreamExt};
use serde_json::{Value, json};

use crate::support::event::{event, frame, frames, message, session};
use crate::support::fake_api::{FakeApi, Step, answer, stream};

async fn api(script: Vec<Step>) -> FakeApi {
    let api = FakeApi::start().await;
    api.set_session(session("running", json!(null), 99))
        .on_stream(script);
    api
}

/// The items of a stream over one connection, up to the first error or `count`.
async fn items(script: Vec<Step>, count: usize) -> (Vec<Event>, Option<Error>, FakeApi) {
    let api = api(script).await;
    let mut stream = api.client().sessions().events("sess_1").stream().open();
    let mut events = Vec::new();
    while events.len() < count {
        match stream.next().await {
            Some(Ok(event)) => events.push(event),
            Some(Err(error)) => {
                assert!(stream.next().await.is_none(), "an error is the last item");
                return (events, Some(error), api);
            }
            None => break,
        }
    }
    (events, None, api)
}

fn seqs(events: &[Event]) -> Vec<u64> {
    events.iter().map(|event| event.seq().get()).collect()
}

/// WIRE-3, A-CLI, REP-34: status and content type are looked at before a byte of the body; a page is never parsed.
#[tokio::test]
async fn what_is_no_stream_is_not_parsed() {
    let body = frames(&[message(1)]);
    for head in [
        "content-type: text/html\r\n",
        "content-type: application/json\r\n",
        "",
        "content-type: text/event-streams\r\n",
    ] {
        let (events, error, api) =
            items(answer(200, &format!("{head}request-id: req_1\r\n"), &body), 9).await;
        assert!(events.is_empty());
        let error = error.unwrap();
        assert!(
            matches!(error, Error::Protocol(_)) && !error.is_retryable(),
            "{head:?}: {error:?}"
        );
        assert_eq!(error.request_id().unwrap().as_str(), "req_1");
        assert_eq!(api.stream_cursors().len(), 1, "not tried again");
    }
    let (events, error, _) = items(answer(201, "content-type: text/event-stream\r\n", &body), 9).await;
    assert!(events.is_empty() && matches!(error, Some(Error::Protocol(_))));
    let (events, error, _) = items(
        answer(200, "content-type: Text/Event-Stream ; charset=x\r\n", &body),
        1,
    )
    .await;
    assert!(error.is_none() && seqs(&events) == [1]);
}

/// WIRE-2, REP-21: a refusal that no retry mends ends the stream at once.
#[tokio::test]
async fn a_fatal_refusal_ends_the_stream() {
    for status in [307, 400, 401, 403, 404, 409, 422] {
        let (_, error, api) = items(answer(status, "", "{}"), 9).await;
        let error = error.unwrap();
        assert!(!error.is_retryable());
        assert_eq!(error.status().unwrap().as_u16(), status);
        assert_eq!(api.stream_cursors().len(), 1, "{status}");
    }
}

/// A-CLI: `204` ends the stream, without an error and without another connection.
#[tokio::test]
async fn no_content_ends_the_stream() {
    let (events, error, api) = items(answer(204, "", ""), 9).await;
    assert!(events.is_empty() && error.is_none());
    assert_eq!(api.requests().len(), 1);
}

/// A-CLI, A-GAP: a trimmed cursor and one ahead of the log are fatal gaps, with what the server tells.
#[tokio::test]
async fn gaps_are_fatal() {
    let refusal = |code: &str| {
        json!({ "error": { "code": code, "details": { "first_seq": 40, "last_seq": 90 } } }).to_string()
    };
    let (_, error, api) = items(
        answer(410, "request-id: r\r\n", &refusal("runtime.cursor_expired")),
        9,
    )
    .await;
    let error = error.unwrap();
    assert!(!error.is_retryable() && error.request_id().unwrap().as_str() == "r");
    let Error::CursorGap(gap) = error else {
        panic!("{error:?}")
    };
    let CursorGap::Expired { first, last, .. } = &*gap else {
        panic!("{gap:?}")
    };
    assert_eq!((first.map(Seq::get), last.map(Seq::get)), (Some(40), Some(90)));
    assert_eq!(gap.cause().code(), Some(&ErrorCode::CursorExpired));
    assert_eq!(api.stream_cursors().len(), 1);

    let (_, error, _) = items(answer(409, "", &refusal("runtime.cursor_ahead")), 9).await;
    let Some(Error::CursorGap(gap)) = error else {
        panic!("{error:?}")
    };
    assert!(matches!(&*gap, CursorGap::Ahead { last: Some(last), .. } if last.get() == 90));

    let (_, error, _) = items(answer(410, "", "<html>gone</html>"), 9).await;
    assert!(matches!(error, Some(Error::CursorGap(_))), "{error:?}");
    let (_, error, _) = items(answer(409, "", &refusal("runtime.invalid_transition")), 9).await;
    assert!(matches!(error, Some(Error::Api(_))), "{error:?}");
}

/// A-CLI: an `id` that is not the event's seq is a protocol error; none, or an empty one, says nothing.
#[tokio::test]
async fn the_id_line_must_agree_with_the_event() {
    let with_id = |id: &str| {
        format!(
            "{}{id}event: agent.message\ndata: {}\n\n",
            frame(&message(1)),
            message(5)
        )
    };
    for id in ["id: 6\n", "id: 05\n", "id: +5\n", "id: evt\n", "id: 5.0\n"] {
        let (events, error, api) = items(stream(with_id(id)), 9).await;
        assert_eq!(seqs(&events), [1]);
        assert!(matches!(&error, Some(Error::Protocol(_))), "{id:?}: {error:?}");
        assert_eq!(api.stream_cursors().len(), 1);
    }
    for id in ["", "id:\n", "id: 5\n", "id: 6\nid: 5\n"] {
        let (events, error, _) = items(stream(with_id(id)), 2).await;
        assert_eq!(seqs(&events), [1, 5], "{id:?}");
        assert!(error.is_none());
    }
}

/// A-CLI: an empty `id` does not reset the cursor that a reconnect sends.
#[tokio::test]
async fn an_empty_id_does_not_reset_the_cursor() {
    let api = api(stream(
        frames(&[message(7)]) + "id:\ndata: {\"type\": \"note\"}\n\n",
    ))
    .await;
    api.on_stream(stream(frames(&[message(8)])));
    let events = api.client().sessions().events("sess_1").stream().open();
    let events: Vec<_> = events.take(2).try_collect().await.unwrap();
    assert_eq!(seqs(&events), [7, 8]);
    assert_eq!(api.stream_cursors()[1].as_deref(), Some("7"));
}

/// A-CLI, REP-28: data that is no event with a seq is a protocol error where a place in the log is claimed.
#[tokio::test]
async fn a_frame_that_is_no_event_is_a_protocol_error() {
    for data in [
        "not json",
        "{\"id\": \"e\"",
        "[]",
        "7",
        "{\"id\": \"e\", \"type\": \"x\"}",
        "{\"id\": \"e\", \"type\": \"x\", \"seq\": \"5\"}",
        "{\"id\": \"e\", \"type\": \"x\", \"seq\": 5.5}",
        "{\"id\": \"e\", \"type\": \"x\", \"seq\": -5}",
        "{\"id\": \"e\", \"type\": \"x\", \"seq\": 0}",
        "{\"type\": \"x\", \"seq\": 5}",
        "{\"id\": \"e\", \"seq\": 5}",
        "{\"id\": \"e\", \"type\": \"x\", \"seq\": 1e300}",
    ] {
        let (events, error, _) = items(
            stream(format!("{}id: 5\ndata: {data}\n\n", frame(&message(1)))),
            9,
        )
        .await;
        assert_eq!(seqs(&events), [1]);
        assert!(matches!(&error, Some(Error::Protocol(_))), "{data}: {error:?}");
    }
    let api = api(stream(frame(&message(1)) + "id: 5\ndata: []\n\n")).await;
    let mut events = api.client().sessions().events("sess_1").stream().open();
    while events.next().await.is_some() {}
    assert_eq!(
        events.last_seq(),
        Some(Seq::from(1)),
        "a bad frame moved the cursor"
    );
}

/// A-CLI, PRV-4, REP-68: a frame of an unknown name without an `id` and without JSON claims no place in the log and is
/// passed over; one that says it is a known event is not.
#[tokio::test]
async fn a_control_frame_needs_no_json() {
    for data in ["pong", "", "{", "1 2"] {
        let text = format!("event: ping\ndata: {data}\n\n{}", frame(&message(1)));
        let (events, error, _) = items(stream(text), 1).await;
        assert!(error.is_none() && seqs(&events) == [1], "{data:?}: {error:?}");
    }
    for head in ["event: agent.message\n", "id: 1\nevent: ping\n", ""] {
        let (events, error, _) = items(stream(format!("{head}data: pong\n\n")), 1).await;
        assert!(
            events.is_empty() && matches!(error, Some(Error::Protocol(_))),
            "{head:?}: {error:?}"
        );
    }
}

/// A-CLI: a frame without an `event` line has the type that its data tells, and one with another name as well.
#[tokio::test]
async fn the_type_comes_from_the_data() {
    let text = format!(
        "id: 5\ndata: {}\n\nid: 6\nevent: odd\ndata: {}\n\n",
        message(5),
        message(6)
    );
    let (events, _, _) = items(stream(text), 2).await;
    assert!(events.iter().all(|event| event.event_type() == "agent.message"));
}

/// REP-1: an event of an unknown type and one with an unfitting payload are delivered and move the cursor.
#[tokio::test]
async fn what_is_not_understood_is_delivered() {
    let log = [
        event(3, "agent.dreamt", json!({ "of": "sheep" })),
        event(4, "agent.message", json!({ "content": 7 })),
    ];
    let api = api(stream(frames(&log))).await;
    api.on_stream(stream(frames(&[message(9)])));
    let events = api.client().sessions().events("sess_1").stream().open();
    let events: Vec<_> = events.take(3).try_collect().await.unwrap();
    assert_eq!(*events[0].data(), EventData::Unknown);
    assert!(matches!(events[1].data(), EventData::Undecodable(_)));
    for (event, sent) in events.iter().zip(&log) {
        assert_eq!(serde_json::from_str::<Value>(event.raw_json()).unwrap(), *sent);
    }
    assert_eq!(api.stream_cursors()[1].as_deref(), Some("4"));
}

/// PRV-4, A-CLI, REP-14, REP-22: previews and control frames never move the cursor, even with an `id` on them, nested
/// or flat.
#[tokio::test]
async fn previews_never_move_the_cursor() {
    let start = r#"{"type": "event_start", "payload": {"event": {"type": "agent.message", "id": "e"}}}"#;
    let flat = r#"{"type": "event_delta", "event_id": "e", "delta": {"type": "content_delta"}}"#;
    let posing = r#"{"type": "event_delta", "id": "e", "seq": 70, "event_id": "e"}"#;
    let text = frame(&message(5))
        + &format!("event: event_start\ndata: {start}\n\n")
        + &format!("id: 80\nevent: event_delta\ndata: {flat}\n\n")
        + &format!("id: 81\ndata: {flat}\n\n")
        + &format!("id: 70\ndata: {posing}\n\n")
        + "event: ping\ndata: {}\n\nevent: ping\ndata:\n\nevent: event_delta\ndata: broken\n\n"
        + &frame(&message(6));
    let api = api(stream(text)).await;
    api.on_stream(stream(frames(&[message(7)])));
    let events = api.client().sessions().events("sess_1").stream().open();
    let events: Vec<_> = events.take(3).try_collect().await.unwrap();
    assert_eq!(seqs(&events), [5, 6, 7]);
    assert_eq!(api.stream_cursors()[1].as_deref(), Some("6"));
}

/// REP-50: a server that says in the stream that it failed is left and resumed.
#[tokio::test]
async fn an_error_frame_is_an_interruption() {
    let failure = r#"{"type": "error", "error": {"code": "x", "message": "overloaded"}}"#;
    let api = api(stream(
        frame(&message(1)) + &format!("event: error\ndata: {failure}\n\n") + &frame(&message(2)),
    ))
    .await;
    api.on_stream(stream(frames(&[message(2)])));
    let events = api.client().sessions().events("sess_1").stream().open();
    let events: Vec<_> = events.take(2).try_collect().await.unwrap();
    assert_eq!(seqs(&events), [1, 2]);
    assert_eq!(api.stream_cursors().len(), 2);
}

/// A-CLI: a frame over the cap is a typed error; what came before it is delivered.
#[tokio::test]
async fn a_frame_over_the_cap_is_a_typed_error() {
    let api = api(stream(frame(&message(1)) + "data: " + &"x".repeat(5000))).await;
    let client = api
        .builder()
        .limits(Limits::default().frame_bytes(4096))
        .build()
        .unwrap();
    let mut events = client.sessions().events("sess_1").stream().open();
    assert_eq!(events.next().await.unwrap().unwrap().seq().get(), 1);
    let error = events.next().await.unwrap().unwrap_err();
    assert!(!error.is_retryable());
    let Error::Protocol(error) = error else {
        panic!("{error:?}")
    };
    assert_eq!(error.frame_too_large(), Some(BlockTooLarge { limit: 4096 }));
    assert!(events.next().await.is_none());
}

/// STR-5: malformed UTF-8 costs one character and not the stream.
#[tokio::test]
async fn malformed_text_costs_one_character() {
    let json = event(1, "agent.message", json!({ "content": "a?b" })).to_string();
    let mut bytes = format!("id: 1\ndata: {json}\n\n").into_bytes();
    let place = bytes.windows(3).position(|window| window == b"a?b").unwrap();
    bytes[place + 1] = 0xff;
    let mut script = stream("");
    script.push(Step::Send(bytes));
    script.push(Step::Send(frame(&message(2)).into_bytes()));
    let (events, error, _) = items(script, 2).await;
    assert!(error.is_none());
    let EventData::AgentMessage(message) = events[0].data() else {
        panic!("{events:?}")
    };
    assert_eq!(message.content.to_text(), "a\u{fffd}b");
}
