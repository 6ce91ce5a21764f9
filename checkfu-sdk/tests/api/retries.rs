use std::time::Duration;

use checkfu_sdk::error::{Limit, StopCause, TransportErrorKind};
use checkfu_sdk::input::{CustomToolResult, UserMessage};
use checkfu_sdk::retry::{Backoff, RetryPolicy};
use checkfu_sdk::{Client, Error, Limits};
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpListener;
use wiremock::matchers::any;
use wiremock::{Mock, MockServer, ResponseTemplate};

use crate::support::clock::ManualClock;
use crate::support::event::{event, session};
use crate::support::fake_api::{FakeApi, Step};

fn quick() -> RetryPolicy {
    RetryPolicy::default().backoff(Backoff::between(
        Duration::from_millis(1),
        Duration::from_millis(4),
    ))
}

fn client(server: &MockServer) -> Client {
    Client::builder()
        .base_url(server.uri())
        .api_key("k")
        .retry_policy(quick())
        .build()
        .unwrap()
}

/// Answers `first` for the first `times` requests and `then` after them.
async fn answering(first: ResponseTemplate, times: u64, then: ResponseTemplate) -> MockServer {
    let server = MockServer::start().await;
    Mock::given(any())
        .respond_with(first)
        .up_to_n_times(times)
        .mount(&server)
        .await;
    Mock::given(any()).respond_with(then).mount(&server).await;
    server
}

async fn requests(server: &MockServer) -> usize {
    server.received_requests().await.unwrap().len()
}

fn accepted() -> ResponseTemplate {
    ResponseTemplate::new(202).set_body_json(event(7, "user.message", json!({})))
}

/// WIRE-3, REP-61: 429, 503 and other 5xx are tried again, and nothing else is, a 409 last of all.
#[tokio::test]
async fn only_overload_and_server_errors_are_tried_again() {
    let found = || ResponseTemplate::new(200).set_body_json(session("idle", json!(null), 1));
    for status in [429, 500, 502, 503, 504, 529, 599] {
        let server = answering(ResponseTemplate::new(status), 2, found()).await;
        client(&server)
            .sessions()
            .retrieve(&"sess_1".into())
            .await
            .unwrap();
        assert_eq!(requests(&server).await, 3, "{status}");
    }
    for status in [
        300, 304, 307, 400, 401, 403, 404, 408, 409, 410, 413, 422, 425, 428,
    ] {
        let server = answering(ResponseTemplate::new(status), 9, found()).await;
        let error = client(&server)
            .sessions()
            .retrieve(&"sess_1".into())
            .await
            .unwrap_err();
        assert_eq!(error.attempts().unwrap().stopped, StopCause::NotRetryable);
        assert_eq!(requests(&server).await, 1, "{status}");
    }
}

/// WIRE-3, A-CLI: a 409 is never tried again, even if its body says that it may be.
#[tokio::test]
async fn a_conflict_is_never_tried_again() {
    let conflict = ResponseTemplate::new(409).set_body_json(json!({ "error": { "retryable": true } }));
    let server = answering(conflict, 9, accepted()).await;
    let input = UserMessage::new("hi").by("prin_1");
    let error = client(&server)
        .sessions()
        .events("sess_1")
        .send(input)
        .await
        .unwrap_err();
    assert!(!error.is_retryable(), "a body cannot grant a retry");
    assert_eq!(error.attempts().unwrap().stopped, StopCause::NotRetryable);
    assert_eq!(requests(&server).await, 1);
}

/// REP-63: a server may say that its own error is final: a spent quota is not waited for.
#[tokio::test]
async fn the_server_can_forbid_a_retry() {
    let spent = ResponseTemplate::new(429).set_body_json(json!({ "error": { "retryable": false } }));
    let server = answering(spent, 9, accepted()).await;
    let error = client(&server)
        .sessions()
        .retrieve(&"sess_1".into())
        .await
        .unwrap_err();
    assert!(!error.is_retryable());
    assert_eq!(requests(&server).await, 1);
}

