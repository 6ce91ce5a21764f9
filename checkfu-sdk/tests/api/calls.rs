use std::collections::HashSet;

use checkfu_sdk::error::ErrorCode;
use checkfu_sdk::input::{
    CustomToolResult, DefineOutcome, Interrupt, QuestionAnswer, ToolConfirmation, UserInput, UserMessage,
};
use checkfu_sdk::model::payload::{IntegrityDecision, PromptIntegrity};
use checkfu_sdk::model::{Cause, CauseKind};
use checkfu_sdk::retry::RetryPolicy;
use checkfu_sdk::{Client, Error, SessionId, SessionStatus};
use futures::StreamExt;
use serde_json::{Value, json};
use wiremock::matchers::{any, header, method, path};
use wiremock::{Mock, MockServer, Request, ResponseTemplate};

use crate::support::event::{event, session};

fn client(server: &MockServer) -> Client {
    let builder = Client::builder()
        .base_url(server.uri())
        .api_key("key-of-the-test");
    builder.retry_policy(RetryPolicy::never()).build().unwrap()
}

async fn answering(template: ResponseTemplate) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(any()).respond_with(template).mount(&server).await;
    server
}

fn body(request: &Request) -> Value {
    serde_json::from_slice(&request.body).unwrap()
}

/// WIRE-1, WIRE-8, A-VER: a request over plain HTTP carries the key and the version, and a workspace only when one is set.
#[tokio::test]
async fn requests_carry_key_and_version() {
    let server = MockServer::start().await;
    Mock::given(method("GET"))
        .and(path("/v1/sessions/sess_1"))
        .and(header("authorization", "Bearer key-of-the-test"))
        .and(header("checkfu-version", "2026-08-31"))
        .respond_with(ResponseTemplate::new(200).set_body_json(session("idle", json!("end_turn"), 9)))
        .expect(2)
        .mount(&server)
        .await;
    let session = client(&server)
        .sessions()
        .retrieve(&SessionId::from("sess_1"))
        .await
        .unwrap();
    assert_eq!(session.status(), Some(&SessionStatus::Idle));
    let builder = Client::builder()
        .base_url(server.uri())
        .api_key("key-of-the-test")
        .workspace("wksp_1");
    builder
        .build()
        .unwrap()
        .sessions()
        .retrieve(session.id())
        .await
        .unwrap();
    let requests = server.received_requests().await.unwrap();
    assert!(!requests[0].headers.contains_key("checkfu-workspace"));
    assert_eq!(requests[1].headers["checkfu-workspace"], "wksp_1");
    assert!(
        requests[0].headers["user-agent"]
            .to_str()
            .unwrap()
            .starts_with("checkfu-sdk/")
    );
}

/// SES-2, A-IDEM: creation sends what was set and nothing else, with a key of its own each time.
#[tokio::test]
async fn a_session_is_created() {
    let server =
        answering(ResponseTemplate::new(201).set_body_json(session("pending", json!(null), 1))).await;
    let client = client(&server);
    client.sessions().create("adep_1", "prin_1").send().await.unwrap();
    let full = client
        .sessions()
        .create("adep_1", "prin_1")
        .revision(3)
        .title("T")
        .metadata("team", "ops");
    let created = full.clone().send().await.unwrap();
    full.idempotency_key("mine").send().await.unwrap();
    assert_eq!(created.id().as_str(), "sess_1");
    let requests = server.received_requests().await.unwrap();
    assert_eq!(
        body(&requests[0]),
        json!({ "agent_deployment_id": "adep_1", "principal_id": "prin_1" })
    );
    assert_eq!(
        body(&requests[1]),
        json!({
            "agent_deployment_id": "adep_1", "principal_id": "prin_1",
            "agent_deployment_revision_number": 3, "title": "T", "metadata": { "team": "ops" },
        })
    );
    assert_eq!(
        (requests[1].method.as_str(), requests[1].url.path()),
        ("POST", "/v1/sessions")
    );
    let keys: HashSet<_> = requests
        .iter()
        .map(|request| request.headers["idempotency-key"].to_str().unwrap())
        .collect();
    assert!(keys.len() == 3 && keys.contains("mine"), "{keys:?}");
}

