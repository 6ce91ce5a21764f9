//! Input that is wrong, strange or newer than the SDK: it is survived, and never ends a stream that can go on.

use checkfu_openapi::{HostileFixture, StreamFixture, fixtures};
use checkfu_sdk::input::UserMessage;
use checkfu_sdk::model::Page;
use checkfu_sdk::retry::RetryPolicy;
use checkfu_sdk::settlement::Settlement;
use checkfu_sdk::{Error, Event, Session, StopReason};
use serde_json::{Value, json};

use crate::fixtures::{check_kind, check_stream, read};
use crate::support::event::message;
use crate::support::fake_api::{FakeApi, Step};

fn hostile(kind: &str) -> Vec<HostileFixture> {
    let all = fixtures().unwrap().hostile;
    let found: Vec<_> = all
        .into_iter()
        .filter(|fixture| fixture.expect["kind"] == kind)
        .collect();
    assert!(!found.is_empty(), "no hostile {kind}");
    found
}

fn value(fixture: &HostileFixture) -> Value {
    serde_json::from_slice(&fixture.bytes).unwrap()
}

fn reason(reason: Option<&StopReason>) -> Value {
    match reason {
        None => Value::Null,
        Some(StopReason::Other(text)) => json!({ "unknown": text }),
        Some(StopReason::Unreadable(json)) => {
            json!({ "unknown": serde_json::from_str::<Value>(json).unwrap() })
        }
        Some(known) => json!({ "known": known.as_str() }),
    }
}

/// A-STOP, SET-1: each strange event is delivered or refused as the contract says, settles or not, and between two
/// others in a stream does not keep the second one away.
#[tokio::test]
async fn strange_events_are_survived() {
    for fixture in hostile("event") {
        let (name, expect) = (&fixture.name, &fixture.expect);
        let deliver = expect["deliver"].as_str().unwrap();
        let text = std::str::from_utf8(&fixture.bytes).unwrap();
        let one_line = serde_json::from_str::<Value>(text).unwrap();
        let Ok(event) = serde_json::from_str::<Event>(text) else {
            assert_eq!(deliver, "protocol_error", "{name}");
            let stream = format!("id: 7\ndata: {one_line}\n\n");
            let (delivered, failure, _) = read(stream.as_bytes(), 0).await;
            assert!(
                delivered.is_empty() && matches!(failure, Some(Error::Protocol(_))),
                "{name}: {failure:?}"
            );
            continue;
        };
        check_kind(&event, deliver, name);
        assert_eq!(event.raw_json(), text.trim(), "{name}");
        assert_eq!(
            json!(Settlement::of(&event).is_some()),
            expect["settles"],
            "{name}"
        );
        let expected = match &expect["stop_reason"] {
            Value::Object(form) if form.contains_key("unknown") && form["unknown"]["type"].is_string() => {
                json!({ "unknown": form["unknown"]["type"] })
            }
            other => other.clone(),
        };
        assert_eq!(reason(event.stop_reason()), expected, "{name}");
        if let Some(run_id) = expect.get("run_id") {
            assert_eq!(json!(event.run_id().map(|id| id.as_str())), *run_id, "{name}");
        }
        let after = event.seq().get();
        let mut text = format!("id: {after}\ndata: {one_line}\n\n");
        if let Some(next) = Some(after + 1).filter(|next| *next < 1 << 53) {
            text.push_str(&format!("id: {next}\ndata: {}\n\n", message(next)));
        }
        let (delivered, failure, _) = read(text.as_bytes(), after - 1).await;
        let ends = Settlement::of(&event).is_some_and(|settlement| settlement.outcome.is_terminal());
        let expected = if ends { vec![after] } else { vec![after, after + 1] };
        let delivered: Vec<_> = delivered.iter().map(|event| event.seq().get()).collect();
        assert!(failure.is_none(), "{name}: {failure:?}");
        assert!(
            delivered == expected || ends && delivered == [after, after + 1],
            "{name}: {delivered:?}"
        );
    }
}

/// STR-5, PRV-4, A-CLI: each strange stream is read as the contract says; only the fatal ones end in an error.
#[tokio::test]
async fn strange_streams_are_survived() {
    for fixture in hostile("stream") {
        let HostileFixture {
            name, bytes, expect, ..
        } = fixture;
        assert_eq!(
            name.contains("fatal_"),
            expect["client"]["ends"] == "protocol_error",
            "{name}"
        );
        check_stream_parts(&name, &bytes, &expect).await;
    }
}

async fn check_stream_parts(name: &str, bytes: &[u8], expect: &Value) {
    let all = fixtures().unwrap().streams;
    let mut stream: StreamFixture = all.into_iter().next().unwrap();
    (stream.name, stream.bytes, stream.expect) = (name.to_owned(), bytes.to_vec(), expect.clone());
    check_stream(&stream).await;
}

