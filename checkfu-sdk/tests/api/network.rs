//! What every request carries besides its own: the product, and the caller's headers.

use checkfu_sdk::error::ConfigError;
use checkfu_sdk::retry::RetryPolicy;
use checkfu_sdk::{Client, Error};
use futures::StreamExt;
use serde_json::json;

use crate::support::event::{frames, message, session};
use crate::support::fake_api::{FakeApi, answer, stream};
use crate::support::shown::shown;

const AGENT: &str = concat!("checkfu-sdk/", env!("CARGO_PKG_VERSION"));

fn refusal(builder: checkfu_sdk::client::ClientBuilder) -> ConfigError {
    match builder.build() {
        Err(Error::Config(error)) => *error,
        other => panic!("{other:?}"),
    }
}

/// Calls and streams carry the caller's product in front of the SDK's, and the caller's headers; no other setting shows
/// them.
#[tokio::test]
async fn every_request_carries_the_callers_product_and_headers() {
    let api = FakeApi::start().await;
    api.set_session(session("running", json!(null), 1))
        .on_stream(stream(frames(&[message(1)])));
    let builder = api
        .builder()
        .user_agent("my-app/1.2 (test)")
        .header("X-Gateway-Token", "replaced-secret")
        .header("x-gateway-token", "gateway-secret")
        .header("cookie", "route=7");
    assert_eq!(format!("{builder:#?}"), "ClientBuilder { .. }");
    let client = builder.build().unwrap();
    client.sessions().retrieve(&api.session_id()).await.unwrap();
    let mut events = client.sessions().events("sess_1").stream().open();
    events.next().await.unwrap().unwrap();
    let debug = format!("{client:#?} {events:#?}");
    assert!(!debug.contains("secret"), "{debug}");
    drop(events);
    let requests = api.requests();
    assert_eq!(requests.len(), 2);
    for request in requests {
        assert_eq!(
            request.headers["user-agent"],
            format!("my-app/1.2 (test) {AGENT}")
        );
        assert_eq!(request.headers["x-gateway-token"], "gateway-secret");
        assert_eq!(request.headers["cookie"], "route=7");
    }
    let client = api.client();
    client.sessions().retrieve(&api.session_id()).await.unwrap();
    assert_eq!(api.requests()[2].headers["user-agent"], AGENT);
}

/// The headers that the SDK writes itself are refused by name, with the way to set them where there is one, however they
/// are written; and what no header can carry.
#[test]
fn headers_of_the_sdk_are_refused() {
    for (name, fix) in [
        ("Authorization", "`api_key` or `key_provider`"),
        ("checkfu-version", "leave it out"),
        ("Checkfu-Workspace", "`workspace`"),
        ("user-agent", "`user_agent`"),
        ("IDEMPOTENCY-KEY", "on the call"),
        ("last-event-id", "`after`"),
        ("accept", "leave it out"),
        ("accept-encoding", "leave it out"),
        ("traceparent", "`traceparent`"),
        ("range", "leave it out"),
        ("content-type", "leave it out"),
        ("content-length", "leave it out"),
        ("content-encoding", "leave it out"),
        ("expect", "leave it out"),
        ("host", "`base_url`"),
        ("proxy-authorization", "`proxy`"),
        ("proxy-connection", "leave it out"),
        ("connection", "leave it out"),
        ("keep-alive", "leave it out"),
        ("te", "leave it out"),
        ("trailer", "leave it out"),
        ("transfer-encoding", "leave it out"),
        ("upgrade", "leave it out"),
    ] {
        let builder = || Client::builder().base_url("http://h").api_key("k");
        let error = refusal(builder().header(name, "a-secret-value"));
        let text = error.to_string();
        assert!(matches!(error, ConfigError::InvalidHeader { .. }), "{error:?}");
        assert!(
            text.starts_with(&format!("header {}: ", name.to_lowercase())) && text.contains(fix),
            "{text}"
        );
        assert!(!format!("{error:?}").contains("a-secret-value"));
    }
}

/// A header or a product that cannot be sent is refused by name, and a value is not repeated.
#[test]
fn what_no_header_can_carry_is_refused() {
    let builder = || Client::builder().base_url("http://h").api_key("k");
    for value in ["a\nsecret", "a\rsecret", "secret\0", " secret", "secret "] {
        let error = refusal(builder().header("x-token", value));
        assert!(
            matches!(&error, ConfigError::InvalidHeader { name, .. } if name == "x-token"),
            "{error:?}"
        );
        assert!(!format!("{error} {error:?}").contains("secret"), "{error:?}");
    }
    for name in ["", "a secret", "a:secret", "é", "secret\n"] {
        let error = refusal(builder().header(name, "x"));
        assert!(
            matches!(error, ConfigError::InvalidSetting { name: "header", .. }),
            "{error:?}"
        );
        assert!(!format!("{error} {error:?}").contains("secret"), "{error:?}");
    }
    for product in ["", " ", "a\nb", " a", "é", "a\0", &"a".repeat(257)] {
        let error = refusal(builder().user_agent(product));
        assert!(
            matches!(
                error,
                ConfigError::InvalidSetting {
                    name: "user_agent",
                    ..
                }
            ),
            "{error:?}"
        );
    }
    builder()
        .user_agent("a".repeat(256))
        .header("x-empty", "")
        .build()
        .unwrap();
}

/// A header's value that a server repeats is in no error, nor is the token in it.
#[tokio::test]
async fn a_servers_text_does_not_repeat_a_header() {
    let api = FakeApi::start().await;
    api.on_session(answer(
        400,
        "",
        r#"{"error":{"message":"bad gateway\u002dsecret and dXNlcjpwYXNz"}}"#,
    ));
    let client = api
        .builder()
        .header("x-gateway", "gateway-secret")
        .header("x-basic", "Basic dXNlcjpwYXNz")
        .retry_policy(RetryPolicy::never())
        .build()
        .unwrap();
    let error = client.sessions().retrieve(&api.session_id()).await.unwrap_err();
    let shown = shown(&error);
    assert!(
        shown.contains("bad [header removed] and [header removed]") && !shown.contains("dXNl"),
        "{shown}"
    );
}

/// Without a TLS feature a certificate is refused when the client is built.
#[cfg(not(any(feature = "rustls", feature = "native-tls")))]
#[test]
fn certificates_need_a_tls_feature() {
    let builder = || Client::builder().base_url("http://h").api_key("k");
    for builder in [
        builder().root_certificate_pem("x"),
        builder().client_certificate_pem("x", "y"),
    ] {
        assert!(matches!(refusal(builder), ConfigError::TlsNotBuilt));
    }
}
