//! The views of logs of the reference server, beside what it says itself.

use std::time::Duration;

use checkfu_mock_server::{MockServer, PendingWait};
use checkfu_sdk::input::{CustomToolResult, Interrupt, ToolConfirmation, UserMessage};
use checkfu_sdk::model::SessionThread;
use checkfu_sdk::model::payload::Confirmation;
use checkfu_sdk::views::{ApprovalState, Thread, ToolCallState, Views};
use checkfu_sdk::{Client, Event, StopReason};
use futures::TryStreamExt;
use serde_json::Value;

const LIMIT: Duration = Duration::from_secs(60);

async fn started(scenario: &str) -> (MockServer, Client, String) {
    let builder = MockServer::builder().step_delay(Duration::ZERO);
    let server = builder.start().await.unwrap();
    let client = Client::builder()
        .base_url(server.url())
        .api_key(server.api_key())
        .build()
        .unwrap();
    let deployment = server.deployment(scenario).unwrap();
    let create = client
        .sessions()
        .create(deployment.as_str(), server.principal_id());
    let session = create.send().await.unwrap().id().to_string();
    let message = UserMessage::new("Go.").by(server.principal_id());
    client
        .sessions()
        .events(&session[..])
        .send(message)
        .await
        .unwrap();
    (server, client, session)
}

async fn views_of(client: &Client, session: &str) -> Views {
    let mut views = Views::new();
    let mut events = client.sessions().events(session).list().items();
    while let Some(event) = events.try_next().await.unwrap() {
        views.apply(&event);
    }
    views
}

/// The calls that wait, as the views tell and as the server does.
async fn compare(
    server: &MockServer,
    client: &Client,
    session: &str,
    count: usize,
) -> Vec<(String, String, u64)> {
    let is_there = |pending: &[PendingWait]| pending.len() == count;
    let seen = server
        .until(session, |session| is_there(session.pending()), LIMIT)
        .await
        .unwrap();
    let mut expected: Vec<_> = seen
        .pending()
        .iter()
        .map(|wait| (wait.thread.clone(), wait.id.clone(), u64::from(wait.generation)))
        .collect();
    let views = views_of(client, session).await;
    let waiting = views.tool_calls().filter(|call| call.state.is_pending());
    let mut told: Vec<_> = waiting
        .map(|call| {
            let thread = call.session_thread_id.as_ref().unwrap();
            (thread.to_string(), call.tool_use_id.to_string(), call.generation)
        })
        .collect();
    expected.sort();
    told.sort();
    assert_eq!(told, expected);
    told
}

/// SDK-3, WAIT-5, A-GEN, A-PARK: on the reference server, what waits by the views of the log is what waits there, through
/// decision, result and interrupt.
#[tokio::test]
async fn what_waits_by_the_views_waits_on_the_server() {
    let (server, client, session) = started("governed_tool").await;
    let events = client.sessions().events(&session[..]);
    let by = server.principal_id();
    let waits = compare(&server, &client, &session, 1).await;
    let (_, id, generation) = &waits[0];
    assert_eq!(*generation, 1);
    events
        .send(ToolConfirmation::allow(&id[..]).by(by))
        .await
        .unwrap();
    server
        .until(
            &session,
            |session| session.pending().iter().any(|wait| wait.generation == 2),
            LIMIT,
        )
        .await
        .unwrap();
    assert_eq!(compare(&server, &client, &session, 1).await[0].2, 2);
    events
        .send(CustomToolResult::new(&id[..], "sent").by(by))
        .await
        .unwrap();
    server.until_settled(&session, LIMIT).await.unwrap();
    compare(&server, &client, &session, 0).await;
    let views = views_of(&client, &session).await;
    assert_eq!(views.tool_calls().next().unwrap().state, ToolCallState::Answered);
    assert_eq!(
        views.approvals().next().unwrap().state,
        ApprovalState::Decided(Confirmation::Allow)
    );
    assert_eq!(views.messages().count(), 2);

    events.send(UserMessage::new("Again.").by(by)).await.unwrap();
    compare(&server, &client, &session, 1).await;
    events.send(Interrupt::turn().by(by)).await.unwrap();
    compare(&server, &client, &session, 0).await;
    server.shutdown().await;
}

/// SDK-3, THR-1, THR-8, A-VIEW: on the reference server, the children of the views are those that are listed, and each
/// one's wait is its own though the calls share an id.
#[tokio::test]
async fn children_of_the_views_are_those_of_the_server() {
    let (server, client, session) = started("twins").await;
    let waits = compare(&server, &client, &session, 2).await;
    assert_eq!(waits[0].1, waits[1].1);
    let events = client.sessions().events(&session[..]);
    let by = server.principal_id();
    let result = CustomToolResult::new(&waits[0].1[..], 1).on_thread(&waits[0].0[..]);
    events.send(result.by(by)).await.unwrap();
    compare(&server, &client, &session, 1).await;
    let interrupt = Interrupt::thread(&waits[1].0[..]).by(by);
    events.send(interrupt).await.unwrap();
    compare(&server, &client, &session, 0).await;
    let mut views = Views::new();
    let mut log = events.stream().open();
    while views.threads().count() < 2 || !views.threads().all(is_at_rest) {
        views.apply(&log.try_next().await.unwrap().unwrap());
    }
    let listed: Vec<SessionThread> = client
        .sessions()
        .threads(&session[..])
        .list()
        .items()
        .try_collect()
        .await
        .unwrap();
    let told: Vec<_> = views
        .threads()
        .map(|thread| {
            (
                &thread.session_thread_id,
                thread.parent_thread_id.as_ref(),
                thread.status.as_ref(),
            )
        })
        .collect();
    let expected: Vec<_> = listed[1..]
        .iter()
        .map(|thread| (thread.id(), thread.parent_thread_id(), thread.status()))
        .collect();
    assert_eq!(told, expected);
    assert_eq!(views.children(listed[0].id()).count(), 2);
    server.shutdown().await;
}

fn is_at_rest(thread: &Thread) -> bool {
    thread.stop_reason == Some(StopReason::EndTurn)
}

/// SDK-3, FRK-2: on the reference server, a fork has the messages of its source, and none of its waits.
#[tokio::test]
async fn a_forks_views_begin_with_its_sources() {
    let (server, client, session) = started("governed_tool").await;
    compare(&server, &client, &session, 1).await;
    let fork = reqwest::Client::new()
        .post(format!("{}/v1/sessions/{session}/fork", server.url()))
        .bearer_auth(server.api_key())
        .header("idempotency-key", "fork")
        .header("content-type", "application/json")
        .body("{}");
    let forked = fork.send().await.unwrap().text().await.unwrap();
    let forked: Value = serde_json::from_str(&forked).unwrap();
    let forked = forked["id"].as_str().unwrap();
    compare(&server, &client, forked, 0).await;
    let (views, source) = (views_of(&client, forked).await, views_of(&client, &session).await);
    let texts = |views: &Views| -> Vec<String> {
        views
            .messages()
            .map(|message| message.content.to_text())
            .collect()
    };
    assert_eq!(texts(&views), texts(&source));
    let events: Vec<Event> = client
        .sessions()
        .events(forked)
        .list()
        .items()
        .try_collect()
        .await
        .unwrap();
    assert!(events.iter().any(|event| event.event_type() == "session.forked"));
    server.shutdown().await;
}
