use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use serde_json::json;

use crate::support::event::{frames, idle, message, session};
use crate::support::fake_api::{FakeApi, stream};
use crate::support::projection::{Projection, apply, apply_rest};

const ALONE: &str = "follow_kill::alone_until_killed";

/// Starts this binary again as a follower that stops at the place `stop_at`, and kills it there.
async fn run_and_kill(api: &FakeApi, projection: &Projection, stop_at: &str) {
    let mut child: Child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", ALONE, "--include-ignored", "--nocapture"])
        .env("CHECKFU_TEST_URL", api.url())
        .env("CHECKFU_TEST_DATABASE", projection.path())
        .env("CHECKFU_TEST_STOP_AT", stop_at)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let stdout = child.stdout.take().unwrap();
    let reached = tokio::task::spawn_blocking(move || {
        BufReader::new(stdout)
            .lines()
            .map_while(Result::ok)
            .any(|line| line.contains("REACHED"))
    });
    assert!(reached.await.unwrap(), "the follower never reached {stop_at}");
    child.kill().unwrap();
    child.wait().unwrap();
}

/// FOL-3: a process killed between the effect and the cursor, and one killed right after the commit, leave each effect
/// once in the database.
#[tokio::test]
async fn a_killed_follower_applies_each_event_once() {
    let api = FakeApi::start().await;
    let log = [message(1), message(2), message(3), idle(4, "end_turn")];
    api.set_session(session("running", json!(null), 4))
        .set_log(log.to_vec());
    for _ in 0..5 {
        api.on_stream(stream(frames(&log)));
    }
    let projection = Projection::new().await;
    for (stop_at, applied) in [
        ("1 effect", vec![]),
        ("1 commit", vec![1]),
        ("3 effect", vec![1, 2]),
        ("3 effect", vec![1, 2]),
    ] {
        run_and_kill(&api, &projection, stop_at).await;
        assert_eq!(projection.applied().await, applied, "killed after {stop_at}");
        assert_eq!(
            projection.cursor().await.map(|(seq, _)| seq),
            applied.last().copied()
        );
    }
    let events = api.client().sessions().events("sess_1");
    let mut follower = events
        .follow("billing", projection.store.clone())
        .start()
        .await
        .unwrap();
    apply_rest(&mut follower).await;
    assert_eq!(projection.applied().await, [1, 2, 3, 4]);
}

#[tokio::test]
#[ignore = "half of a_killed_follower_applies_each_event_once, which starts it in a process of its own"]
async fn alone_until_killed() {
    let variable = |name: &str| std::env::var(name).unwrap();
    let stop_at = variable("CHECKFU_TEST_STOP_AT");
    let projection = Projection::open(std::path::Path::new(&variable("CHECKFU_TEST_DATABASE")), 2).await;
    let client = checkfu_sdk::Client::builder()
        .base_url(variable("CHECKFU_TEST_URL"))
        .api_key("k")
        .build()
        .unwrap();
    let follow = client
        .sessions()
        .events("sess_1")
        .follow("billing", projection.store.clone());
    let mut follower = follow.start().await.unwrap();
    let stop = async |place: String| {
        if place == stop_at {
            println!("REACHED");
            std::future::pending::<()>().await;
        }
    };
    while let Some(mut delivery) = follower.next().await.unwrap() {
        let seq = delivery.event().seq();
        let (event, transaction) = delivery.parts();
        apply(transaction, event).await.unwrap();
        stop(format!("{seq} effect")).await;
        delivery.commit().await.unwrap();
        stop(format!("{seq} commit")).await;
    }
}
