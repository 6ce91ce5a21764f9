//! Keys that change while the client lives.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use checkfu_sdk::client::{ClientBuilder, KeyFuture, KeyProvider};
use checkfu_sdk::error::{KeyError, StopCause};
use checkfu_sdk::retry::{ReconnectPolicy, RetryPolicy};
use checkfu_sdk::{ApiKey, Client, Error};
use futures::{FutureExt, StreamExt, future};
use serde_json::json;
use tokio::sync::Semaphore;
use wiremock::matchers::{any, header};
use wiremock::{Mock, MockServer, Request, Respond, ResponseTemplate};

use crate::support::clock::ManualClock;
use crate::support::event::{frames, message, session};
use crate::support::fake_api::{FakeApi, answer, stream};
use crate::support::shown::shown;

const OLD: &str = "old-key-of-the-test";
const NEW: &str = "new-key-of-the-test";

/// A provider of one key, and of others by refreshes, that counts what it is asked.
#[derive(Clone)]
struct Vault(Arc<Inside>);

struct Inside {
    key: Mutex<String>,
    next: Mutex<VecDeque<Result<&'static str, KeyError>>>,
    asked: AtomicUsize,
    refreshed: AtomicUsize,
    /// Each refresh takes a permit before it answers.
    gate: Semaphore,
}

impl Vault {
    /// Begins with the old key; refreshes give the others, in order.
    fn then(next: impl IntoIterator<Item = Result<&'static str, KeyError>>) -> Self {
        Self(Arc::new(Inside {
            key: Mutex::new(OLD.to_owned()),
            next: Mutex::new(next.into_iter().collect()),
            asked: AtomicUsize::new(0),
            refreshed: AtomicUsize::new(0),
            gate: Semaphore::new(100),
        }))
    }

    fn closed(self) -> Self {
        self.0.gate.forget_permits(100);
        self
    }

    fn refreshes(&self) -> usize {
        self.0.refreshed.load(Ordering::SeqCst)
    }
}

impl KeyProvider for Vault {
    fn key(&self) -> KeyFuture<'_> {
        self.0.asked.fetch_add(1, Ordering::SeqCst);
        let key = self.0.key.lock().unwrap().as_str().into();
        future::ready(Ok(key)).boxed()
    }

    fn refresh<'p>(&'p self, refused: &'p ApiKey) -> KeyFuture<'p> {
        async {
            self.0.refreshed.fetch_add(1, Ordering::SeqCst);
            self.0.gate.acquire().await.unwrap().forget();
            let next = self.0.next.lock().unwrap().pop_front().unwrap()?;
            assert_eq!(*refused, ApiKey::from(self.0.key.lock().unwrap().as_str()));
            next.clone_into(&mut self.0.key.lock().unwrap());
            Ok(next.into())
        }
        .boxed()
    }
}

/// Refuses all, and counts them.
#[derive(Clone, Default)]
struct Refuses(Arc<tokio::sync::watch::Sender<usize>>);

impl Refuses {
    async fn heard(&self, count: usize) {
        self.0
            .subscribe()
            .wait_for(|heard| *heard >= count)
            .await
            .unwrap();
    }
}

impl Respond for Refuses {
    fn respond(&self, _: &Request) -> ResponseTemplate {
        self.0.send_modify(|heard| *heard += 1);
        ResponseTemplate::new(401).set_body_json(json!({ "error": { "code": "auth.invalid_key" } }))
    }
}

/// A server that takes the new key alone.
async fn server() -> (MockServer, Refuses) {
    let (server, refuses) = (MockServer::start().await, Refuses::default());
    let body = session("idle", json!("end_turn"), 1);
    Mock::given(header("authorization", format!("Bearer {NEW}").as_str()))
        .respond_with(ResponseTemplate::new(200).set_body_json(body))
        .mount(&server)
        .await;
    Mock::given(any())
        .respond_with(refuses.clone())
        .mount(&server)
        .await;
    (server, refuses)
}

fn builder(url: &str, vault: &Vault) -> ClientBuilder {
    Client::builder()
        .base_url(url)
        .key_provider(vault.clone())
        .retry_policy(RetryPolicy::never())
}

async fn retrieve(client: &Client) -> Result<(), Error> {
    client.sessions().retrieve(&"sess_1".into()).await.map(drop)
}

