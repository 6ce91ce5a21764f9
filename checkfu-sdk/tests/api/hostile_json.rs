//! JSON that is legal and that no value can hold: numbers without end, halves of characters, nesting without end, members
//! that stand there twice. An event of it is delivered raw, and nothing that the SDK decides by gets lost in it.

use checkfu_sdk::cursor::MemoryCursorStore;
use checkfu_sdk::follow::FollowError;
use checkfu_sdk::model::SessionThread;
use checkfu_sdk::settlement::Settlement;
use checkfu_sdk::{Error, Event, Session, SessionStatus};
use futures::TryStreamExt;
use serde_json::json;

use crate::fixtures::read;
use crate::support::event::{event, frame, frames, idle, message, session};
use crate::support::fake_api::{FakeApi, Step, answer, stream};

/// Values that are JSON and that a decoder of values gives up on.
fn unholdable() -> Vec<(&'static str, String)> {
    vec![
        ("number", "1e400".to_owned()),
        ("long number", "9".repeat(500)),
        ("half", r#""\ud800""#.to_owned()),
        ("half of a name", r#"{"\udfff": 1}"#.to_owned()),
        ("deep", "[".repeat(2_000) + &"]".repeat(2_000)),
        ("twice", r#"{"a": 1, "a": 2}"#.to_owned()),
    ]
}

/// A-CLI, STR-3: an event is delivered with its JSON as it came, whatever its payload and its envelope hold beside `id`,
/// `seq` and `type`; the cursor moves on and the next event comes.
#[tokio::test]
async fn an_event_is_delivered_whatever_it_holds() {
    for (name, value) in unholdable() {
        for event_type in [
            "agent.message",
            "agent.tool_use",
            "session.status_running",
            "run.started",
            "agent.daydream",
        ] {
            for json in [
                format!(
                    r#"{{"id": "e", "seq": 5, "type": "{event_type}", "payload": {{"input": {value}}}}}"#
                ),
                format!(r#"{{"id": "e", "seq": 5, "type": "{event_type}", "payload": {value}}}"#),
                format!(r#"{{"x": {value}, "id": "e", "seq": 5, "type": "{event_type}"}}"#),
                format!(r#"{{"\ud800": 0, "id": "e", "run_id": {value}, "seq": 5, "type": "{event_type}"}}"#),
                format!(r#"{{"id": {value}, "id": "e", "seq": 1, "seq": 5, "type": "{event_type}"}}"#),
            ] {
                let text = format!("id: 5\ndata: {json}\n\n{}", frame(&message(6)));
                let (events, failure, cursor) = read(text.as_bytes(), 0).await;
                assert!(failure.is_none(), "{name} in {event_type}: {failure:?}");
                let [first, _] = &events[..] else {
                    panic!("{name} in {event_type}: {}", events.len())
                };
                assert_eq!((first.id().as_str(), first.event_type()), ("e", event_type));
                assert!(first.raw_json() == json, "{name} in {event_type}");
                assert_eq!(cursor.unwrap().get(), 6);
            }
        }
    }
}

/// A-CLI: a place that is no number of the log is a protocol error, whatever the number, for a wrong cursor is silent loss.
#[tokio::test]
async fn a_place_that_no_log_has_is_a_protocol_error() {
    for seq in [
        "9007199254740992",
        "18446744073709551616",
        "1e2",
        "1e400",
        "-1",
        "0",
        &"9".repeat(500),
    ] {
        for head in ["", "id: 5\n"] {
            let json = format!(r#"{{"id": "e", "seq": {seq}, "type": "agent.message"}}"#);
            let (events, failure, cursor) = read(format!("{head}data: {json}\n\n").as_bytes(), 0).await;
            assert!(
                events.is_empty() && matches!(failure, Some(Error::Protocol(_))),
                "{seq}: {failure:?}"
            );
            assert_eq!(cursor.map(checkfu_sdk::Seq::get), Some(0));
        }
    }
}

/// A-STOP, WAIT-4, SET-1: of a stop reason only the type has to be readable; `requires_action` never settles, whatever
/// stands beside it.
#[test]
fn a_stop_reason_is_read_among_anything() {
    for (name, value) in unholdable() {
        for payload in [
            format!(r#"{{"stop_reason": {{"type": "requires_action", "x": {value}}}}}"#),
            format!(r#"{{"stop_reason": {{"x": {value}, "type": "end_turn", "type": "requires_action"}}}}"#),
            format!(r#"{{"\ud800": {value}, "stop_reason": "requires_action"}}"#),
        ] {
            let json =
                format!(r#"{{"id": "e", "seq": 5, "type": "session.status_idle", "payload": {payload}}}"#);
            let event: Event = serde_json::from_str(&json).unwrap();
            assert!(
                event.stop_reason().unwrap().is_requires_action(),
                "{name}: {payload:.80}"
            );
            assert_eq!(Settlement::of(&event), None, "{name}");
        }
        let json = format!(
            r#"{{"id": "s", "status": "idle", "last_seq": 5, "stop_reason": {{"type": "requires_action", "x": {value}}}}}"#
        );
        let session: Session = serde_json::from_str(&json).unwrap();
        assert_eq!(Settlement::of_session(&session), None, "{name}");
    }
}

/// A-HEAD, THR-10: a Session and a thread are read whatever stands in them beside what is known; of a member that stands
/// there twice the last one counts.
#[test]
fn resources_are_read_among_anything() {
    for (name, value) in unholdable() {
        let members = format!(
            r#""x": {value}, "\ud800": 0, "title": {value}, "id": {value}, "id": "s", "status": {value}, "status": "idle""#
        );
        let session: Session = serde_json::from_str(&format!("{{{members}}}")).unwrap();
        assert_eq!(
            (session.id().as_str(), session.status()),
            ("s", Some(&SessionStatus::Idle)),
            "{name}"
        );
        let thread: SessionThread = serde_json::from_str(&format!("{{{members}}}")).unwrap();
        assert_eq!(
            (thread.id().as_str(), thread.status().unwrap().as_str()),
            ("s", "idle"),
            "{name}"
        );
    }
}

/// A-LIST: a page with such events is read, and bytes that are no text cost a character, as in a stream.
#[tokio::test]
async fn a_page_of_such_events_is_read() {
    for (name, value) in unholdable() {
        let api = FakeApi::start().await;
        let event =
            format!(r#"{{"id": "e", "seq": 5, "type": "agent.tool_use", "payload": {{"input": {value}}}}}"#);
        let body = format!(r#"{{"data": [{event}, {}], "next_page": null}}"#, message(6));
        api.on_list(answer(200, "content-type: application/json\r\n", &body));
        let list = api.client().sessions().events("sess_1").list();
        let events: Vec<Event> = list.items().try_collect().await.unwrap();
        assert!(events.len() == 2 && events[0].raw_json() == event, "{name}");
    }
    let api = FakeApi::start().await;
    let body = json!({ "data": [event(5, "agent.message", json!({ "content": "a?b" }))] }).to_string();
    let mut bytes = body.clone().into_bytes();
    let place = body.find("a?b").unwrap() + 1;
    bytes[place] = 0xff;
    let head = format!(
        "HTTP/1.1 200 X\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        bytes.len()
    );
    api.on_list(vec![Step::Send(head.into_bytes()), Step::Send(bytes)]);
    let list = api.client().sessions().events("sess_1").list();
    let events: Vec<Event> = list.items().try_collect().await.unwrap();
    assert!(events[0].raw_json().contains("a\u{fffd}b"));
}

/// A-GAP, A-ERR: a refusal is told by its code, whatever stands in its details.
#[tokio::test]
async fn a_refusal_is_read_among_anything() {
    for (name, value) in unholdable() {
        let api = FakeApi::start().await;
        let error = format!(r#"{{"code": "runtime.cursor_ahead", "details": {value}}}"#);
        let body = format!(r#"{{"type": "error", "error": {error}, "\ud800": {value}}}"#);
        api.on_stream(answer(409, "", &body));
        let mut events = api.client().sessions().events("sess_1").stream().open();
        let failure = events.try_next().await.unwrap_err();
        assert!(matches!(failure, Error::CursorGap(_)), "{name}: {failure:?}");
    }
}

/// PRV-4, A-CLI: previews and control frames with members that stand there twice end nothing.
#[tokio::test]
async fn frames_that_are_no_events_may_hold_anything() {
    for (name, value) in unholdable() {
        let text = format!(
            "data: {{\"type\": \"x\", \"type\": \"event_delta\", \"y\": {value}}}\n\n\
             data: {{\"type\": \"note\", \"type\": \"note\", \"\\ud800\": {value}}}\n\n{}",
            frame(&message(5))
        );
        let (events, failure, _) = read(text.as_bytes(), 0).await;
        assert!(events.len() == 1 && failure.is_none(), "{name}: {failure:?}");
    }
}

/// PRV-4, A-CLI: a place that is null is none, in a control frame as in a preview.
#[tokio::test]
async fn a_place_that_is_null_is_none() {
    let text = format!(
        "data: {{\"type\": \"note\", \"seq\": null, \"error\": null}}\n\n\
         data: {{\"type\": \"event_start\", \"seq\": null}}\n\n{}",
        frame(&message(5))
    );
    let (events, failure, _) = read(text.as_bytes(), 0).await;
    assert!(events.len() == 1 && failure.is_none(), "{failure:?}");
}

/// The Session of a fork that does not tell its place so that it can be read.
fn unplaced(status: &str, last_seq: u64, forked_from: &str) -> Vec<Step> {
    let mut fork = session(status, json!("end_turn"), last_seq).to_string();
    fork = fork.replace("\"forked_from\":null", &format!("\"forked_from\":{forked_from}"));
    answer(200, "content-type: application/json\r\n", &fork)
}

const UNPLACED: [&str; 5] = [
    r#"{"session_id": "sess_0", "seq": 1e400}"#,
    r#"{"session_id": "sess_0"}"#,
    r#"{"session_id": "sess_0", "seq": "4"}"#,
    r#""sess_0""#,
    "4",
];

/// A-FORK: where a fork does not tell its place, its status tells a copied end from its own: a stream goes on after the
/// one and ends after the other.
#[tokio::test]
async fn a_fork_without_a_place_is_streamed_to_its_own_end() {
    for forked_from in UNPLACED {
        let copy = event(4, "session.status_completed", json!({}));
        let own = event(9, "session.status_canceled", json!({}));
        let api = FakeApi::start().await;
        let rest = frames(&[message(5), own]);
        api.on_stream(stream(frames(&[message(3), copy])))
            .on_stream(stream(rest));
        api.on_session(unplaced("idle", 5, forked_from));
        api.on_session(unplaced("canceled", 9, forked_from));
        let events = api.client().sessions().events("sess_1").stream().open();
        let events: Vec<Event> = events.try_collect().await.unwrap();
        let seqs: Vec<_> = events.iter().map(|event| event.seq().get()).collect();
        assert_eq!(seqs, [3, 4, 5, 9], "{forked_from}");
        assert_eq!(
            (api.session_reads(), api.stream_cursors().len()),
            (2, 2),
            "{forked_from}"
        );
    }
}

/// A-FORK, SET-1: nothing is settled by a fork that does not tell its place, and a follow of it is refused at the start. A
/// place is enough, whatever stands beside it.
#[tokio::test]
async fn a_fork_without_a_place_is_not_followed() {
    let placed = [
        r#"{"session_id": 7, "seq": 4}"#,
        r#"{"seq": 1, "seq": 4, "x": 1e400, "\ud800": 1}"#,
    ];
    for (forked_from, is_placed) in UNPLACED
        .map(|it| (it, false))
        .into_iter()
        .chain(placed.map(|it| (it, true)))
    {
        let api = FakeApi::start().await;
        api.on_session(unplaced("completed", 4, forked_from));
        let copies = [
            event(4, "session.status_completed", json!({})),
            idle(5, "end_turn"),
        ];
        let mut held = stream(frames(&copies));
        held.push(Step::Hang);
        api.on_stream(held);
        let events = api.client().sessions().events("sess_1");
        let started = events.follow("notes", MemoryCursorStore::new()).start().await;
        if is_placed {
            let mut follower = started.unwrap();
            while let Some(delivery) = follower.next().await.unwrap() {
                delivery.commit().await.unwrap();
            }
            assert_eq!(follower.settlement().unwrap().seq.get(), 5, "{forked_from}");
            continue;
        }
        let Err(FollowError::Read(failure)) = started else {
            panic!("{forked_from}: followed")
        };
        assert!(
            matches!(failure, Error::Decode(_)) && !failure.is_retryable(),
            "{failure:?}"
        );
        assert!(failure.to_string().contains("forked"), "{failure}");
        let json = session("completed", json!(null), 9).to_string();
        let json = json.replace("\"forked_from\":null", &format!("\"forked_from\":{forked_from}"));
        assert_eq!(
            Settlement::of_session(&serde_json::from_str(&json).unwrap()),
            None
        );
    }
}
