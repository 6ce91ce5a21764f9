//! Restarts, and what is put back by one.

use std::time::{Duration, Instant};

use checkfu_mock_server::{MockServer, Restart, RestartError};
use serde_json::json;

use super::controlled;
use crate::support::frames::{Frames, PATIENCE};
use crate::support::world::{World, all, message};

/// SES-1, A-IDEM, STR-2: a restart ends every connection and loses nothing: the same port, key, log and idempotency
/// records, in memory and on disk, with connections waiting or refused in between.
#[tokio::test]
async fn a_restart_loses_nothing() {
    let directory = tempfile::tempdir().unwrap();
    for builder in [
        MockServer::builder(),
        MockServer::builder().data_dir(directory.path()),
    ] {
        let (world, behind) = controlled(builder.step_delay(Duration::ZERO)).await;
        let session = world.session().await;
        let keyed = world.client.with("idempotency-key", "once");
        let path = format!("/v1/sessions/{session}/events");
        let posted = keyed.post(&path, &message("hello")).await.ok(202);
        world.until_status(&session, "idle").await;
        let log = world.log(&session).await;
        for body in [
            json!({}),
            json!({"mode": "abrupt"}),
            json!({"mode": "abrupt", "down_milliseconds": 100}),
        ] {
            let mut stream = Frames::open(&world.client, &session, Some(log.len() as u64)).await;
            stream.next().await.unwrap();
            let (status, answer) = behind.call("POST", "/control/restart", &body.to_string()).await;
            assert_eq!(status, 200, "{answer}");
            let ended = tokio::time::timeout(PATIENCE, stream.try_next()).await.unwrap();
            assert!(!matches!(ended, Ok(Some(_))), "{ended:?}");
            assert_eq!(world.log(&session).await, log);
            assert_eq!(keyed.post(&path, &message("hello")).await.ok(202), posted);
        }
        world.say(&session, "again").await;
        world.until_status(&session, "idle").await;
        assert_eq!(world.log(&session).await[..log.len()], log[..]);
        world.server.shutdown().await;
    }
}

/// While a restart keeps the server away, connections are refused, and afterwards the same port answers.
#[tokio::test]
async fn connections_are_refused_while_the_server_is_away() {
    let world = World::new().await;
    let control = world.server.control().clone();
    let down = Duration::from_millis(400);
    let begun = Instant::now();
    let restarting = tokio::spawn(async move { control.restart(Restart::graceful().down(down)).await });
    loop {
        assert!(begun.elapsed() < PATIENCE, "no connection was refused");
        let connecting = tokio::net::TcpStream::connect(world.server.address());
        // Behind a queue that is full a connection waits until the server is back.
        match tokio::time::timeout(down / 20, connecting).await {
            Ok(Err(error)) if error.kind() == std::io::ErrorKind::ConnectionRefused => break,
            // What waited to be accepted when the listener went is reset.
            _ => tokio::task::yield_now().await,
        }
    }
    restarting.await.unwrap().unwrap();
    assert!(begun.elapsed() >= down);
    world.client.get("/healthz").await.ok(200);
}

/// A-ANCHOR, A-GAP: a snapshot put back is a restored backup: the tail is lost, a cursor beyond it is ahead, and `seq`s are
/// given out again under other ids.
#[tokio::test]
async fn a_snapshot_is_put_back() {
    let directory = tempfile::tempdir().unwrap();
    for builder in [
        MockServer::builder(),
        MockServer::builder().data_dir(directory.path()),
    ] {
        let (world, behind) = controlled(builder.step_delay(Duration::ZERO)).await;
        let session = world.session().await;
        world.say(&session, "one").await;
        world.until_status(&session, "idle").await;
        let kept = world.log(&session).await;
        let (status, snapshot) = behind.call("POST", "/control/snapshots", "").await;
        assert_eq!(status, 201, "{snapshot}");
        world.say(&session, "two").await;
        world.until_status(&session, "idle").await;
        let lost = world.log(&session).await;
        assert!(lost.len() > kept.len());

        let unknown = world
            .server
            .control()
            .restart(Restart::abrupt().restoring("snapshot_0"))
            .await;
        assert!(
            matches!(unknown, Err(RestartError::Snapshot { .. })),
            "{unknown:?}"
        );
        assert_eq!(world.log(&session).await, lost);

        let body = json!({"mode": "abrupt", "restore": snapshot["id"]}).to_string();
        let (status, answer) = behind.call("POST", "/control/restart", &body).await;
        assert_eq!(status, 200, "{answer}");
        assert_eq!(world.log(&session).await, kept);
        let path = format!("/v1/sessions/{session}/events/stream");
        let ahead = world.client.with("last-event-id", &lost.len().to_string());
        ahead.get(&path).await.refused(409, "runtime.cursor_ahead");
        world.say(&session, "three").await;
        world.until_status(&session, "idle").await;
        let again = world.log(&session).await;
        assert_eq!(all(&again, "seq"), all(&lost, "seq"));
        let tails = (all(&again[kept.len()..], "id"), all(&lost[kept.len()..], "id"));
        assert!(tails.0.iter().all(|id| !tails.1.contains(id)));
        world.server.shutdown().await;
    }
}
