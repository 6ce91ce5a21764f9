//! Threads: their resources, and their logs by list and stream.

use std::time::Duration;

use checkfu_mock_server::MockServer;
use checkfu_sdk::input::{CustomToolResult, UserMessage};
use checkfu_sdk::model::{Page, SessionThread, SessionThreadStatus};
use checkfu_sdk::settlement::SettlementFold;
use checkfu_sdk::{Client, Event, EventData, Seq};
use futures::TryStreamExt;
use http::StatusCode;
use serde_json::{Value, json};

use crate::support::event::{event, frames, message, session};
use crate::support::fake_api::{FakeApi, Step, stream};

fn seqs(events: &[Event]) -> Vec<u64> {
    events.iter().map(|event| event.seq().get()).collect()
}

/// An event of the thread that these tests stream.
fn of_child(mut event: Value) -> Value {
    event["session_thread_id"] = "sthr_2".into();
    event
}

fn terminated(seq: u64) -> Value {
    event(seq, "session.thread_status_terminated", json!({}))
}

fn child(status: &str) -> Value {
    json!({"id": "sthr_2", "parent_thread_id": "sthr_1", "status": status})
}

async fn read(api: &FakeApi) -> Vec<u64> {
    let events = api.client().sessions().threads("sess_1").events("sthr_2");
    seqs(&events.stream().open().try_collect::<Vec<_>>().await.unwrap())
}

fn targets(api: &FakeApi) -> Vec<String> {
    api.requests().into_iter().map(|request| request.target).collect()
}

/// THR-6, A-SRV: a child's stream resumes behind its last event, and ends with the child's own end and no other's.
#[tokio::test]
async fn a_childs_stream_resumes_and_ends_with_the_child() {
    let api = FakeApi::start().await;
    let first = [of_child(message(3)), terminated(4)];
    let rest = [of_child(message(7)), of_child(terminated(9))];
    let mut broken = stream(frames(&first));
    broken.push(Step::Reset);
    let mut held = stream(frames(&rest));
    held.push(Step::Hang);
    api.on_stream(broken).on_stream(held);
    assert_eq!(read(&api).await, [3, 4, 7, 9]);
    assert_eq!(api.stream_cursors(), [None, Some("4".to_owned())]);
    assert_eq!(
        targets(&api),
        ["/v1/sessions/sess_1/threads/sthr_2/stream"; 2],
        "no Session and no thread had to be read"
    );
}

/// THR-6, A-HEAD: a close without an event is explained by the thread: one that is at rest is streamed on, one that is
/// terminated has nothing more, unless its list has.
#[tokio::test]
async fn a_close_without_events_asks_the_thread() {
    let api = FakeApi::start().await;
    api.set_thread(child("idle"))
        .on_stream(stream(frames(&[of_child(message(3))])))
        .on_stream(stream(""))
        .on_stream(stream(frames(&[of_child(terminated(5))])));
    assert_eq!(read(&api).await, [3, 5]);
    assert!(targets(&api).contains(&"/v1/sessions/sess_1/threads/sthr_2".to_owned()));

    let api = FakeApi::start().await;
    api.set_thread(child("terminated"))
        .set_log(vec![of_child(message(3))])
        .on_stream(stream(""))
        .on_stream(stream(frames(&[of_child(message(3))])))
        .on_stream(stream(""));
    assert_eq!(read(&api).await, [3], "the first close came too early");
    assert_eq!(api.session_reads(), 0);
}

/// A-VIEW: the primary's log is the Session's, which ends it.
#[tokio::test]
async fn the_primarys_stream_ends_with_the_session() {
    let api = FakeApi::start().await;
    let primary = json!({"id": "sthr_2", "parent_thread_id": null, "status": "idle"});
    let mut held = stream(frames(&[
        message(1),
        event(2, "session.status_completed", json!({})),
    ]));
    held.push(Step::Hang);
    api.set_thread(primary)
        .set_session(session("completed", json!(null), 2))
        .on_stream(held);
    assert_eq!(read(&api).await, [1, 2]);
    assert_eq!(api.session_reads(), 1);
}

/// THR-5: a thread's list is walked by place or by token, under the thread's route.
#[tokio::test]
async fn a_threads_list_is_walked() {
    let api = FakeApi::start().await;
    api.set_log(vec![message(2), message(5), message(9)]);
    let events = api.client().sessions().threads("sess_1").events("sthr_2");
    let all: Vec<_> = events
        .list()
        .after(Seq::from(2))
        .items()
        .try_collect()
        .await
        .unwrap();
    assert_eq!(seqs(&all), [5, 9]);
    assert!(
        targets(&api)
            .iter()
            .all(|target| target.starts_with("/v1/sessions/sess_1/threads/sthr_2/events?after="))
    );
}

/// THR-3, THR-4: an id that could change the route is refused before anything is sent.
#[tokio::test]
async fn an_id_that_is_no_id_is_refused() {
    let api = FakeApi::start().await;
    let threads = api.client().sessions().threads("sess_1").clone();
    for id in ["", "..", "a b"] {
        let error = threads.retrieve(&id.into()).await.unwrap_err();
        assert!(error.to_string().contains("thread id"), "{error}");
        assert!(threads.archive(&id.into()).await.is_err());
        let mut events = threads.events(id).stream().open();
        assert!(events.try_next().await.is_err());
    }
    assert!(api.requests().is_empty());
}

