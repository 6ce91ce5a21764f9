//! Messages that come while a Run is active (A-OVERLAP).

use serde_json::Value;

use crate::support::world::{STEP, World, types};

/// A-OVERLAP, RUN-3: both messages are accepted and get Runs of their own; the second starts when the first settles,
/// with no idle between; each Run is settled by its own event.
#[tokio::test]
async fn a_message_during_a_run_queues_its_own() {
    let (world, clock) = World::standing_still().await;
    let session = world.session().await;
    let first = world.say(&session, "first").await;
    while world.read(&session).await["status"] != "running" {
        clock.advance(STEP);
    }
    let second = world.say(&session, "second").await;
    let during = world.read(&session).await;
    assert_eq!(during["status"], "running");
    let posted = second["seq"].as_u64().unwrap();
    let mut since = world.log(&session).await;
    // The first Run may say something meanwhile; nothing else happens.
    since.retain(|event| event["seq"].as_u64() >= Some(posted) && event["type"] != "agent.message");
    assert_eq!(types(&since), ["user.message", "run.created"]);
    assert_ne!(first["run_id"], second["run_id"]);
    let runs = world
        .client
        .get(&format!("/v1/sessions/{session}/runs"))
        .await
        .ok(200);
    let statuses: Vec<&Value> = runs["data"]
        .as_array()
        .unwrap()
        .iter()
        .map(|run| &run["status"])
        .collect();
    assert_eq!(statuses, ["running", "queued"]);

    while world.read(&session).await["status"] != "idle" {
        clock.advance(STEP);
    }
    let log = world.log(&session).await;
    let after_first = log
        .iter()
        .position(|event| event["type"] == "run.completed")
        .unwrap();
    assert_eq!(log[after_first]["run_id"], first["run_id"]);
    let rest = types(&log[after_first + 1..]);
    assert_eq!(
        rest,
        [
            "session.usage",
            "session.status_pending",
            "session.status_provisioning",
            "run.started",
            "session.status_running",
            "agent.message",
            "agent.message",
            "agent.message",
            "run.completed",
            "session.usage",
            "session.status_idle",
        ]
    );
    assert_eq!(
        log.iter()
            .filter(|event| event["type"] == "session.status_idle")
            .count(),
        1
    );
    let settled = log
        .iter()
        .rfind(|event| event["type"] == "run.completed")
        .unwrap();
    assert_eq!(settled["run_id"], second["run_id"]);
}
