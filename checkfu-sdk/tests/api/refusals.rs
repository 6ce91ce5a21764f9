//! What a refusal says of another try, and how long its body may take.

use std::sync::Arc;
use std::time::Duration;

use checkfu_sdk::retry::{ReconnectPolicy, RetryPolicy};
use checkfu_sdk::{Error, Limits};
use futures::StreamExt;
use serde_json::json;
use tokio::sync::Notify;

use crate::support::clock::ManualClock;
use crate::support::fake_api::{FakeApi, Step, answer};

/// WIRE-2, WIRE-3, WIRE-7: only 429 and 5xx are retryable. A body may take that back and can grant it to no other
/// status.
#[tokio::test]
async fn a_body_only_narrows_what_is_retryable() {
    for status in [
        301, 400, 401, 403, 404, 408, 409, 410, 413, 422, 425, 429, 500, 503, 529,
    ] {
        for said in [json!(true), json!(false), json!(null), json!("true")] {
            let api = FakeApi::start().await;
            let body = json!({ "error": { "retryable": said } }).to_string();
            api.on_session(answer(status, "", &body))
                .on_stream(answer(status, "", &body));
            let builder = api.builder().retry_policy(RetryPolicy::never());
            let never = ReconnectPolicy::default().max_reconnects(0);
            let client = builder.reconnect_policy(never).build().unwrap();
            let expected = (status == 429 || status >= 500) && said != json!(false);
            let error = client.sessions().retrieve(&api.session_id()).await.unwrap_err();
            assert_eq!(error.is_retryable(), expected, "{status} {said}");
            let mut events = client.sessions().events("sess_1").stream().open();
            let error = events.next().await.unwrap().unwrap_err();
            assert_eq!(error.is_retryable(), expected, "stream: {status} {said}");
        }
    }
}

/// A-CLI: the body of a refusal that drips for ever is left after 10 s, or a quarter of a shorter limit for the whole
/// call, and the status speaks.
#[tokio::test]
async fn the_body_of_a_refusal_has_a_limit() {
    let short = Limits::default().total(Duration::from_secs(8));
    for (limits, expected) in [(Limits::default(), 10), (short, 2)] {
        let limit = Duration::from_secs(expected);
        for stream in [true, false] {
            let api = FakeApi::start().await;
            let drip = Arc::new(Notify::new());
            let head = b"HTTP/1.1 401 X\r\ncontent-type: text/html\r\nrequest-id: req_1\r\nconnection: close\r\n\r\n";
            let mut script = vec![Step::Send(head.to_vec())];
            for _ in 0..1000 {
                script.push(Step::Send(b"x".to_vec()));
                script.push(Step::Until(Arc::clone(&drip)));
            }
            if stream {
                api.on_stream(script);
            } else {
                api.on_session(script);
            }
            let clock = ManualClock::new();
            let client = api.builder().limits(limits).clock(clock.clone()).build().unwrap();
            let id = api.session_id();
            let calling = tokio::spawn(async move {
                if stream {
                    client
                        .sessions()
                        .events(id)
                        .stream()
                        .open()
                        .next()
                        .await
                        .unwrap()
                        .unwrap_err()
                } else {
                    client.sessions().retrieve(&id).await.unwrap_err()
                }
            });
            clock.slept(|sleep| sleep == limit).await;
            for _ in 0..expected {
                assert!(!calling.is_finished(), "it came early");
                drip.notify_one();
                clock.advance(Duration::from_secs(1));
                tokio::task::yield_now().await;
            }
            let error = calling.await.unwrap();
            assert!(!error.is_retryable());
            assert_eq!(error.status().unwrap().as_u16(), 401);
            assert_eq!(error.request_id().unwrap().as_str(), "req_1");
            assert!(matches!(error, Error::Api(error) if error.message().is_empty()));
        }
    }
}
