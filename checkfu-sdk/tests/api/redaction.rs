//! The API key stays out of every error, wherever and however a server repeats it.

use checkfu_sdk::cursor::{Advance, Cursor, CursorKey, CursorStore, MemoryCursorStore, Position};
use checkfu_sdk::retry::{ReconnectPolicy, RetryPolicy};
use checkfu_sdk::{Client, Error, Seq};
use futures::StreamExt;
use serde_json::json;

use crate::support::event::{message, session};
use crate::support::fake_api::{FakeApi, Step, answer, stream};
use crate::support::shown::shown;

const KEY: &str = "cfk_abc/def+ghi";

/// The key as JSON and a URL may write it.
const FORMS: [&str; 5] = [
    KEY,
    r"cfk_abc\/def+ghi",
    r"\u0063fk_abc\u002Fdef+gh\u0069",
    r"cfk_abc\\/def+ghi",
    "cfk_abc%2Fdef%2bghi",
];

fn client(api: &FakeApi) -> Client {
    let builder = api.builder().api_key(KEY).retry_policy(RetryPolicy::never());
    builder
        .reconnect_policy(ReconnectPolicy::default().max_reconnects(0))
        .build()
        .unwrap()
}

fn is_hidden(error: &Error, case: &str) {
    let shown = shown(error);
    for form in FORMS {
        assert!(!shown.contains(form), "{case}: {shown}");
    }
    assert!(!shown.contains("def+ghi"), "{case}: {shown}");
    assert!(shown.contains("[key r"), "{case}: {shown}");
}

/// A key that an answer repeats, in any of its members and headers and in any spelling, is in no error.
#[tokio::test]
async fn an_answer_that_repeats_the_key() {
    for form in FORMS {
        let refusals = [
            format!("you sent Bearer {form}"),
            format!(r#"{{"error":{{"message":"bad key {form}"}}}}"#),
            format!(r#"{{"error":{{"code":"{form}","type":"t"}}}}"#),
            format!(r#"{{"error":{{"code":"c","type":"{form}"}}}}"#),
            format!(r#"{{"error":{{"code":"c","param":"{form}"}}}}"#),
            format!(r#"{{"error":{{"code":"c","details":{{"sent":["Bearer {form}"]}}}}}}"#),
            format!(r#"{{"error":{{"code":"c","details":{{"{form}":1}}}}}}"#),
            format!(r#"{{"error":{{"code":"c"}},"request_id":"{form}"}}"#),
            format!(r#"{{"error":"{form}"}}"#),
            format!(r#"{{"error":{{"message":"{form}"#),
        ];
        for body in refusals {
            let api = FakeApi::start().await;
            api.on_session(answer(400, "", &body));
            let error = client(&api).sessions().retrieve(&"s".into()).await.unwrap_err();
            is_hidden(&error, &body);
        }
        let successes = [
            format!(r#""{form}""#),
            format!(r#"{{"id":"s","{form}":}}"#),
            format!(r#"{{"id":{{"{form}":1}}}}"#),
        ];
        for body in successes {
            let api = FakeApi::start().await;
            api.on_session(answer(200, &format!("request-id: {form}\r\n"), &body));
            let error = client(&api).sessions().retrieve(&"s".into()).await.unwrap_err();
            assert!(matches!(error, Error::Decode(_)), "{error:?}");
            is_hidden(&error, &body);
        }
        for header in ["request-id", "x-request-id"] {
            let api = FakeApi::start().await;
            api.on_session(answer(403, &format!("{header}: {form}\r\n"), "{}"));
            let error = client(&api).sessions().retrieve(&"s".into()).await.unwrap_err();
            is_hidden(&error, header);
        }
    }
}

/// The same for what a stream says: its head, its frames, and the failures it tells.
#[tokio::test]
async fn a_stream_that_repeats_the_key() {
    for form in FORMS {
        let event = message(1);
        let long = "x".repeat(190);
        let gap = format!(r#"{{"error":{{"code":"runtime.cursor_expired","message":"{form}"}}}}"#);
        let scripts = [
            answer(200, &format!("content-type: text/{form}\r\n"), ""),
            answer(410, "", &gap),
            stream(format!(
                "data: {{\"type\":\"error\",\"error\":{{\"message\":\"{form}\"}}}}\n\n"
            )),
            stream(format!(
                "data: {{\"type\":\"error\",\"error\":\"{long}{form}\"}}\n\n"
            )),
            stream(format!("id: {form}\ndata: {{}}\n\n")),
            stream(format!("id: {long}{form}\ndata: {{}}\n\n")),
            stream(format!("id: {form}\ndata: {event}\n\n")),
            stream(format!(
                "id: 1\ndata: {{\"id\":\"e\",\"type\":\"t\",\"seq\":\"{form}\"}}\n\n"
            )),
        ];
        for (place, script) in scripts.into_iter().enumerate() {
            let api = FakeApi::start().await;
            api.on_stream(script);
            let mut events = client(&api).sessions().events("sess_1").stream().open();
            let error = events.next().await.unwrap().unwrap_err();
            is_hidden(&error, &format!("{form} in script {place}"));
        }
    }
}

/// The same for a page token and for the event at a cursor.
#[tokio::test]
async fn a_log_that_repeats_the_key() {
    let server = wiremock::MockServer::start().await;
    let page = wiremock::ResponseTemplate::new(200).set_body_json(json!({ "data": [], "next_page": KEY }));
    wiremock::Mock::given(wiremock::matchers::any())
        .respond_with(page)
        .mount(&server)
        .await;
    let builder = Client::builder().base_url(server.uri()).api_key(KEY);
    let client_of_pages = builder.build().unwrap();
    let pages: Vec<_> = client_of_pages.sessions().list().pages().collect().await;
    is_hidden(pages.last().unwrap().as_ref().unwrap_err(), "token");

    let api = FakeApi::start().await;
    api.set_session(session("idle", json!("end_turn"), 1));
    let mut other = message(1);
    other["id"] = json!(KEY);
    api.set_log(vec![other]);
    let store = MemoryCursorStore::new();
    let mut transaction = store.begin().await.unwrap();
    let cursor = Cursor::new(Some(Position::new(Seq::from(1), Some("evt_1".into()))), None);
    let key = CursorKey::session("c", "sess_1");
    let advance = store.advance(&mut transaction, &key, None, &cursor);
    assert_eq!(advance.await.unwrap(), Advance::Moved);
    store.commit(transaction).await.unwrap();
    let follow = client(&api).sessions().events("sess_1").follow("c", store);
    let error = follow.start().await.unwrap_err();
    let error = error.api_error().unwrap();
    assert!(matches!(error, Error::Divergence(_)), "{error:?}");
    is_hidden(error, "divergence");
}

/// A key that a body breaks off in is hidden as far as it came.
#[tokio::test]
async fn a_body_that_breaks_off_in_the_key() {
    let api = FakeApi::start().await;
    let head = "HTTP/1.1 400 X\r\ncontent-length: 999\r\n\r\nBearer cfk_abc/def";
    api.on_session(vec![Step::Send(head.as_bytes().to_vec())]);
    let error = client(&api).sessions().retrieve(&"s".into()).await.unwrap_err();
    let shown = shown(&error);
    assert!(
        shown.contains("Bearer [key removed]") && !shown.contains("cfk_abc"),
        "{shown}"
    );
}
