use checkfu_sdk::client::{KeyFuture, KeyProvider};
use checkfu_sdk::{ApiKey, Client, SessionId};
use futures::FutureExt;
use wiremock::matchers::{any, header};
use wiremock::{Mock, MockServer, ResponseTemplate};

use super::Cuts;
use crate::support::random::cancel_after;

/// Gives the old key until it was refreshed, and yields before each answer.
#[derive(Default)]
struct Rotating(std::sync::atomic::AtomicBool);

impl KeyProvider for Rotating {
    fn key(&self) -> KeyFuture<'_> {
        async {
            tokio::task::yield_now().await;
            Ok(match self.0.load(std::sync::atomic::Ordering::SeqCst) {
                true => "new-key-of-the-test".into(),
                false => "old-key-of-the-test".into(),
            })
        }
        .boxed()
    }

    fn refresh<'p>(&'p self, _: &'p ApiKey) -> KeyFuture<'p> {
        async {
            tokio::task::yield_now().await;
            self.0.store(true, std::sync::atomic::Ordering::SeqCst);
            self.key().await
        }
        .boxed()
    }
}

/// A call that was dropped while the provider is asked, or asked again after a 401, leaves a client that can ask.
#[tokio::test]
async fn a_dropped_question_for_a_key_leaves_nothing() {
    let server = MockServer::start().await;
    let session = ResponseTemplate::new(200).set_body_string(r#"{"id": "sess_1"}"#);
    let is_new = header("authorization", "Bearer new-key-of-the-test");
    Mock::given(is_new).respond_with(session).mount(&server).await;
    let refused = ResponseTemplate::new(401);
    Mock::given(any()).respond_with(refused).mount(&server).await;
    let id = SessionId::from("sess_1");
    let rotating = Rotating::default();
    let mut cuts = Cuts::of(&["KeyProvider::key", "KeyProvider::refresh"]).at_least(4);
    while let Some(waits) = cuts.place() {
        let builder = Client::builder().base_url(server.uri());
        let client = builder.key_provider(Rotating::default()).build().unwrap();
        let sessions = client.sessions();
        cuts.cut(cancel_after(waits, sessions.retrieve(&id)).await);
        let read = client.sessions().retrieve(&id).await.unwrap();
        assert_eq!(read.id(), &id, "dropped after {waits}");
    }
    cuts.waited();
    let old = rotating.key().await.unwrap();
    let new = rotating.refresh(&old).await.unwrap();
    assert!(old != new && new == rotating.key().await.unwrap());
}