/// A-IDEM, REP-4: one logical call keeps one key over all its attempts; another call has another, and a given one is
/// used.
#[tokio::test]
async fn a_retry_keeps_its_key() {
    let server = answering(ResponseTemplate::new(503), 2, accepted()).await;
    let events = client(&server).sessions().events("sess_1");
    events.send(UserMessage::new("hi").by("prin_1")).await.unwrap();
    events.send(UserMessage::new("hi").by("prin_1")).await.unwrap();
    events
        .send(UserMessage::new("hi").by("prin_1").idempotency_key("mine"))
        .await
        .unwrap();
    let seen = server.received_requests().await.unwrap();
    let keys: Vec<_> = seen
        .iter()
        .map(|request| request.headers["idempotency-key"].to_str().unwrap())
        .collect();
    assert_eq!(keys.len(), 5);
    assert!(
        keys[0] == keys[1] && keys[1] == keys[2] && keys[0].len() == 32,
        "{keys:?}"
    );
    assert!(keys[3] != keys[0] && keys[4] == "mine", "{keys:?}");
    assert!(seen[..3].iter().all(|request| request.body == seen[0].body));
    for bad in ["", " ", "a\nb"] {
        let error = events
            .send(UserMessage::new("hi").by("p").idempotency_key(bad))
            .await
            .unwrap_err();
        assert!(error.to_string().starts_with("idempotency key "), "{error}");
    }
}

/// WIRE-7, REP-60: the last error says how often the call was tried and why no more.
#[tokio::test]
async fn a_final_error_tells_its_attempts() {
    let server = answering(ResponseTemplate::new(503), 9, accepted()).await;
    let error = client(&server)
        .sessions()
        .retrieve(&"sess_1".into())
        .await
        .unwrap_err();
    let attempts = error.attempts().unwrap();
    assert_eq!((attempts.count, attempts.stopped), (3, StopCause::AttemptsSpent));
    assert!(error.is_retryable());
    assert!(error.to_string().contains("(after 3 attempts in "), "{error}");
    assert!(error.to_string().ends_with("all attempts were used)"), "{error}");
}

/// WIRE-4, REP-26, REP-27, REP-62: `Retry-After` is a lower bound of the wait, and above the cap the error comes back
/// at once with it.
#[tokio::test]
async fn retry_after_is_honoured_and_bounded() {
    for (value, seconds) in [("7", 7), ("Sun, 06 Nov 1994 08:49:37 GMT", 77)] {
        let limited = ResponseTemplate::new(429).insert_header("retry-after", value);
        let server = answering(limited, 1, accepted()).await;
        let clock = ManualClock::new();
        let policy = quick().retry_after_cap(Duration::from_secs(80));
        let builder = Client::builder()
            .base_url(server.uri())
            .api_key("k")
            .retry_policy(policy);
        let events = builder
            .clock(clock.clone())
            .build()
            .unwrap()
            .sessions()
            .events("sess_1");
        let sending = tokio::spawn(async move { events.send(UserMessage::new("hi").by("prin_1")).await });
        let wait = clock.slept(|sleep| sleep == Duration::from_secs(seconds)).await;
        clock.advance(wait - Duration::from_millis(1));
        assert_eq!(requests(&server).await, 1, "tried early");
        clock.advance(Duration::from_millis(1));
        sending.await.unwrap().unwrap();
    }
    let limited = ResponseTemplate::new(429).insert_header("retry-after", "61");
    let server = answering(limited, 9, accepted()).await;
    let error = client(&server)
        .sessions()
        .retrieve(&"sess_1".into())
        .await
        .unwrap_err();
    assert_eq!(error.retry_after(), Some(Duration::from_secs(61)));
    assert_eq!(error.attempts().unwrap().stopped, StopCause::RetryAfterTooLong);
    assert!(error.is_retryable());
    assert_eq!(requests(&server).await, 1);
}