fn keys_of(api: &FakeApi) -> Vec<String> {
    let requests = api.requests().into_iter();
    let keys = requests.map(|request| request.headers["authorization"].clone());
    keys.map(|key| key.trim_start_matches("Bearer ").to_owned())
        .collect()
}

/// WIRE-1: the provider is asked before every request, so a key that was rotated counts from the next one on: for a call,
/// its retry, and the reconnect of a stream.
#[tokio::test]
async fn every_request_has_the_key_of_its_time() {
    let api = FakeApi::start().await;
    api.set_session(session("running", json!(null), 9))
        .on_session(answer(503, "", ""))
        .on_stream(stream(frames(&[message(1)])))
        .on_stream(stream(frames(&[message(2)])));
    let count = Arc::new(AtomicUsize::new(0));
    let provider = move || {
        let number = count.fetch_add(1, Ordering::SeqCst);
        async move { Ok(ApiKey::from(format!("key-{number}"))) }
    };
    let client = api
        .builder()
        .api_key("not-this")
        .key_provider(provider)
        .build()
        .unwrap();
    retrieve(&client).await.unwrap();
    let mut events = client.sessions().events("sess_1").stream().open();
    assert!(events.next().await.unwrap().is_ok() && events.next().await.unwrap().is_ok());
    assert_eq!(keys_of(&api), ["key-0", "key-1", "key-2", "key-3"]);
    assert!(!format!("{client:#?} {events:#?}").contains("key-"));
}

/// WIRE-1, A-IDEM: after a 401 the key is refreshed once and the request made once more, a change under the same
/// idempotency key.
#[tokio::test]
async fn a_refused_key_is_refreshed_and_the_request_made_again() {
    let (server, _) = server().await;
    let vault = Vault::then([Ok(NEW)]);
    let client = builder(&server.uri(), &vault).build().unwrap();
    client.sessions().create("adep_1", "prin_1").send().await.unwrap();
    retrieve(&client).await.unwrap();
    let requests = server.received_requests().await.unwrap();
    let sent: Vec<_> = requests
        .iter()
        .map(|request| {
            request.headers["authorization"]
                .to_str()
                .unwrap()
                .trim_start_matches("Bearer ")
        })
        .collect();
    assert_eq!(sent, [OLD, NEW, NEW]);
    assert_eq!(requests[0].body, requests[1].body);
    let idempotency_key = |index: usize| &requests[index].headers["idempotency-key"];
    assert_eq!(idempotency_key(0), idempotency_key(1));
    assert_eq!(vault.refreshes(), 1);
}

