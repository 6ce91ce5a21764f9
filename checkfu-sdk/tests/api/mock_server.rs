//! The SDK against the reference server, end to end.

use std::time::Duration;

use checkfu_mock_server::MockServer;
use checkfu_sdk::input::{Interrupt, UserMessage};
use checkfu_sdk::model::Page;
use checkfu_sdk::retry::{Backoff, ReconnectPolicy, RetryPolicy};
use checkfu_sdk::settlement::Outcome;
use checkfu_sdk::{Client, Error, Event, EventData, Seq, Session, SessionStatus, StopReason};
use futures::{StreamExt, TryStreamExt};

use crate::support::projection::{Projection, apply_rest};
use crate::support::relay::Relay;

fn client(url: &str, key: &str) -> Client {
    let quick = Backoff::between(Duration::from_millis(2), Duration::from_millis(50));
    let builder = Client::builder().base_url(url).api_key(key);
    builder
        .retry_policy(RetryPolicy::default().backoff(quick).max_attempts(10))
        .reconnect_policy(ReconnectPolicy::default().backoff(quick).max_reconnects(200))
        .build()
        .unwrap()
}

/// A server whose agents work at once, a client of it, and a Session.
async fn started() -> (MockServer, Client, Session) {
    let builder = MockServer::builder().step_delay(Duration::ZERO);
    let server = builder.start().await.unwrap();
    let client = client(server.url(), server.api_key());
    let create = client
        .sessions()
        .create(server.deployment_id(), server.principal_id());
    let session = create.send().await.unwrap();
    (server, client, session)
}

/// Applies all that is delivered up to the settlement, and gives its place.
async fn follow(client: &Client, session: &str, projection: &Projection, input: Seq) -> Seq {
    let follow = client
        .sessions()
        .events(session)
        .follow("billing", projection.store.clone());
    let mut follower = follow.input(input).start().await.unwrap();
    apply_rest(&mut follower).await;
    let settlement = follower.settlement().unwrap();
    assert_eq!(
        settlement.outcome,
        Outcome::Idle {
            stop_reason: Some(StopReason::EndTurn)
        }
    );
    settlement.seq
}

async fn log(client: &Client, session: &str) -> Vec<Event> {
    client
        .sessions()
        .events(session)
        .list()
        .limit(3)
        .items()
        .try_collect()
        .await
        .unwrap()
}

fn seqs(events: &[Event]) -> Vec<i64> {
    events
        .iter()
        .map(|event| i64::try_from(event.seq().get()).unwrap())
        .collect()
}

/// SES-6, SDK-2, FOL-1, FOL-6: two turns are driven and followed; what was applied is the log, each event once, and
/// list and stream give the same events.
#[tokio::test]
async fn two_turns_are_driven_and_followed() {
    let (server, client, session) = started().await;
    assert_eq!(session.status(), Some(&SessionStatus::Pending));
    let (id, events) = (session.id().as_str(), client.sessions().events(session.id()));
    let projection = Projection::new().await;
    for turn in ["first", "second"] {
        let input = events
            .send(UserMessage::new(turn).by(server.principal_id()))
            .await
            .unwrap();
        assert!(matches!(input.data(), EventData::UserMessage(message) if message.content.to_text() == turn));
        let settled = follow(&client, id, &projection, input.seq()).await;
        assert!(settled > input.seq());
        assert_eq!(
            follow(&client, id, &projection, input.seq()).await,
            settled,
            "following again finds it stored"
        );
    }
    let log = log(&client, id).await;
    assert_eq!(projection.applied().await, seqs(&log));
    let undecodable = log
        .iter()
        .find(|event| matches!(event.data(), EventData::Undecodable(_) | EventData::Unknown));
    assert_eq!(undecodable, None);
    let streamed: Vec<_> = events
        .stream()
        .open()
        .take(log.len())
        .try_collect()
        .await
        .unwrap();
    assert_eq!(streamed, log);
    let after = Seq::from(5);
    let rest: Vec<_> = events.list().after(after).items().try_collect().await.unwrap();
    assert_eq!(rest, log[5..]);
    let retrieved = client.sessions().retrieve(session.id()).await.unwrap();
    assert_eq!(retrieved.last_seq(), log.last().map(Event::seq));
    let listed: Vec<Page<_>> = client
        .sessions()
        .list()
        .limit(1)
        .pages()
        .try_collect()
        .await
        .unwrap();
    assert!(
        listed
            .iter()
            .flat_map(|page| &page.data)
            .any(|listed| listed.id() == session.id())
    );
    server.shutdown().await;
}