/// A wait that would pass the limit of the whole call is not begun.
#[tokio::test]
async fn a_wait_past_the_total_limit_is_not_begun() {
    let limited = ResponseTemplate::new(503).insert_header("retry-after", "5");
    let server = answering(limited, 9, accepted()).await;
    let builder = Client::builder().base_url(server.uri()).api_key("k");
    let client = builder
        .limits(Limits::default().total(Duration::from_secs(4)))
        .build()
        .unwrap();
    let error = client.sessions().retrieve(&"sess_1".into()).await.unwrap_err();
    assert_eq!(error.attempts().unwrap().stopped, StopCause::TimeSpent);
    assert_eq!(error.retry_after(), Some(Duration::from_secs(5)));
}

/// REP-59, REP-64: a connection that breaks is tried again with the same key, before and inside an answer.
#[tokio::test]
async fn a_broken_connection_is_tried_again() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let body = event(7, "user.message", json!({})).to_string();
    let answers = [
        "",
        "HTTP/1.1 202 Accepted\r\ncontent-le",
        "HTTP/1.1 202 Accepted\r\ncontent-length: 900\r\n\r\n{",
    ];
    let whole = format!(
        "HTTP/1.1 202 Accepted\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let served = tokio::spawn(async move {
        let mut keys = Vec::new();
        for answer in answers.into_iter().chain([whole.as_str()]) {
            let (mut socket, _) = listener.accept().await.unwrap();
            let mut head = Vec::new();
            while !head.ends_with(b"}") {
                assert!(
                    tokio::io::AsyncReadExt::read_buf(&mut socket, &mut head)
                        .await
                        .unwrap()
                        > 0
                );
            }
            let head = String::from_utf8(head).unwrap();
            keys.push(
                head.lines()
                    .find(|line| line.starts_with("idempotency-key"))
                    .unwrap()
                    .to_owned(),
            );
            socket.write_all(answer.as_bytes()).await.unwrap();
            socket.shutdown().await.unwrap();
        }
        keys
    });
    let builder = Client::builder()
        .base_url(url)
        .api_key("k")
        .retry_policy(quick().max_attempts(4));
    let events = builder.build().unwrap().sessions().events("sess_1");
    let event = events.send(UserMessage::new("hi").by("prin_1")).await.unwrap();
    assert_eq!(event.seq().get(), 7);
    let keys = served.await.unwrap();
    assert!(keys.iter().all(|key| *key == keys[0]), "{keys:?}");
}