/// WIRE-2: the 401 comes out where the refresh gives the same key, after one request, and where the new one is refused as
/// well, after two; a key that is fixed is tried once. Nothing of it is retried by the policy.
#[tokio::test]
async fn a_second_refusal_comes_out() {
    for (refreshed, keys) in [
        (OLD, vec![OLD]),
        ("other-key-of-the-test", vec![OLD, "other-key-of-the-test"]),
    ] {
        let api = FakeApi::start().await;
        for _ in 0..4 {
            api.on_session(answer(401, "", r#"{"error":{"code":"auth.invalid_key"}}"#));
        }
        let vault = Vault::then([Ok(refreshed)]);
        let client = api.builder().key_provider(vault.clone()).build().unwrap();
        let error = retrieve(&client).await.unwrap_err();
        assert_eq!(error.status().unwrap().as_u16(), 401);
        assert!(!error.is_retryable());
        let Error::Api(refusal) = &error else {
            panic!("{error:?}");
        };
        assert_eq!(refusal.code().unwrap().as_str(), "auth.invalid_key");
        assert_eq!(keys_of(&api), keys);
        assert_eq!(vault.refreshes(), 1);
    }
    let api = FakeApi::start().await;
    api.on_session(answer(401, "", ""));
    assert_eq!(
        retrieve(&api.client())
            .await
            .unwrap_err()
            .status()
            .unwrap()
            .as_u16(),
        401
    );
    assert_eq!(api.requests().len(), 1);
}

/// Requests that are refused at the same time share one refresh and its outcome, a failure too; those after it have one of
/// their own.
#[tokio::test]
async fn refusals_at_the_same_time_share_one_refresh() {
    for next in [Ok(NEW), Ok(OLD), Err(KeyError::temporary("the vault is sealed"))] {
        let (server, refuses) = server().await;
        let vault = Vault::then([next.clone(), Ok(NEW)]).closed();
        let client = builder(&server.uri(), &vault).build().unwrap();
        let calls: Vec<_> = (0..50)
            .map(|_| {
                let client = client.clone();
                tokio::spawn(async move { retrieve(&client).await })
            })
            .collect();
        refuses.heard(50).await;
        vault.0.gate.add_permits(2);
        for call in calls {
            let result = call.await.unwrap();
            match &next {
                Ok(NEW) => result.unwrap(),
                Ok(_) => assert_eq!(result.unwrap_err().status().unwrap().as_u16(), 401),
                Err(_) => {
                    let error = result.unwrap_err();
                    assert!(
                        matches!(error, Error::Key(_)) && error.is_retryable(),
                        "{error:?}"
                    );
                    assert!(shown(&error).contains("the vault is sealed"));
                }
            }
        }
        assert_eq!(vault.refreshes(), 1, "{next:?}");
        retrieve(&client).await.unwrap();
        assert_eq!(vault.refreshes(), if matches!(next, Ok(NEW)) { 1 } else { 2 });
    }
}

/// A caller that gives up in the middle of a refresh leaves the others going: one of them asks for its own.
#[tokio::test]
async fn a_caller_that_gives_up_wedges_nobody() {
    let (server, refuses) = server().await;
    let vault = Vault::then([Ok(NEW)]).closed();
    let client = builder(&server.uri(), &vault).build().unwrap();
    let mut first = Box::pin(retrieve(&client));
    // The first is in its refresh once this many were made.
    while vault.refreshes() == 0 {
        assert!(future::poll_immediate(&mut first).await.is_none());
        tokio::task::yield_now().await;
    }
    let others: Vec<_> = (0..5)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move { retrieve(&client).await })
        })
        .collect();
    refuses.heard(6).await;
    drop(first);
    vault.0.gate.add_permits(1);
    for other in others {
        other.await.unwrap().unwrap();
    }
    assert_eq!(vault.refreshes(), 2);
}

/// A-CLI: a stream whose key is refused when it connects again is not broken by that: it goes on with the new key, and
/// none of its reconnects is spent.
#[tokio::test]
async fn a_stream_goes_on_with_the_new_key() {
    let api = FakeApi::start().await;
    api.set_session(session("running", json!(null), 9))
        .on_stream(answer(401, "", ""))
        .on_stream(stream(frames(&[message(1)])));
    let vault = Vault::then([Ok(NEW)]);
    let client = api
        .builder()
        .key_provider(vault.clone())
        .reconnect_policy(ReconnectPolicy::default().max_reconnects(0))
        .build()
        .unwrap();
    let mut events = client.sessions().events("sess_1").stream().open();
    events.next().await.unwrap().unwrap();
    assert_eq!(keys_of(&api), [OLD, NEW]);
    assert_eq!(vault.refreshes(), 1);
}

/// WIRE-7: a provider that fails is a typed error. It says itself whether a retry makes sense, and the client acts by it:
/// a call within its policy, a stream within its own.
#[tokio::test]
async fn a_provider_that_fails_says_whether_to_try_again() {
    let api = FakeApi::start().await;
    api.set_session(session("running", json!(null), 9))
        .on_stream(stream(frames(&[message(1)])));
    let failing = |times: usize, error: KeyError| {
        let asked = AtomicUsize::new(0);
        let provider = move || {
            let fails = asked.fetch_add(1, Ordering::SeqCst) < times;
            let error = error.clone();
            async move {
                if fails {
                    Err(error)
                } else {
                    Ok(ApiKey::from("key"))
                }
            }
        };
        api.builder().key_provider(provider).build().unwrap()
    };
    let temporary = || KeyError::temporary("the vault is sealed");
    retrieve(&failing(2, temporary())).await.unwrap();
    let stream_client = failing(2, temporary());
    let mut events = stream_client.sessions().events("sess_1").stream().open();
    events.next().await.unwrap().unwrap();
    assert_eq!(api.requests().len(), 2);

    let error = retrieve(&failing(3, temporary())).await.unwrap_err();
    assert!(
        matches!(error, Error::Key(_)) && error.is_retryable(),
        "{error:?}"
    );
    let attempts = error.attempts().unwrap();
    assert_eq!((attempts.count, attempts.stopped), (3, StopCause::AttemptsSpent));
    assert_eq!(
        format!("{error}"),
        format!("the key provider gave no key ({attempts})")
    );

    let client = failing(1, KeyError::permanent("no role in the vault"));
    let error = retrieve(&client).await.unwrap_err();
    assert!(
        matches!(error, Error::Key(_)) && !error.is_retryable(),
        "{error:?}"
    );
    assert_eq!(error.attempts().unwrap().count, 1);
    let client = failing(1, KeyError::permanent("no role in the vault"));
    let mut events = client.sessions().events("sess_1").stream().open();
    assert!(matches!(events.next().await, Some(Err(Error::Key(_)))));
    assert!(events.next().await.is_none());

    let unusable = || async { Ok(ApiKey::from("a\nsecret")) };
    let client = api.builder().key_provider(unusable).build().unwrap();
    let error = retrieve(&client).await.unwrap_err();
    assert!(
        matches!(error, Error::Key(_)) && !error.is_retryable(),
        "{error:?}"
    );
    assert!(!shown(&error).contains("secret"), "{error:?}");
    assert_eq!(api.requests().len(), 2);
}