/// STR-2, STR-8, FOL-1: connections that are cut after a few bytes, again and again, lose and double nothing.
#[tokio::test]
async fn a_turn_survives_a_cutting_relay() {
    let (server, direct, session) = started().await;
    let id = session.id().as_str();
    let input = direct
        .sessions()
        .events(id)
        .send(UserMessage::new("hi").by(server.principal_id()))
        .await
        .unwrap();
    let relay = Relay::to(server.address()).await;
    relay.cut_after(1500);
    let cut = client(&relay.url, server.api_key());
    let projection = Projection::new().await;
    follow(&cut, id, &projection, input.seq()).await;
    assert!(
        relay.connections() > 4,
        "only {} connections were needed",
        relay.connections()
    );
    assert_eq!(projection.applied().await, seqs(&log(&direct, id).await));
    server.shutdown().await;
}

/// A-IDEM, REP-3: a post whose answer is lost is sent again with its key and stands in the log once.
#[tokio::test]
async fn a_lost_answer_is_no_second_input() {
    let (server, direct, session) = started().await;
    let relay = Relay::to(server.address()).await;
    let events = client(&relay.url, server.api_key())
        .sessions()
        .events(session.id());
    relay.cut_after(20);
    let sending = events.send(UserMessage::new("once").by(server.principal_id()));
    let mending = async {
        while relay.connections() < 3 {
            tokio::task::yield_now().await;
        }
        relay.cut_after(u64::MAX);
    };
    let (input, ()) = futures::join!(sending, mending);
    let log = log(&direct, session.id().as_str()).await;
    let inputs: Vec<_> = log
        .iter()
        .filter(|event| event.event_type() == "user.message")
        .collect();
    assert_eq!(inputs, [&input.unwrap()]);
    server.shutdown().await;
}

/// FOL-5, STR-8: a server that stops and starts again on its directory is followed through.
#[tokio::test]
async fn a_server_that_restarts_is_followed_through() {
    let directory = tempfile::tempdir().unwrap();
    let start = |port| {
        let builder = MockServer::builder()
            .data_dir(directory.path())
            .api_key("the-key")
            .port(port);
        builder.step_delay(Duration::from_millis(60)).start()
    };
    let server = start(0).await.unwrap();
    let client = client(server.url(), "the-key");
    let session = client
        .sessions()
        .create(server.deployment_id(), server.principal_id())
        .send()
        .await
        .unwrap();
    let id = session.id().as_str().to_owned();
    let input = client
        .sessions()
        .events(&*id)
        .send(UserMessage::new("hi").by(server.principal_id()))
        .await
        .unwrap();
    let projection = Projection::new().await;
    let restarting = async {
        while projection.applied().await.len() < 4 {
            tokio::task::yield_now().await;
        }
        let port = server.address().port();
        server.shutdown().await;
        start(port).await.unwrap()
    };
    let (settled, server) = futures::join!(follow(&client, &id, &projection, input.seq()), restarting);
    let log = log(&client, &id).await;
    assert_eq!(Some(settled), log.last().map(Event::seq));
    assert_eq!(projection.applied().await, seqs(&log));
    server.shutdown().await;
}

/// WIRE-2, A-GAP: the server's refusals are told: a bad key, a missing Session, a cursor ahead of the log.
#[tokio::test]
async fn refusals_of_the_server_are_told() {
    let server = MockServer::builder().start().await.unwrap();
    let good = client(server.url(), server.api_key());
    let session = good
        .sessions()
        .create(server.deployment_id(), server.principal_id())
        .send()
        .await
        .unwrap();
    let bad = client(server.url(), "not-the-key")
        .sessions()
        .retrieve(session.id())
        .await
        .unwrap_err();
    assert!(bad.status().unwrap().as_u16() == 401 && !bad.is_retryable() && bad.request_id().is_some());
    let missing = good.sessions().retrieve(&"sess_0".into()).await.unwrap_err();
    assert!(missing.status().unwrap().as_u16() == 404 && !missing.is_retryable());
    let mut ahead = good
        .sessions()
        .events(session.id())
        .stream()
        .after(Seq::from(9999))
        .open();
    let error = ahead.next().await.unwrap().unwrap_err();
    assert!(matches!(error, Error::CursorGap(_)), "{error:?}");
    let interrupted = good
        .sessions()
        .events(session.id())
        .send(Interrupt::turn().by(server.principal_id()))
        .await;
    assert!(interrupted.is_ok() || !interrupted.unwrap_err().is_retryable());
    server.shutdown().await;
}