/// REP-11: the parts of a call have their own limits, each a typed error.
#[tokio::test]
async fn each_limit_is_a_typed_error() {
    let (limit, long) = (Duration::from_secs(7), Duration::from_secs(3600));
    let unlimited = Limits::default().first_byte(long).idle(long).total(long);
    let begun = b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n{".to_vec();
    for (limits, sent, expected) in [
        (unlimited.first_byte(limit), Vec::new(), Limit::FirstByte),
        (unlimited.idle(limit), begun.clone(), Limit::Idle),
        (unlimited.total(limit), begun, Limit::Total),
    ] {
        let api = FakeApi::start().await;
        let clock = ManualClock::new();
        api.on_session(vec![Step::Send(sent), Step::Hang]);
        let builder = api.builder().limits(limits).retry_policy(RetryPolicy::never());
        let client = builder.clock(clock.clone()).build().unwrap();
        let id = api.session_id();
        let calling = tokio::spawn(async move { client.sessions().retrieve(&id).await });
        clock.slept(|sleep| sleep == limit).await;
        while api.requests().is_empty() {
            tokio::task::yield_now().await;
        }
        clock.advance(limit - Duration::from_millis(1));
        tokio::task::yield_now().await;
        assert!(!calling.is_finished(), "{expected:?} came early");
        clock.advance(Duration::from_millis(1));
        let error = calling.await.unwrap().unwrap_err();
        assert!(error.is_retryable());
        let Error::Transport(error) = error else {
            panic!("{error:?}")
        };
        assert_eq!(
            error.kind(),
            TransportErrorKind::TimedOut {
                limit: expected,
                after: limit
            }
        );
        api.hung_up(1).await;
    }
}

/// An answer larger than the limit is an error that no retry mends, told before it is all read.
#[tokio::test]
async fn an_answer_too_large_is_a_typed_error() {
    let server = answering(
        ResponseTemplate::new(200).set_body_bytes(vec![b' '; 5000]),
        9,
        accepted(),
    )
    .await;
    let builder = Client::builder()
        .base_url(server.uri())
        .api_key("k")
        .retry_policy(quick());
    let client = builder
        .limits(Limits::default().body_bytes(4999))
        .build()
        .unwrap();
    let error = client.sessions().retrieve(&"sess_1".into()).await.unwrap_err();
    let Error::Transport(error) = error else {
        panic!("{error:?}")
    };
    assert_eq!(error.kind(), TransportErrorKind::TooLarge { limit: 4999 });
    assert!(!error.is_retryable());
    assert_eq!(requests(&server).await, 1);
}

/// WIRE-7: a server that cannot be reached is a retryable error of its own kind.
#[tokio::test]
async fn a_server_out_of_reach_is_retryable() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let client = Client::builder()
        .base_url(url)
        .api_key("k")
        .retry_policy(quick())
        .build()
        .unwrap();
    let error = client.sessions().retrieve(&"sess_1".into()).await.unwrap_err();
    assert!(error.is_retryable());
    assert_eq!(error.attempts().unwrap().count, 3);
    let Error::Transport(error) = error else {
        panic!("{error:?}")
    };
    assert_eq!(error.kind(), TransportErrorKind::Connect);
}

/// WIRE-4, WIRE-7, REP-60, REP-65: a client that was set up with nothing but key and address tries again, and its last
/// error says how often, how long and why no more.
#[tokio::test]
async fn a_final_error_tells_how_long_it_took() {
    let limited = ResponseTemplate::new(503).insert_header("retry-after", "20");
    let server = answering(limited, 9, accepted()).await;
    let clock = ManualClock::new();
    let builder = Client::builder().base_url(server.uri()).api_key("k");
    let client = builder.clock(clock.clone()).build().unwrap();
    let calling = tokio::spawn(async move { client.sessions().retrieve(&"sess_1".into()).await });
    for _ in 0..2 {
        clock.slept(|sleep| sleep == Duration::from_secs(20)).await;
        clock.advance(Duration::from_secs(20));
    }
    let error = calling.await.unwrap().unwrap_err();
    assert_eq!(error.attempts().unwrap().elapsed, Duration::from_secs(40));
    let told = "(after 3 attempts in 40.0 s: all attempts were used)";
    assert!(error.to_string().ends_with(told), "{error}");
    assert_eq!(requests(&server).await, 3);
}

/// A-IDEM, REP-5, REP-7: an answer to a wait that was refused is told, and the same input can be sent again: with its
/// result, its thread and its key, so the tool behind it need not run again.
#[tokio::test]
async fn a_refused_result_can_be_sent_again() {
    let refused = ResponseTemplate::new(400).set_body_json(json!({ "error": { "message": "wrong thread" } }));
    let server = answering(refused, 1, accepted()).await;
    let events = client(&server).sessions().events("sess_1");
    let result = CustomToolResult::new("toolu_1", "be brief").on_thread("sthr_2");
    let input = result.by("prin_1").idempotency_key("mine");
    let error = events.send(input.clone()).await.unwrap_err();
    assert!(error.to_string().contains("wrong thread"), "{error}");
    events.send(input).await.unwrap();
    let seen = server.received_requests().await.unwrap();
    assert_eq!(seen[0].body, seen[1].body);
    assert_eq!(seen[1].headers["idempotency-key"], "mine");
    let body: serde_json::Value = serde_json::from_slice(&seen[1].body).unwrap();
    assert_eq!(body["payload"]["session_thread_id"], "sthr_2");
}
