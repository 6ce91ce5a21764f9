//! Waits and other states, by scripted answers over real HTTP.

use serde_json::{Value, json};
use wiremock::{
    Mock, MockServer, ResponseTemplate,
    matchers::{method, path},
};

use crate::support::{checkfu, feed, finish};

const SESSION: &str = "/v1/sessions/sess_1";

fn event(seq: u64, kind: &str, payload: Value) -> Value {
    json!({
        "id": format!("evt_{seq}"), "seq": seq, "type": kind, "session_id": "sess_1",
        "created_at": "2026-08-31T00:00:00.000Z", "payload": payload,
    })
}

/// A turn that waits three times, and events after its settlement.
fn waiting_turn() -> Vec<Value> {
    vec![
        event(2, "user.message", json!({ "content": "Go." })),
        event(3, "session.status_running", json!({})),
        event(
            4,
            "session.status_idle",
            json!({ "stop_reason": "requires_action", "event_ids": ["evt_3"] }),
        ),
        event(5, "session.status_waiting", json!({})),
        event(6, "session.status_running", json!({})),
        event(
            7,
            "agent.question",
            json!({ "question_id": "q_1", "prompt": "Which\nversion?" }),
        ),
        event(8, "session.status_paused", json!({})),
        event(9, "agent.message", json!({ "content": "Version \u{1b}[2J1.2" })),
        event(
            10,
            "session.status_idle",
            json!({ "stop_reason": { "type": "requires_action" } }),
        ),
        event(
            11,
            "session.status_idle",
            json!({ "stop_reason": "budget_reached" }),
        ),
        event(12, "user.message", json!({ "content": "And again." })),
    ]
}

async fn api(status: &str, events: &[Value]) -> MockServer {
    let server = MockServer::start().await;
    let session =
        json!({ "id": "sess_1", "status": status, "stop_reason": null, "first_seq": 1, "last_seq": 2 });
    let frames: String = events
        .iter()
        .map(|event| {
            let (seq, kind) = (&event["seq"], event["type"].as_str().unwrap());
            format!("id: {seq}\nevent: {kind}\ndata: {event}\n\n")
        })
        .collect();
    let stream = if events.is_empty() {
        ResponseTemplate::new(204)
    } else {
        ResponseTemplate::new(200).set_body_raw(frames, "text/event-stream")
    };
    for (verb, place, answer) in [
        (
            "GET",
            SESSION.to_owned(),
            ResponseTemplate::new(200).set_body_json(session),
        ),
        ("GET", format!("{SESSION}/events/stream"), stream),
        (
            "POST",
            format!("{SESSION}/events"),
            ResponseTemplate::new(202).set_body_json(&waiting_turn()[0]),
        ),
    ] {
        Mock::given(method(verb))
            .and(path(place))
            .respond_with(answer)
            .mount(&server)
            .await;
    }
    server
}

/// CLI-3, SET-1: an idle with requires_action in either form, waiting and paused are no boundaries; the first idle with
/// another reason is, and nothing after it is printed.
#[tokio::test]
async fn waits_are_no_boundaries() {
    let api = api("running", &waiting_turn()).await;
    let followed = finish(checkfu(
        &api.uri(),
        "key",
        &["session", "follow", "sess_1", "--until-boundary"],
    ))
    .await;
    assert_eq!(
        followed.types(),
        [
            "user.message",
            "session.status_running",
            "session.status_idle",
            "session.status_waiting",
            "session.status_running",
            "agent.question",
            "session.status_paused",
            "agent.message",
            "session.status_idle",
            "session.status_idle",
        ]
    );
    assert_eq!(followed.stderr, "settled at seq 11: idle (budget_reached)\n");
}

/// CLI-4: a chat goes on through waits to the boundary, says that something is waited for, and lets no control
/// character of the Agent reach the terminal.
#[tokio::test]
async fn a_chat_tells_of_waits() {
    let api = api("running", &waiting_turn()).await;
    let command = checkfu(
        &api.uri(),
        "key",
        &["session", "chat", "sess_1", "--principal", "prin_1"],
    );
    let chat = feed(command, b"Go.\n").await;
    assert_eq!(chat.lines(), ["Which", "version?", "Version \u{fffd}[2J1.2"]);
    assert_eq!(
        chat.stderr,
        "the Session waits for an action\nthe Agent waits for an answer to its question\n"
    );
}

#[tokio::test]
async fn a_follow_that_ends_without_a_settlement_says_how_to_go_on() {
    let api = api("running", &[]).await;
    for (arguments, after) in [
        (
            vec!["session", "follow", "sess_1", "--until-boundary", "--after", "2"],
            2,
        ),
        (vec!["session", "follow", "sess_1"], 0),
        (
            vec!["events", "stream", "--session-id", "sess_1", "--from", "1"],
            1,
        ),
    ] {
        let followed = finish(checkfu(&api.uri(), "key", &arguments)).await;
        assert_eq!(followed.code, Some(3), "{followed:?}");
        let advice = format!("checkfu session follow sess_1 --after {after}");
        assert!(followed.stderr.contains(&advice), "{followed:?}");
    }
}

/// CLI-3: each of the three ends of a Session is a boundary, and ends a follow without one too.
#[tokio::test]
async fn the_end_of_a_session_is_a_boundary() {
    for status in ["completed", "failed", "canceled"] {
        let events = [
            event(2, "session.status_running", json!({})),
            event(3, &format!("session.status_{status}"), json!({})),
        ];
        for (more, note) in [
            (&["--until-boundary"][..], format!("settled at seq 3: {status}\n")),
            (&[], format!("the Session ended: {status}\n")),
        ] {
            let api = api(if more.is_empty() { status } else { "running" }, &events).await;
            let arguments = [&["session", "follow", "sess_1"][..], more].concat();
            let followed = finish(checkfu(&api.uri(), "key", &arguments)).await;
            assert_eq!(followed.lines().len(), 2, "{followed:?}");
            assert_eq!(followed.stderr, note);
        }
    }
}
