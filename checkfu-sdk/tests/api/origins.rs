//! The key goes to the origin of the base URL, wherever an answer points.

use checkfu_sdk::error::ErrorCode;
use checkfu_sdk::input::UserMessage;
use checkfu_sdk::retry::{ReconnectPolicy, RetryPolicy};
use checkfu_sdk::{Client, Error};
use futures::StreamExt;
use serde_json::json;
use tokio::net::{TcpListener, TcpStream};

use crate::support::event::{frames, message, session};
use crate::support::fake_api::{FakeApi, Step, answer, stream};

/// An origin that must hear nothing.
struct Elsewhere(TcpListener);

impl Elsewhere {
    async fn start() -> Self {
        Self(TcpListener::bind("127.0.0.1:0").await.unwrap())
    }

    fn url(&self) -> String {
        format!("http://{}", self.0.local_addr().unwrap())
    }

    /// A redirect to it, and every other header that points to it.
    fn redirect(&self, status: u16) -> Vec<Step> {
        let url = self.url();
        let authority = url.trim_start_matches("http://");
        let headers = format!(
            "location: {url}/v1/sessions/sess_1\r\ncontent-location: {url}/\r\nlink: <{url}/>; rel=next\r\n\
             alt-svc: h2=\"{authority}\", http/1.1=\"{authority}\"\r\nrefresh: 0; url={url}/\r\n"
        );
        answer(status, &headers, r#"{"error":{"code":"elsewhere"}}"#)
    }

    /// Shows that nobody connected: the first to do so is this very call.
    async fn is_unheard(&self) {
        let last = TcpStream::connect(self.0.local_addr().unwrap()).await.unwrap();
        let (_, first) = self.0.accept().await.unwrap();
        assert_eq!(
            first,
            last.local_addr().unwrap(),
            "another origin was connected to"
        );
    }
}

fn client(api: &FakeApi) -> Client {
    let builder = api.builder().retry_policy(RetryPolicy::default().max_attempts(2));
    builder
        .reconnect_policy(ReconnectPolicy::default().max_reconnects(1))
        .build()
        .unwrap()
}

fn is_refusal(error: &Error, status: u16) {
    assert_eq!(
        error.status().map(|status| status.as_u16()),
        Some(status),
        "{error:?}"
    );
    let Error::Api(error) = error else {
        panic!("{error:?}");
    };
    assert_eq!(error.code().map(ErrorCode::as_str), Some("elsewhere"));
    assert!(!error.is_retryable());
}

/// WIRE-1: a redirect is a refusal, for a read, for a change and for a list; the origin that it names hears nothing.
#[tokio::test]
async fn calls_follow_no_redirect() {
    for status in [300, 301, 302, 303, 307, 308] {
        let (api, elsewhere) = (FakeApi::start().await, Elsewhere::start().await);
        let client = client(&api);
        api.on_session(elsewhere.redirect(status));
        let error = client.sessions().retrieve(&api.session_id()).await.unwrap_err();
        is_refusal(&error, status);

        let events = client.sessions().events("sess_1");
        api.on_list(elsewhere.redirect(status));
        let error = events
            .send(UserMessage::new("hello").by("prin_1"))
            .await
            .unwrap_err();
        is_refusal(&error, status);

        api.on_list(elsewhere.redirect(status));
        let pages: Vec<_> = events.list().pages().collect().await;
        is_refusal(pages[0].as_ref().unwrap_err(), status);

        assert_eq!(api.requests().len(), 3, "a redirect is not tried again");
        elsewhere.is_unheard().await;
    }
}

/// WIRE-1: the same for the first connection of a stream, and for one that it resumes by.
#[tokio::test]
async fn streams_follow_no_redirect() {
    for status in [300, 301, 302, 303, 307, 308] {
        let (api, elsewhere) = (FakeApi::start().await, Elsewhere::start().await);
        api.set_session(session("running", json!(null), 9))
            .on_stream(elsewhere.redirect(status))
            .on_stream(stream(frames(&[message(1)])))
            .on_stream(elsewhere.redirect(status));
        let client = client(&api);
        let mut events = client.sessions().events("sess_1").stream().open();
        is_refusal(&events.next().await.unwrap().unwrap_err(), status);
        assert!(events.next().await.is_none());

        let mut events = client.sessions().events("sess_1").stream().open();
        events.next().await.unwrap().unwrap();
        is_refusal(&events.next().await.unwrap().unwrap_err(), status);
        assert_eq!(api.stream_cursors().len(), 3);
        elsewhere.is_unheard().await;
    }
}

/// LST-2: a page token is a token, even one that is the URL of another origin: it is echoed to the API's own list.
#[tokio::test]
async fn a_page_token_is_no_address() {
    for prefix in ["http:", "https:", ""] {
        let (api, elsewhere) = (FakeApi::start().await, Elsewhere::start().await);
        let token = format!(
            "{prefix}{}/v1/sessions?page=2",
            elsewhere.url().trim_start_matches("http:")
        );
        let page = json!({ "data": [message(1)], "next_page": token }).to_string();
        api.on_list(answer(200, "", &page)).set_log(Vec::new());
        let client = client(&api);
        let pages: Vec<_> = client.sessions().events("sess_1").list().pages().collect().await;
        assert!(pages.iter().all(Result::is_ok), "{pages:?}");
        let requests = api.requests();
        assert_eq!(requests.len(), 2);
        let (path, query) = requests[1].target.split_once('?').unwrap();
        assert_eq!(path, "/v1/sessions/sess_1/events");
        assert!(
            query.starts_with("page=") && query.contains("%2F%2F127.0.0.1%3A"),
            "{query}"
        );
        assert_eq!(
            requests[1].headers["host"],
            api.url().trim_start_matches("http://")
        );
        elsewhere.is_unheard().await;
    }
}
