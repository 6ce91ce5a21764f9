use std::time::Duration;

use checkfu_mock_server::MockServer;
use checkfu_sdk::clock::{Clock, TokioClock};
use checkfu_sdk::input::UserMessage;
use checkfu_sdk::{Client, Event, EventData, Session, SessionId};
use futures::TryStreamExt;
use serde_json::json;

use super::Cuts;
use crate::support::fake_api::FakeApi;
use crate::support::random::cancel_after;

async fn started() -> (MockServer, Client) {
    let builder = MockServer::builder().step_delay(Duration::ZERO);
    let server = builder.start().await.unwrap();
    let builder = Client::builder().base_url(server.url());
    let client = builder.api_key(server.api_key()).build().unwrap();
    (server, client)
}

/// A-IDEM: a create that was dropped may have made its Session, and with a key of the caller's own the same call finds out;
/// without one there is a Session or none.
#[tokio::test]
async fn a_dropped_create_is_made_once() {
    let (server, client) = started().await;
    for own_key in [true, false] {
        let mut cuts = Cuts::of(&["CreateSession::send"]);
        while let Some(waits) = cuts.place() {
            let title = format!("cut {own_key} {}", cuts.run());
            let create = || {
                let sessions = client.sessions();
                let create = sessions.create(server.deployment_id(), server.principal_id());
                let create = create.title(&*title);
                match own_key {
                    true => create.idempotency_key(title.replace(' ', "-")),
                    false => create,
                }
            };
            let made = cuts.cut(cancel_after(waits, create().send()).await);
            let again = match own_key {
                true => Some(create().send().await.unwrap()),
                false => None,
            };
            let all: Vec<Session> = client.sessions().list().items().try_collect().await.unwrap();
            let same: Vec<_> = all
                .iter()
                .filter(|session| session.title() == Some(&title))
                .collect();
            assert!(same.len() <= 1, "{title} was made more than once");
            if let Some(again) = again {
                assert_eq!(same, [&again]);
            }
            if let Some(made) = made {
                assert_eq!(same[0].id(), made.unwrap().id());
            }
        }
        cuts.waited();
    }
    server.shutdown().await;
}

/// A-IDEM, SES-6: an input that was dropped while it was sent may stand in the log, once; sent again with the same key it
/// does.
#[tokio::test]
async fn a_dropped_input_is_accepted_once() {
    let (server, client) = started().await;
    let create = client.sessions();
    let create = create.create(server.deployment_id(), server.principal_id());
    let session = create.send().await.unwrap();
    let events = client.sessions().events(session.id());
    for own_key in [true, false] {
        let mut cuts = Cuts::of(&["SessionEvents::send"]);
        while let Some(waits) = cuts.place() {
            let text = format!("cut {own_key} {}", cuts.run());
            let input = || {
                let input = UserMessage::new(&*text).by(server.principal_id());
                match own_key {
                    true => input.idempotency_key(text.replace(' ', "-")),
                    false => input,
                }
            };
            let sent = cuts.cut(cancel_after(waits, events.send(input())).await);
            let again = match own_key {
                true => Some(events.send(input()).await.unwrap()),
                false => None,
            };
            let log: Vec<Event> = events.list().limit(1000).items().try_collect().await.unwrap();
            let is_same = |event: &&Event| matches!(event.data(), EventData::UserMessage(message) if message.content.to_text() == text);
            let same: Vec<_> = log.iter().filter(is_same).map(Event::id).collect();
            assert!(same.len() <= 1, "{text} stands more than once");
            if let Some(again) = again {
                assert_eq!(same, [again.id()]);
            }
            if let Some(sent) = sent {
                assert_eq!(same, [sent.unwrap().id()]);
            }
        }
        cuts.waited();
    }
    server.shutdown().await;
}

/// THR-4: a read that was dropped changes nothing, an archiving that was dropped may be done and the same call finds
/// out; the client goes on.
#[tokio::test]
async fn dropped_reads_change_nothing() {
    let (server, client) = started().await;
    let create = client.sessions();
    let create = create.create(server.deployment_id(), server.principal_id());
    let session = create.send().await.unwrap();
    let mut cuts = Cuts::of(&["Sessions::retrieve"]);
    while let Some(waits) = cuts.place() {
        let sessions = client.sessions();
        let read = cancel_after(waits, sessions.retrieve(session.id())).await;
        assert!(cuts.cut(read).is_none_or(|read| read.unwrap() == session));
        let again = client.sessions().retrieve(session.id()).await.unwrap();
        assert_eq!(again, session);
    }
    cuts.waited();
    server.shutdown().await;

    let api = FakeApi::start().await;
    let child = json!({"id": "sthr_2", "parent_thread_id": "sthr_1", "status": "terminated"});
    api.set_thread(child);
    let client = api.client();
    let threads = client.sessions().threads(SessionId::from("sess_1"));
    let mut cuts = Cuts::of(&["SessionThreads::retrieve"]);
    while let Some(waits) = cuts.place() {
        let read = cancel_after(waits, threads.retrieve(&"sthr_2".into())).await;
        cuts.cut(read);
        let again = threads.retrieve(&"sthr_2".into()).await.unwrap();
        assert_eq!(again.id().as_str(), "sthr_2");
    }
    cuts.waited();
    let mut cuts = Cuts::of(&["SessionThreads::archive"]);
    while let Some(waits) = cuts.place() {
        let archived = cancel_after(waits, threads.archive(&"sthr_2".into())).await;
        cuts.cut(archived);
        let again = threads.archive(&"sthr_2".into()).await.unwrap();
        assert_eq!(again.id().as_str(), "sthr_2");
    }
    cuts.waited();
}

/// A wait of the default clock is dropped like any other.
#[tokio::test]
async fn a_dropped_sleep_leaves_nothing() {
    let mut cuts = Cuts::of(&["Clock::sleep"]);
    while let Some(waits) = cuts.place() {
        let started = TokioClock.now();
        let short = Duration::from_millis(1);
        let slept = cancel_after(waits, TokioClock.sleep(short)).await;
        cuts.cut(slept);
        TokioClock.sleep(short).await;
        assert!(TokioClock.now() >= started + short);
    }
    cuts.waited();
}