/// A-IDEM: a key of the caller's own is 1 to 255 visible ASCII characters; any other is refused unsent.
#[tokio::test]
async fn an_own_idempotency_key_is_checked() {
    let created = ResponseTemplate::new(201).set_body_json(session("pending", json!(null), 1));
    let server = answering(created).await;
    let create = client(&server).sessions().create("adep_1", "prin_1");
    for key in ["k", &"k".repeat(255), "!~"] {
        create.clone().idempotency_key(key).send().await.unwrap();
    }
    let sent = server.received_requests().await.unwrap().len();
    for key in [
        "",
        " ",
        "a b",
        "a\tb",
        "a\nb",
        "caf\u{e9}",
        "\u{7f}",
        &"k".repeat(256),
    ] {
        let error = create.clone().idempotency_key(key).send().await.unwrap_err();
        assert!(matches!(&error, Error::Config(_)), "{error:?}");
        assert!(error.to_string().starts_with("idempotency key "), "{error}");
        let input = UserMessage::new("hi").by("prin_1").idempotency_key(key);
        let error = client(&server)
            .sessions()
            .events("s")
            .send(input)
            .await
            .unwrap_err();
        assert!(matches!(&error, Error::Config(_)), "{error:?}");
    }
    assert_eq!(server.received_requests().await.unwrap().len(), sent);
}

/// EVT-1, SES-4, A-AUTHOR, REP-16: the six inputs are one `{type, payload}` each, with author and cause.
#[tokio::test]
async fn the_six_inputs_have_their_documented_form() {
    let server =
        answering(ResponseTemplate::new(202).set_body_json(event(7, "user.message", json!({})))).await;
    let events = client(&server).sessions().events("sess_1");
    let decision = PromptIntegrity::new("c", IntegrityDecision::PreserveOriginal);
    let inputs: [(UserInput, &str, Value); 7] = [
        (
            UserMessage::new("hi").by("prin_1"),
            "user.message",
            json!({ "content": [{ "type": "text", "text": "hi" }] }),
        ),
        (
            UserMessage::new("hi").prompt_integrity(decision).by("prin_1"),
            "user.message",
            json!({
                "content": [{ "type": "text", "text": "hi" }],
                "prompt_integrity": { "challenge": "c", "decision": "preserve_original" },
            }),
        ),
        (
            Interrupt::thread("sthr_1").by("prin_1"),
            "user.interrupt",
            json!({ "session_thread_id": "sthr_1" }),
        ),
        (
            CustomToolResult::new("toolu_1", json!({ "ticket": 1 }))
                .error()
                .on_thread("sthr_1")
                .by("prin_1"),
            "user.custom_tool_result",
            json!({
                "tool_use_id": "toolu_1", "result": { "ticket": 1 }, "is_error": true,
                "session_thread_id": "sthr_1",
            }),
        ),
        (
            ToolConfirmation::deny("toolu_1")
                .message("no")
                .wait_generation(2)
                .by("prin_1"),
            "user.tool_confirmation",
            json!({ "tool_use_id": "toolu_1", "result": "deny", "deny_message": "no", "wait_generation": 2 }),
        ),
        (
            QuestionAnswer::new("ques_1", "yes").by("prin_1"),
            "user.question_answer",
            json!({ "question_id": "ques_1", "answer": "yes" }),
        ),
        (
            DefineOutcome::new("done", json!({ "type": "text" }))
                .max_iterations(4)
                .by("prin_1"),
            "user.define_outcome",
            json!({ "description": "done", "rubric": { "type": "text" }, "max_iterations": 4 }),
        ),
    ];
    for (input, event_type, payload) in inputs {
        events.send(input).await.unwrap();
        let request = server.received_requests().await.unwrap().pop().unwrap();
        assert_eq!(request.url.path(), "/v1/sessions/sess_1/events");
        let mut expected = json!({ "type": event_type, "payload": payload });
        expected["payload"]["authored_by"] = json!("prin_1");
        expected["payload"]["caused_by"] = json!({ "kind": "api" });
        assert_eq!(body(&request), expected);
    }
    let by_cli = UserMessage::new("x")
        .by("prin_1")
        .caused_by(Cause::new(CauseKind::Cli));
    events.send(by_cli).await.unwrap();
    let request = server.received_requests().await.unwrap().pop().unwrap();
    assert_eq!(body(&request)["payload"]["caused_by"], json!({ "kind": "cli" }));
}

