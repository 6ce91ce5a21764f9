//! Everything that is unpleasant and allowed, at once.

use std::time::Duration;

use checkfu_mock_server::MockServer;
use checkfu_sdk::input::UserMessage;
use checkfu_sdk::retry::{Backoff, ReconnectPolicy, RetryPolicy};
use futures::StreamExt;
use serde_json::Value;

use crate::support::random::Random;
use crate::support::world::{AUTHOR, World};

/// STR-4, STR-5, A-IDEM: a client that keeps to the contract, here the SDK, drives and reads Sessions on a hostile server
/// as on any other: every message stands once, and its stream is the log.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_keeps_to_the_contract_copes() {
    let mut random = Random::seeded("a_client_that_keeps_to_the_contract_copes");
    let mut all = 0;
    let mut rounds = 0;
    while rounds < 4 || all <= 20 {
        rounds += 1;
        assert!(rounds <= 20, "only {all} faults");
        let seed = random.below(u64::MAX);
        println!("seed {seed}");
        let builder = MockServer::builder()
            .step_delay(Duration::ZERO)
            .seed(seed)
            .hostile(true);
        let server = builder.start().await.unwrap();
        let backoff = Backoff::between(Duration::from_millis(1), Duration::from_millis(5));
        let sdk = checkfu_sdk::Client::builder()
            .base_url(server.url())
            .api_key(server.api_key())
            .retry_policy(RetryPolicy::default().max_attempts(20).backoff(backoff))
            .reconnect_policy(ReconnectPolicy::default().max_reconnects(50).backoff(backoff))
            .build()
            .unwrap();
        let session = sdk
            .sessions()
            .create(server.deployment_id(), server.principal_id());
        let session = session.send().await.unwrap();
        let events = sdk.sessions().events(session.id());
        for text in ["one", "two", "three"] {
            events.send(UserMessage::new(text).by(AUTHOR)).await.unwrap();
        }
        let mut streamed: Vec<Value> = Vec::new();
        let mut stream = events.stream().open();
        let mut settled = 0;
        while settled < 3 {
            let event = stream.next().await.expect("the Session has not ended").unwrap();
            settled += u32::from(event.event_type() == "run.completed");
            streamed.push(serde_json::from_str(event.raw_json()).unwrap());
        }
        let fired: u64 = server
            .control()
            .faults()
            .all()
            .iter()
            .map(|fault| fault.fired)
            .sum();
        all += fired;
        server.control().faults().clear();
        let world = World {
            client: crate::support::client::Client::new(server.url(), server.api_key()),
            server,
        };
        let log = world.log(session.id().as_ref()).await;
        assert_eq!(streamed, log[..streamed.len()]);
        let messages = log.iter().filter(|event| event["type"] == "user.message");
        assert_eq!(messages.count(), 3);
    }
}
