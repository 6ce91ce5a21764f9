use checkfu_sdk::model::payload::ContentBlock;
use checkfu_sdk::model::{CauseKind, Page, Undecodable};
use checkfu_sdk::{Event, EventData, Session, SessionStatus};
use serde_json::{Value, json};

use crate::support::event::{event, message};

/// A-ENV: an event with more members than are known comes out again with all of them, byte for byte.
#[test]
fn every_member_survives() {
    let text = r#"{ "new": {"a": [1, 2.50, null]}, "seq": 9007199254740991, "id": "evt_1",
        "type": "agent.message", "payload": {"content": [], "later": 1e400} }"#;
    let event: Event = serde_json::from_str(text).unwrap();
    assert_eq!(event.raw_json(), text);
    assert_eq!(serde_json::to_string(&event).unwrap(), text);
    let page: Page<Event> = serde_json::from_str(&format!(r#"{{"data": [{text}]}}"#)).unwrap();
    assert_eq!(page.data[0].raw_json(), text);
    assert_eq!(page.next_page, None);
}

/// A-ENV: only id, seq and type are needed; the rest may be missing or of another kind.
#[test]
fn a_bare_envelope_is_enough() {
    let bare: Event = serde_json::from_str(r#"{"id": "e", "seq": 1, "type": "run.completed"}"#).unwrap();
    assert!(matches!(bare.data(), EventData::RunCompleted(_)));
    assert_eq!(
        (bare.run_id(), bare.created_at(), bare.session_id()),
        (None, None, None)
    );
    let odd = json!({
        "id": "e", "seq": 1, "type": "session.status_running", "session_id": 5, "run_id": ["x"],
        "session_thread_id": {}, "created_at": "yesterday", "stop_reason": 7, "payload": {},
    });
    let odd: Event = serde_json::from_value(odd).unwrap();
    assert!(matches!(odd.data(), EventData::SessionStatusRunning(_)));
    assert_eq!(
        (odd.run_id(), odd.created_at(), odd.session_id()),
        (None, None, None)
    );
    let repeated = r#"{"id": "a", "seq": 1, "type": "x", "id": "b", "extra": 1, "extra": 2}"#;
    assert_eq!(
        serde_json::from_str::<Event>(repeated).unwrap().id().as_str(),
        "b"
    );
}

/// A-ENV: what makes an envelope is checked: a seq is a whole number from 1 to 2^53 - 1.
#[test]
fn a_broken_envelope_is_an_error() {
    for broken in [
        r#"{"seq": 1, "type": "x"}"#,
        r#"{"id": "e", "type": "x"}"#,
        r#"{"id": "e", "seq": 1}"#,
        r#"{"id": "e", "seq": "1", "type": "x"}"#,
        r#"{"id": "e", "seq": 1.5, "type": "x"}"#,
        r#"{"id": "e", "seq": -1, "type": "x"}"#,
        r#"{"id": "e", "seq": 0, "type": "x"}"#,
        r#"{"id": "e", "seq": 9007199254740992, "type": "x"}"#,
        r#"{"id": 7, "seq": 1, "type": "x"}"#,
        r#"["e", 1, "x"]"#,
        "null",
    ] {
        assert!(serde_json::from_str::<Event>(broken).is_err(), "{broken}");
    }
}

/// REP-2, REP-28: an unknown type is data; a known type with an unfitting payload is kept apart from it, with the
/// reason.
#[test]
fn unknown_and_undecodable_are_told_apart() {
    let unknown: Event = serde_json::from_value(event(1, "agent.dreamt", json!({ "of": "sheep" }))).unwrap();
    assert_eq!(*unknown.data(), EventData::Unknown);
    assert_eq!(unknown.payload_as::<Value>().unwrap(), json!({ "of": "sheep" }));
    for payload in [
        json!({ "content": 7 }),
        json!({}),
        json!([]),
        json!("text"),
        Value::Null,
    ] {
        let bad: Event = serde_json::from_value(event(1, "agent.message", payload.clone())).unwrap();
        let EventData::Undecodable(Undecodable { reason, .. }) = bad.data() else {
            panic!("{payload}")
        };
        assert!(!reason.is_empty());
        assert_eq!(bad.payload_as::<Value>().unwrap(), payload);
    }
}

/// A-CONT: the Run and the thread are found in the envelope, or else in the payload.
#[test]
fn run_and_thread_are_found_in_either_place() {
    let inside = event(
        1,
        "run.started",
        json!({ "attempt": 1, "run_id": "run_p", "session_thread_id": "t_p" }),
    );
    let inside: Event = serde_json::from_value(inside).unwrap();
    assert_eq!(inside.run_id().unwrap().as_str(), "run_p");
    assert_eq!(inside.session_thread_id().unwrap().as_str(), "t_p");
    let mut both = event(1, "run.started", json!({ "attempt": 1, "run_id": "run_p" }));
    both["run_id"] = json!("run_e");
    let both: Event = serde_json::from_value(both).unwrap();
    assert_eq!(both.run_id().unwrap().as_str(), "run_e");
}

#[test]
fn content_is_read_in_its_forms() {
    let read = |content: Value| {
        let event: Event =
            serde_json::from_value(event(1, "user.message", json!({ "content": content }))).unwrap();
        let EventData::UserMessage(message) = event.data().clone() else {
            panic!("{:?}", event.data())
        };
        message.content
    };
    assert_eq!(read(json!("hi")).to_text(), "hi");
    let blocks = json!([
        { "type": "text", "text": "a" }, { "type": "image", "source": { "url": "u" } },
        { "type": "text", "text": "b", "citations": [] }, { "type": "hologram" },
    ]);
    let content = read(blocks.clone());
    assert_eq!(content.blocks().len(), 4);
    assert_eq!(content.blocks()[0], ContentBlock::Text("a".to_owned()));
    assert_eq!(serde_json::to_value(&content).unwrap(), blocks);
}

/// SES-7 is open on the client's side: an unknown status is kept as it came.
#[test]
fn a_session_is_read_leniently_and_kept_whole() {
    let text = r#"{"id": "sess_1", "status": "dreaming", "stop_reason": {"type": "end_turn"}, "last_seq": "x",
        "title": 5, "metadata": {"a": "b"}, "future": [1]}"#;
    let session: Session = serde_json::from_str(text).unwrap();
    assert_eq!(session.status(), Some(&SessionStatus::Other("dreaming".into())));
    assert_eq!(
        session.stop_reason().map(ToString::to_string).as_deref(),
        Some("end_turn")
    );
    assert_eq!((session.last_seq(), session.title()), (None, None));
    assert_eq!(session.metadata().unwrap()["a"], "b");
    assert_eq!(serde_json::to_string(&session).unwrap(), text);
    assert!(serde_json::from_str::<Session>("{}").is_err());
}

#[test]
fn every_known_type_decodes_to_a_payload_of_its_own() {
    assert!(EventData::KNOWN_TYPES.len() >= 52);
    for name in EventData::KNOWN_TYPES {
        let event: Event = serde_json::from_value(event(1, name, json!({}))).unwrap();
        assert_ne!(*event.data(), EventData::Unknown, "{name}");
    }
    let decoded: Event = serde_json::from_value(message(4)).unwrap();
    assert!(
        matches!(decoded.data(), EventData::AgentMessage(message) if message.content.to_text() == "message 4")
    );
}

/// A-AUTHOR: a kind of cause that this version does not know is kept as it came.
#[test]
fn an_unknown_cause_is_kept() {
    let payload =
        json!({ "content": "hi", "authored_by": "prin_1", "caused_by": { "kind": "oracle", "more": 1 } });
    let event: Event = serde_json::from_value(event(1, "user.message", payload)).unwrap();
    let EventData::UserMessage(message) = event.data() else {
        panic!("{:?}", event.data())
    };
    let cause = message.caused_by.as_ref().unwrap();
    assert_eq!(cause.kind, CauseKind::Other("oracle".into()));
}