/// THR-10: a thread is read from its id alone, and what has another shape counts as absent.
#[tokio::test]
async fn strange_threads_are_survived() {
    let api = FakeApi::start().await;
    let strange = json!({
        "id": "sthr_2", "parent_thread_id": 7, "status": "asleep", "agent": "one", "stats": {"active_seconds": "1"},
        "created_at": "yesterday", "new": {"kept": 9},
    });
    api.set_thread(strange);
    let threads = api.client().sessions().threads("sess_1");
    let thread = threads.retrieve(&"sthr_2".into()).await.unwrap();
    assert_eq!((thread.is_primary(), thread.agent()), (None, None));
    assert_eq!(thread.status().map(SessionThreadStatus::as_str), Some("asleep"));
    assert_eq!(thread.stats().unwrap().active_seconds, None);
    assert!(thread.raw_json().contains("\"kept\""));
    api.set_thread(json!({"status": "idle"}));
    assert!(threads.retrieve(&"sthr_2".into()).await.is_err());
}

/// A Session whose Agent spawns two children, one of which calls a tool of the application.
pub(crate) async fn coordinator(client: &Client, server: &MockServer) -> String {
    let listing = reqwest::Client::new()
        .get(format!("{}/v1/agent_deployments?limit=1000", server.url()))
        .bearer_auth(server.api_key());
    let listed = listing.send().await.unwrap().text().await.unwrap();
    let listed: Value = serde_json::from_str(&listed).unwrap();
    let all = listed["data"].as_array().unwrap();
    let found = all.iter().find(|one| one["name"] == "coordinator").unwrap();
    let created = client
        .sessions()
        .create(found["id"].as_str().unwrap(), server.principal_id())
        .send();
    created.await.unwrap().id().to_string()
}

/// THR-1, THR-2, THR-4, THR-5, THR-6, THR-7, THR-8, THR-10, THR-12, THR-13, SDK-1, REP-6: children of a real server are
/// listed, read, answered at their Session with the thread's id, streamed and archived; a stream holds what the list
/// does.
#[tokio::test]
async fn children_are_observed_answered_and_archived() {
    let builder = MockServer::builder().step_delay(Duration::ZERO);
    let server = builder.start().await.unwrap();
    let client = Client::builder()
        .base_url(server.url())
        .api_key(server.api_key())
        .build()
        .unwrap();
    let session = coordinator(&client, &server).await;
    let (events, threads) = (
        client.sessions().events(&session[..]),
        client.sessions().threads(&session[..]),
    );
    let input = events
        .send(UserMessage::new("checkfu").by(server.principal_id()))
        .await
        .unwrap();
    let mut log = events.stream().after(input.seq()).open();
    let mut fold = SettlementFold::after(input.seq());
    let mut answered = None;
    while answered.is_none() || fold.settlement().is_none() {
        let event = log.try_next().await.unwrap().unwrap();
        if let EventData::AgentToolUse(call) = event.data()
            && call.name == "fetch_guidelines"
        {
            let result = CustomToolResult::new(call.tool_use_id.clone(), "be brief");
            let thread = event.session_thread_id().unwrap();
            let accepted = events
                .send(result.on_thread(thread).by(server.principal_id()))
                .await
                .unwrap();
            answered = Some(accepted.seq());
            fold = SettlementFold::after(accepted.seq());
        }
        fold.observe(&event);
    }

    let pages: Vec<Page<SessionThread>> = threads.list().limit(2).pages().try_collect().await.unwrap();
    let all: Vec<_> = pages.iter().flat_map(|page| &page.data).collect();
    assert_eq!((pages.len(), all.len()), (2, 3));
    assert_eq!(all[0].is_primary(), Some(true));
    for thread in &all[1..] {
        assert_eq!(thread.parent_thread_id(), Some(all[0].id()));
        assert!(thread.agent().unwrap().draft.is_some());
        let read = threads.retrieve(thread.id()).await.unwrap();
        assert_eq!((read.id(), read.agent()), (thread.id(), thread.agent()));
        let archived = loop {
            match threads.archive(thread.id()).await {
                Ok(archived) => break archived,
                // It still works; whatever ends that is in the log.
                Err(error) if error.status() == Some(StatusCode::CONFLICT) => log.try_next().await.unwrap(),
                Err(error) => panic!("{error}"),
            };
        };
        assert_eq!(archived.status(), Some(&SessionThreadStatus::Terminated));
        assert!(archived.archived_at().is_some() && archived.stats().is_some());
        let again = threads.archive(thread.id()).await.unwrap();
        assert_eq!(again.archived_at(), archived.archived_at());
        let own = threads.events(thread.id());
        let listed: Vec<_> = own.list().limit(4).items().try_collect().await.unwrap();
        let streamed: Vec<_> = own.stream().open().try_collect().await.unwrap();
        assert_eq!(streamed, listed, "the stream ends with the thread");
        assert!(listed.len() > 4 && listed.iter().all(|event| event.seq() > input.seq()));
        let last = listed.last().unwrap().seq();
        let nothing: Vec<_> = own.stream().after(last).open().try_collect().await.unwrap();
        assert_eq!(nothing, []);
    }
    let error = threads.archive(all[0].id()).await.unwrap_err();
    assert!(error.to_string().contains("runtime.primary_thread"), "{error}");
    server.shutdown().await;
}