/// A provider that never answers is an error at the limit on the first byte, for the key and for the refresh.
#[tokio::test]
async fn a_provider_that_hangs_is_not_waited_for() {
    const LIMIT: Duration = Duration::from_secs(30);
    let (api, clock) = (FakeApi::start().await, ManualClock::new());
    let builder = || {
        api.builder()
            .clock(clock.clone())
            .retry_policy(RetryPolicy::never())
    };
    let hangs = || future::pending::<Result<ApiKey, KeyError>>();
    let client = builder().key_provider(hangs).build().unwrap();
    let passes = async {
        clock.slept(|limit| limit == LIMIT).await;
        clock.advance(LIMIT);
    };
    let (result, ()) = tokio::join!(retrieve(&client), passes);
    let error = result.unwrap_err();
    assert!(
        matches!(error, Error::Key(_)) && error.is_retryable(),
        "{error:?}"
    );
    assert!(api.requests().is_empty());

    api.on_session(answer(401, "", ""))
        .on_session(answer(401, "", ""));
    let vault = Vault::then([Ok(NEW)]).closed();
    let client = builder().key_provider(vault.clone()).build().unwrap();
    for refreshes in [1, 2] {
        clock.forget();
        let passes = async {
            // The key, the answer, and the refresh.
            for _ in 0..3 {
                clock.slept(|limit| limit == LIMIT).await;
            }
            clock.advance(LIMIT);
        };
        let (result, ()) = tokio::join!(retrieve(&client), passes);
        let error = result.unwrap_err();
        assert!(
            matches!(error, Error::Key(_)) && error.is_retryable(),
            "{error:?}"
        );
        assert_eq!(vault.refreshes(), refreshes);
    }
}

/// Neither the key that was refused nor the one after it is in an error, whichever a server repeats.
#[tokio::test]
async fn neither_key_is_repeated() {
    let api = FakeApi::start().await;
    let body = format!(r#"{{"error":{{"message":"not {OLD} and not {NEW}"}}}}"#);
    api.on_session(answer(401, "", ""))
        .on_session(answer(401, "", &body));
    let vault = Vault::then([Ok(NEW)]);
    let client = api.builder().key_provider(vault).build().unwrap();
    let error = retrieve(&client).await.unwrap_err();
    let shown = shown(&error);
    assert!(
        shown.contains("not [key removed] and not [key removed]") && !shown.contains("-of-the-test"),
        "{shown}"
    );

    let failure = format!("data: {{\"type\":\"error\",\"error\":\"not {OLD}, not {NEW}\"}}\n\n");
    api.set_session(session("running", json!(null), 9))
        .on_stream(answer(401, "", ""))
        .on_stream(stream(failure));
    let vault = Vault::then([Ok(NEW)]);
    let reconnect = ReconnectPolicy::default().max_reconnects(0);
    let client = api
        .builder()
        .key_provider(vault)
        .reconnect_policy(reconnect)
        .build()
        .unwrap();
    let mut events = client.sessions().events("sess_1").stream().open();
    let error = events.next().await.unwrap().unwrap_err();
    let shown = crate::support::shown::shown(&error);
    assert!(
        shown.contains("[key removed]") && !shown.contains("-of-the-test"),
        "{shown}"
    );
}
