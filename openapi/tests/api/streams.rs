//! The event streams decode to what their expectations say, and what they carry is valid.

use checkfu_openapi::{Judge, fixtures};
use serde_json::{Value, json};

use crate::sse::{Decoded, decode};

#[test]
fn every_stream_decodes_to_its_expectation() {
    let fixtures = fixtures().unwrap();
    let hostile = fixtures
        .hostile
        .iter()
        .filter(|fixture| fixture.expect["kind"] == "stream");
    let hostile = hostile.map(|fixture| (&fixture.name, &fixture.bytes, &fixture.expect));
    let plain = fixtures
        .streams
        .iter()
        .map(|fixture| (&fixture.name, &fixture.bytes, &fixture.expect));
    let mut decoded = 0;
    for (name, bytes, expect) in plain.chain(hostile) {
        assert_eq!(
            as_json(&decode(bytes)),
            json!({"frames": expect["frames"], "final": expect["final"]}),
            "{name}"
        );
        decoded += 1;
    }
    assert!(decoded >= 40, "only {decoded} streams");
}

#[test]
fn every_frame_of_a_plain_stream_is_valid() {
    let judge = Judge::closed().unwrap();
    for fixture in fixtures().unwrap().streams {
        for frame in decode(&fixture.bytes).frames {
            let data: Value = serde_json::from_str(&frame.data).unwrap();
            if let Err(violations) = judge.check_frame(&data) {
                panic!("{}: {violations}", fixture.name);
            }
            if frame.event != "message" {
                assert_eq!(data["type"], frame.event.as_str(), "{}", fixture.name);
            }
            assert_eq!(
                frame.has_id_line,
                data.get("seq").is_some(),
                "{}: only events have an id",
                fixture.name
            );
        }
    }
}

/// What a client has to make of a stream, by the rules of PROTOCOL.md and nothing else.
#[test]
fn what_the_client_gets_follows_from_the_frames() {
    for fixture in fixtures().unwrap().streams {
        let client = &fixture.expect["client"];
        let mut cursor = client["after"].as_u64().unwrap();
        let (mut delivered, mut previews, mut dropped, mut settlement) =
            (Vec::new(), Vec::new(), 0, Value::Null);
        for frame in decode(&fixture.bytes).frames {
            let data: Value = serde_json::from_str(&frame.data).unwrap();
            let Some(seq) = data["seq"].as_u64() else {
                let event_id = data
                    .pointer("/payload/event_id")
                    .or(data.pointer("/payload/event/id"));
                previews.push(json!({"type": data["type"], "event_id": event_id}));
                continue;
            };
            assert_eq!(frame.id, seq.to_string(), "{}", fixture.name);
            if seq <= cursor {
                dropped += 1;
                continue;
            }
            cursor = seq;
            delivered.push(json!({"seq": seq, "id": data["id"], "type": data["type"], "as": "known"}));
            let (event_type, reason) = (data["type"].as_str().unwrap(), data["payload"].get("stop_reason"));
            let terminal = ["completed", "failed", "canceled"];
            let settles = match event_type.strip_prefix("session.status_") {
                Some("idle") => reason != Some(&json!("requires_action")),
                Some(status) => terminal.contains(&status),
                None => false,
            };
            if settles && settlement.is_null() {
                settlement = json!({"seq": seq, "type": event_type, "stop_reason": reason});
            }
        }
        let found = json!({
            "after": client["after"], "delivered": delivered, "dropped": dropped, "previews": previews,
            "cursor": cursor, "settlement": settlement, "ends": client["ends"],
        });
        assert_eq!(&found, client, "{}", fixture.name);
    }
}

#[test]
fn the_cuts_of_the_split_stream_go_through_characters() {
    let fixtures = fixtures().unwrap();
    let fixture = fixtures
        .streams
        .iter()
        .find(|fixture| fixture.name == "split_utf8")
        .unwrap();
    let cuts: Vec<usize> = serde_json::from_value(fixture.expect["cuts"].clone()).unwrap();
    assert!(cuts.len() > 15);
    for cut in cuts {
        assert!(
            std::str::from_utf8(&fixture.bytes[..cut]).is_err(),
            "no character is cut at {cut}"
        );
    }
}

#[test]
fn the_line_ends_are_those_that_the_names_promise() {
    let fixtures = fixtures().unwrap();
    let bytes = |name: &str| {
        &fixtures
            .streams
            .iter()
            .find(|fixture| fixture.name == name)
            .unwrap()
            .bytes
    };
    let count = |name: &str, byte: u8| bytes(name).iter().filter(|it| **it == byte).count();
    assert_eq!(count("plain_turn", b'\r'), 0);
    assert_eq!(count("lone_cr", b'\n'), 0);
    assert_eq!(count("crlf", b'\r'), count("crlf", b'\n'));
    assert!(count("mixed_line_ends", b'\r') > count("mixed_line_ends", b'\n') / 2);
    assert!(bytes("bom").starts_with(b"\xef\xbb\xbf"));
}

fn as_json(decoded: &Decoded) -> Value {
    let frames: Vec<Value> = decoded
        .frames
        .iter()
        .map(|it| json!({"event": it.event, "data": it.data, "id": it.id, "has_id_line": it.has_id_line}))
        .collect();
    json!({"frames": frames, "final": {"last_event_id": decoded.last_event_id, "retry": decoded.retry}})
}