/// A-ERR: each strange refusal is told by what can be read of it.
#[tokio::test]
async fn strange_refusals_are_survived() {
    for fixture in hostile("error") {
        let (name, expect) = (&fixture.name, &fixture.expect);
        let response = &expect["response"];
        let mut head = format!(
            "HTTP/1.1 {} X\r\ncontent-length: {}\r\nconnection: close\r\n",
            response["status"],
            fixture.bytes.len()
        );
        for (header, value) in response["headers"].as_object().into_iter().flatten() {
            head.push_str(&format!("{header}: {}\r\n", value.as_str().unwrap()));
        }
        let api = FakeApi::start().await;
        api.on_session(vec![
            Step::Send((head + "\r\n").into_bytes()),
            Step::Send(fixture.bytes.clone()),
        ]);
        let client = api.builder().retry_policy(RetryPolicy::never()).build().unwrap();
        let error = client.sessions().retrieve(&api.session_id()).await.unwrap_err();
        assert_eq!(json!(error.is_retryable()), expect["retryable"], "{name}");
        assert_eq!(
            json!(error.request_id().map(|id| id.as_str())),
            expect["request_id"],
            "{name}"
        );
        assert!(error.to_string().len() < 2000, "{name}");
        let Error::Api(error) = error else {
            panic!("{name}: {error:?}")
        };
        if let Some(code) = expect.get("code") {
            assert_eq!(json!(error.code().map(|code| code.as_str())), *code, "{name}");
        }
        if let Some(message) = expect.get("message") {
            assert_eq!(json!(error.message()), *message, "{name}");
        }
    }
}

/// A-HEAD, A-STOP: each strange Session says as much of its settlement as the contract finds in it.
#[test]
fn strange_sessions_are_survived() {
    for fixture in hostile("session") {
        let (name, expect) = (&fixture.name, &fixture.expect);
        let session: Session = serde_json::from_slice(&fixture.bytes).unwrap();
        assert_eq!(
            json!(Settlement::of_session(&session).is_some()),
            expect["settled"],
            "{name}"
        );
        assert_eq!(serde_json::to_value(&session).unwrap(), value(&fixture), "{name}");
        match &expect["status"] {
            Value::Object(status) if status.contains_key("known") => {
                assert_eq!(
                    json!(session.status().unwrap().as_str()),
                    status["known"],
                    "{name}"
                );
            }
            Value::Object(status) if status["unknown"].is_string() => {
                assert_eq!(
                    json!(session.status().unwrap().as_str()),
                    status["unknown"],
                    "{name}"
                );
            }
            _ => assert_eq!(session.status(), None, "{name}"),
        }
    }
}

/// A-LIST, A-POST: strange pages and accepted events are read.
#[tokio::test]
async fn strange_pages_and_answers_are_survived() {
    for fixture in hostile("page") {
        let (name, expect) = (&fixture.name, &fixture.expect);
        let page: Page<Event> = serde_json::from_slice(&fixture.bytes).unwrap();
        assert_eq!(json!(page.data.len()), expect["items"], "{name}");
        assert_eq!(json!(page.next_page), expect["next"], "{name}");
    }
    for fixture in hostile("post") {
        let server = wiremock::MockServer::start().await;
        let answer = wiremock::ResponseTemplate::new(202).set_body_bytes(fixture.bytes.clone());
        wiremock::Mock::given(wiremock::matchers::any())
            .respond_with(answer)
            .mount(&server)
            .await;
        let client = checkfu_sdk::Client::builder()
            .base_url(server.uri())
            .api_key("k")
            .build()
            .unwrap();
        let event = client
            .sessions()
            .events("sess_1")
            .send(UserMessage::new("x").by("p"))
            .await
            .unwrap();
        assert_eq!(
            json!(event.id().as_str()),
            fixture.expect["event_id"],
            "{}",
            fixture.name
        );
        assert_eq!(
            json!(event.seq().get()),
            fixture.expect["seq"],
            "{}",
            fixture.name
        );
    }
}

/// PRV-4: a strange preview moves no cursor and ends no stream, with or without an `id` line.
#[tokio::test]
async fn strange_previews_are_survived() {
    for fixture in hostile("preview") {
        let preview = value(&fixture);
        for head in ["", "id: 900\n", "event: event_delta\n"] {
            let text = format!("{head}data: {preview}\n\nid: 5\ndata: {}\n\n", message(5));
            let (delivered, failure, cursor) = read(text.as_bytes(), 0).await;
            assert!(failure.is_none(), "{}: {failure:?}", fixture.name);
            assert_eq!(
                (delivered.len(), cursor.map(checkfu_sdk::Seq::get)),
                (1, Some(5)),
                "{}",
                fixture.name
            );
        }
    }
}