/// A-POST, SES-6: 200, 201 and 202 are taken, with the event bare or in a `data` list.
#[tokio::test]
async fn an_accepted_event_is_read_in_its_forms() {
    let accepted = event(7, "user.message", json!({ "content": "hi" }));
    for status in [200, 201, 202] {
        for answer in [accepted.clone(), json!({ "data": [accepted] })] {
            let server = answering(ResponseTemplate::new(status).set_body_json(answer)).await;
            let input = UserMessage::new("hi").by("prin_1");
            let event = client(&server)
                .sessions()
                .events("sess_1")
                .send(input)
                .await
                .unwrap();
            assert_eq!((event.seq().get(), event.event_type()), (7, "user.message"));
        }
    }
    for nothing in [json!({ "data": [] }), json!({}), json!(null)] {
        let server = answering(ResponseTemplate::new(202).set_body_json(nothing)).await;
        let input = UserMessage::new("hi").by("prin_1");
        let error = client(&server)
            .sessions()
            .events("sess_1")
            .send(input)
            .await
            .unwrap_err();
        assert!(matches!(error, Error::Decode(_)), "{error:?}");
    }
}

/// WIRE-2, WIRE-7, A-ERR, REP-69: a refusal tells all it holds, and that no retry helps.
#[tokio::test]
async fn a_refusal_is_told_in_full() {
    let refusal = json!({
        "type": "error",
        "error": {
            "type": "conflict_error", "code": "runtime.invalid_transition", "message": "not now",
            "retryable": false, "param": "type", "details": { "status": "completed" },
        },
        "request_id": "req_body",
    });
    let template = ResponseTemplate::new(409).set_body_json(refusal);
    let server = answering(template.clone().insert_header("request-id", "req_header")).await;
    let error = client(&server)
        .sessions()
        .retrieve(&"sess_1".into())
        .await
        .unwrap_err();
    assert!(!error.is_retryable());
    assert_eq!(error.request_id().unwrap().as_str(), "req_header");
    assert_eq!(error.status().unwrap().as_u16(), 409);
    let text = error.to_string();
    assert_eq!(
        text,
        "the server answered 409 runtime.invalid_transition: not now [request req_header]"
    );
    let Error::Api(error) = error else {
        panic!("{error:?}")
    };
    assert_eq!(error.code(), Some(&ErrorCode::InvalidTransition));
    assert_eq!(
        (error.error_type(), error.param()),
        (Some("conflict_error"), Some("type"))
    );
    assert_eq!(error.details()["status"], "completed");

    let server = answering(template).await;
    let error = client(&server)
        .sessions()
        .retrieve(&"sess_1".into())
        .await
        .unwrap_err();
    assert_eq!(error.request_id().unwrap().as_str(), "req_body");
}

/// WIRE-2: an invalid key and a missing Session are not retryable.
#[tokio::test]
async fn a_bad_key_and_a_missing_session_need_a_fix() {
    for (status, code) in [
        (401, "auth.invalid_key"),
        (404, "resource.not_found"),
        (403, "capability.disabled"),
    ] {
        let answer = ResponseTemplate::new(status).set_body_json(json!({ "error": { "code": code } }));
        let server = answering(answer).await;
        let error = client(&server)
            .sessions()
            .retrieve(&"sess_1".into())
            .await
            .unwrap_err();
        assert!(!error.is_retryable(), "{status}");
        assert_eq!(error.status().unwrap().as_u16(), status);
    }
}

