//! A log that was damaged on the disk: what can be read is read, what cannot is refused, and nothing else suffers.

use std::time::Duration;

use bytes::Bytes;
use checkfu_mock_server::{MockServer, MockServerBuilder};
use serde_json::json;

use crate::support::client::Answer;
use crate::support::frames::Frames;
use crate::support::world::{World, message};

/// A Session whose log is damaged refuses its own writes, for good; writes to others, which share transactions with
/// them, all succeed.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_damaged_session_leaves_the_others_alone() {
    let directory = tempfile::tempdir().unwrap();
    let (damaged, healthy) = two_sessions(&directory).await;
    damage(
        &directory,
        "UPDATE events SET envelope = x'7bff' WHERE position = (SELECT min(position) FROM events)",
    );

    let world = World::with(builder(&directory)).await;
    let post = |session: &str, number: usize| {
        let (client, path) = (world.client.clone(), format!("/v1/sessions/{session}/events"));
        tokio::spawn(async move { client.post(&path, &message(&format!("{number}"))).await })
    };
    let mut refused = Vec::new();
    let mut accepted = Vec::new();
    for number in 0..160 {
        if number % 4 == 0 {
            refused.push(post(&damaged, number));
        } else {
            accepted.push(post(&healthy, number));
        }
    }
    for answer in accepted {
        answer.await.unwrap().ok(202);
    }
    for answer in refused {
        for_good(answer.await.unwrap());
    }
    let cancel = format!("/v1/sessions/{damaged}/cancel");
    for_good(world.client.post(&cancel, &json!({})).await);
    let said = world.types(&healthy).await;
    assert_eq!(said.iter().filter(|name| *name == "user.message").count(), 121);
}

/// Damage is never served: the events before it are, then list and stream are refused, and an open stream ends.
#[tokio::test]
async fn damaged_events_are_never_served() {
    for made in [
        "x'7bff'",
        "CAST('{}' AS BLOB)",
        "CAST(replace(envelope, ',', char(44, 10)) AS BLOB)",
    ] {
        let directory = tempfile::tempdir().unwrap();
        let (session, _) = two_sessions(&directory).await;
        let third = "position = (SELECT position FROM events ORDER BY position LIMIT 1 OFFSET 2)";
        damage(
            &directory,
            &format!("UPDATE events SET envelope = {made} WHERE {third}"),
        );

        let world = World::with(builder(&directory)).await;
        let path = format!("/v1/sessions/{session}/events");
        let page = world.client.get(&path).await.ok(200);
        assert_eq!(page["data"].as_array().unwrap().len(), 2, "{made}");
        let rest = page["next_page"].as_str().expect("more was promised");
        for_good(world.client.get(&format!("{path}?page={rest}")).await);
        for_good(world.client.get(&format!("{path}?after=2")).await);

        let mut stream = Frames::open(&world.client, &session, None).await;
        for seq in 1..=2 {
            assert_eq!(stream.event().await.unwrap()["seq"], seq);
        }
        assert_eq!(stream.event().await, None, "{made}");
        let resumed = world.client.with("last-event-id", "2");
        for_good(resumed.call("GET", &format!("{path}/stream"), Bytes::new()).await);
    }
}

/// Nor are damaged Runs and stored responses.
#[tokio::test]
async fn damaged_runs_and_responses_are_never_served() {
    let directory = tempfile::tempdir().unwrap();
    let (session, _) = two_sessions(&directory).await;
    damage(
        &directory,
        "UPDATE runs SET resource = x'7bff'; UPDATE idempotency SET body = x'7bff'",
    );
    let world = World::with(builder(&directory)).await;
    let runs = format!("/v1/sessions/{session}/runs");
    for_good(world.client.get(&runs).await);
    let created = world.log(&session).await;
    let run = created.iter().find_map(|event| event["run_id"].as_str()).unwrap();
    for_good(world.client.get(&format!("{runs}/{run}")).await);
    let keyed = world.client.with("idempotency-key", "kept");
    let events = format!("/v1/sessions/{session}/events");
    for_good(keyed.post(&events, &message("hello")).await);
}

/// Refused as the server's own failure that no repetition mends.
#[track_caller]
fn for_good(answer: Answer) {
    let answer = answer.refused(500, "internal.error");
    assert_eq!(answer.json["error"]["retryable"], false, "{}", answer.json);
    let text = answer.json["error"]["message"].as_str().unwrap();
    assert!(text.contains("damaged"), "{text}");
}

/// Two Sessions at rest after a turn each, their server stopped.
async fn two_sessions(directory: &tempfile::TempDir) -> (String, String) {
    let world = World::with(builder(directory)).await;
    let (first, second) = (world.session().await, world.session().await);
    for session in [&first, &second] {
        let keyed = world.client.with("idempotency-key", "kept");
        let path = format!("/v1/sessions/{session}/events");
        keyed.post(&path, &message("hello")).await.ok(202);
        world.until_status(session, "idle").await;
    }
    world.server.shutdown().await;
    (first, second)
}

fn damage(directory: &tempfile::TempDir, statements: &str) {
    rusqlite::Connection::open(directory.path().join("log.sqlite3"))
        .unwrap()
        .execute_batch(statements)
        .unwrap();
}

fn builder(directory: &tempfile::TempDir) -> MockServerBuilder {
    MockServer::builder()
        .data_dir(directory.path())
        .step_delay(Duration::ZERO)
}
