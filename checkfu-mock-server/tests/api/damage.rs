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
        // Bytes that are no UTF-8 in a string, which a reader that skips strings does not see.
        r#"unhex(replace(hex(envelope), hex('payload":{'), hex('payload":{"') || 'FF' || hex('":1,')))"#,
        "CAST(replace(envelope, 'created_at', 'c1eated_at') AS BLOB)",
        "CAST(replace(envelope, '\"created_at\":\"2', '\"created_at\":\"X') AS BLOB)",
        "CAST(replace(envelope, '\"session_id\":\"sess_', '\"session_id\":\"sesz_') AS BLOB)",
        "CAST(replace(envelope, '\"id\":\"evt_', '\"id\":\"ebt_') AS BLOB)",
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

/// A Session that cannot be read is left out of the list, and the server starts without it, whatever it was at; the others
/// are listed, one by one too, and go on.
#[tokio::test]
async fn a_damaged_session_row_is_left_out() {
    for damaged in [
        "admission = 'x'",
        "status = 'x', unfinished = 1",
        "admission = 'x', unfinished = 1",
    ] {
        let directory = tempfile::tempdir().unwrap();
        let (first, second) = two_sessions(&directory).await;
        damage(
            &directory,
            &format!("UPDATE sessions SET {damaged} WHERE id = '{first}'"),
        );
        let world = World::with(builder(&directory)).await;
        for limit in [1, 2, 100] {
            let page = world
                .client
                .get(&format!("/v1/sessions?limit={limit}"))
                .await
                .ok(200);
            let listed: Vec<_> = page["data"]
                .as_array()
                .unwrap()
                .iter()
                .map(|item| &item["id"])
                .collect();
            assert_eq!(listed, [&second], "{damaged}");
            assert_eq!(page["next_page"], json!(null), "{damaged}");
        }
        for_good(world.client.get(&format!("/v1/sessions/{first}")).await);
        world.say(&second, "still here").await;
        world.until_status(&second, "idle").await;
    }
}

/// A-IDEM: only what succeeded was kept, so a stored failure is damage.
#[tokio::test]
async fn a_stored_response_with_a_status_that_was_never_kept_is_damage() {
    for status in ["99", "404", "500"] {
        let directory = tempfile::tempdir().unwrap();
        let (session, _) = two_sessions(&directory).await;
        damage(&directory, &format!("UPDATE idempotency SET status = {status}"));
        let world = World::with(builder(&directory)).await;
        let keyed = world.client.with("idempotency-key", "kept");
        for_good(
            keyed
                .post(&format!("/v1/sessions/{session}/events"), &message("hello"))
                .await,
        );
    }
}

/// An emptied log is not taken for a new one.
#[tokio::test]
async fn a_log_that_was_emptied_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    two_sessions(&directory).await;
    let log = directory.path().join("log.sqlite3");
    std::fs::write(&log, "").unwrap();
    let error = builder(&directory).start().await.unwrap_err().to_string();
    assert!(
        error.contains("log.sqlite3 is empty") && error.contains("remove the file"),
        "{error}"
    );
    assert_eq!(std::fs::read(&log).unwrap(), b"");
    std::fs::remove_file(&log).unwrap();
    let server = builder(&directory).start().await.unwrap();
    #[cfg(unix)]
    for file in ["log.sqlite3", "log.sqlite3-wal", "log.sqlite3-shm"] {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(directory.path().join(file))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o077, 0, "{file} is open to others");
    }
    server.shutdown().await;
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