/// A-ERR, REP-67: the reader of refusals survives HTML, odd members, nothing at all, and a body without end.
#[tokio::test]
async fn refusals_are_read_leniently() {
    let page = format!("<html><h1>Bad gateway</h1>{}</html>", "x".repeat(5000));
    let odd =
        r#"{"error": {"code": 7, "message": ["x"], "retryable": "yes", "details": null}, "request_id": 1}"#;
    let cases: [(&str, &str, Option<&str>); 8] = [
        (&page, "<html><h1>Bad gateway</h1>xxx", None),
        ("", "", None),
        (odd, r#"{"error": {"code": 7"#, None),
        (r#"{"error": "plain text"}"#, "plain text", None),
        (
            r#"{"code": "new.code", "message": "flat"}"#,
            "flat",
            Some("new.code"),
        ),
        (r#"{"error": {"code": "x", "message": "m"}}"#, "m", Some("x")),
        ("[1, 2]", "[1, 2]", None),
        ("\u{1F980} crab", "\u{1F980} crab", None),
    ];
    for (body, message, code) in cases {
        let server = answering(ResponseTemplate::new(502).set_body_string(body)).await;
        let error = client(&server)
            .sessions()
            .retrieve(&"sess_1".into())
            .await
            .unwrap_err();
        assert!(error.is_retryable());
        let Error::Api(error) = error else {
            panic!("{error:?}")
        };
        assert!(error.message().starts_with(message), "{:?}", error.message());
        assert!(error.message().len() < 1000);
        assert_eq!(error.code().map(ErrorCode::as_str), code);
    }
    let server = answering(ResponseTemplate::new(500).set_body_bytes(vec![0xff; 10_000_000])).await;
    let error = client(&server)
        .sessions()
        .retrieve(&"sess_1".into())
        .await
        .unwrap_err();
    assert!(error.to_string().len() < 2000);
}

/// A key is shown by nothing: no Debug, no error, not even when the server repeats it.
#[tokio::test]
async fn the_key_never_shows() {
    let server =
        answering(ResponseTemplate::new(400).set_body_string("you sent Bearer key-of-the-test")).await;
    let client = client(&server);
    let error = client.sessions().retrieve(&"sess_1".into()).await.unwrap_err();
    let events = client.sessions().events("sess_1");
    let shown = format!(
        "{client:?} {:?} {error:?} {error} {:?} {:?}",
        Client::builder().api_key("key-of-the-test"),
        events.stream().open(),
        events.list(),
    );
    assert!(
        error.to_string().contains("you sent Bearer [key removed]"),
        "{error}"
    );
    assert!(!shown.contains("key-of-the-test"), "{shown}");
}

/// A key goes to its origin and nowhere else: a redirect is a refusal and is not followed.
#[tokio::test]
async fn redirects_are_not_followed() {
    let elsewhere = answering(ResponseTemplate::new(200)).await;
    for status in [301, 302, 307, 308] {
        let redirect = ResponseTemplate::new(status).insert_header("location", elsewhere.uri());
        let server = answering(redirect).await;
        let error = client(&server)
            .sessions()
            .retrieve(&"sess_1".into())
            .await
            .unwrap_err();
        assert_eq!(error.status().unwrap().as_u16(), status);
        assert!(!error.is_retryable());
    }
    assert!(elsewhere.received_requests().await.unwrap().is_empty());
}

/// An id is one segment of the path, whatever it holds; one that would step out of it is refused unsent.
#[tokio::test]
async fn an_id_stays_in_its_place() {
    let server = answering(ResponseTemplate::new(200).set_body_json(session("idle", json!(null), 1))).await;
    let client = client(&server);
    client
        .sessions()
        .retrieve(&"a/../b?c#d%2e\\e".into())
        .await
        .unwrap();
    let requests = server.received_requests().await.unwrap();
    assert_eq!(requests[0].url.path(), "/v1/sessions/a%2F..%2Fb%3Fc%23d%252e%5Ce");
    assert_eq!(requests[0].url.query(), None);
    for id in ["%2e%2e", ".%2e", "...", "..;"] {
        client.sessions().retrieve(&id.into()).await.unwrap();
        let path = server
            .received_requests()
            .await
            .unwrap()
            .pop()
            .unwrap()
            .url
            .path()
            .to_owned();
        assert_eq!(path, format!("/v1/sessions/{}", id.replace('%', "%25")));
    }
    let sent = server.received_requests().await.unwrap().len();
    for id in [
        "", ".", "..", ".\t.", "\n..", "..\r", "a\tb", "a b", " ", "a\u{0}b", "a\u{7f}", "\u{85}.",
        "\u{2028}",
    ] {
        let error = client.sessions().retrieve(&id.into()).await.unwrap_err();
        assert!(matches!(&error, Error::Config(_)), "{error:?}");
        assert!(error.to_string().starts_with("session id "), "{error}");
        let mut stream = client.sessions().events(id).stream().open();
        let item = stream.next().await;
        assert!(matches!(item, Some(Err(Error::Config(_)))), "{item:?}");
        let items: Vec<_> = client.sessions().events(id).list().pages().collect().await;
        assert!(matches!(items[..], [Err(Error::Config(_))]), "{items:?}");
    }
    assert_eq!(server.received_requests().await.unwrap().len(), sent);
}

/// A success that is not what it should be is told with the request's id.
#[tokio::test]
async fn an_unreadable_success_names_its_request() {
    let page = ResponseTemplate::new(200).set_body_string("<html>log in</html>");
    let server = answering(page.insert_header("request-id", "req_7")).await;
    let error = client(&server)
        .sessions()
        .retrieve(&"sess_1".into())
        .await
        .unwrap_err();
    assert!(matches!(error, Error::Decode(_)) && !error.is_retryable());
    assert_eq!(error.to_string(), "the session cannot be read [request req_7]");
}
