//! Deadlines, start-ups that take too long, Runners that are lost, approvals that expire (DLN, THR-11, A-DLN, A-GEN).

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::world::{World, latest, types};

/// DLN-1, A-DLN: a start-up has 60 seconds, not less; then the same Run gets a fresh attempt.
#[tokio::test]
async fn a_start_up_that_takes_too_long_is_requeued() {
    let (world, clock) = World::frozen().await;
    let session = world.session_of("slow_start").await;
    let asked = world.say(&session, "hello").await;
    world.until_status(&session, "provisioning").await;
    clock.advance(Duration::from_millis(59_999));
    assert_eq!(world.read(&session).await["status"], "provisioning");
    clock.advance(Duration::from_millis(1));
    world.until_status(&session, "idle").await;
    let log = world.log(&session).await;
    assert_eq!(
        types(&log),
        [
            "session.status_pending",
            "user.message",
            "run.created",
            "session.status_provisioning",
            "run.requeued",
            "session.status_pending",
            "session.status_provisioning",
            "run.started",
            "session.status_running",
            "agent.message",
            "run.completed",
            "session.usage",
            "session.status_idle",
        ]
    );
    let requeued = latest(&log, "run.requeued");
    assert_eq!(
        requeued["payload"],
        json!({"attempt": 1, "reason": "startup_timeout"})
    );
    assert_eq!(requeued["run_id"], asked["run_id"]);
    let started = latest(&log, "run.started");
    assert_eq!(
        (&started["payload"]["attempt"], &started["run_id"]),
        (&json!(2), &asked["run_id"])
    );
}

/// DLN-1: start-ups are tried a bounded number of times.
#[tokio::test]
async fn start_ups_are_not_tried_for_ever() {
    let (world, clock) = World::frozen().await;
    let session = world.session_of("slow_start").await;
    world.say(&session, "never").await;
    for attempt in 1..=4 {
        world
            .until_logged(&session, "session.status_provisioning", attempt)
            .await;
        clock.advance(Duration::from_secs(60));
    }
    let log = world.until_logged(&session, "run.failed", 1).await;
    assert_eq!(
        latest(&log, "run.failed")["payload"]["error"]["code"],
        "runtime.startup_failed"
    );
    assert_eq!(
        latest(&log, "session.status_idle")["payload"]["stop_reason"],
        "retries_exhausted"
    );
}

/// DLN-2, A-DLN: the deadline is the claim, 60 seconds and what the profile allows; crossing it fails the Run, and not
/// a moment earlier.
#[tokio::test]
async fn a_crossed_deadline_fails_the_run() {
    for (deployment, last) in [
        ("overtime", "session.status_idle"),
        ("overtime_fails", "session.status_failed"),
    ] {
        let (world, clock) = World::frozen().await;
        let session = world.session_of(deployment).await;
        world.say(&session, "hello").await;
        let log = world.until_logged(&session, "agent.message", 1).await;
        let started = latest(&log, "run.started");
        assert_eq!(started["payload"]["deadline_at"], "2026-08-31T12:01:01.000Z");
        clock.advance(Duration::from_millis(60_999));
        assert_eq!(world.read(&session).await["status"], "running");
        clock.advance(Duration::from_millis(1));
        let log = world.until_logged(&session, last, 1).await;
        let failed = latest(&log, "run.failed");
        assert_eq!(
            failed["payload"]["error"]["code"],
            "runtime.turn_deadline_exceeded"
        );
        assert_eq!(failed["created_at"], "2026-08-31T12:01:01.000Z");
        if last == "session.status_idle" {
            assert_eq!(latest(&log, last)["payload"]["stop_reason"], "run_failed");
            world.say(&session, "again").await;
        } else {
            let late = world.try_say(&session, "again").await;
            late.refused(409, "runtime.invalid_transition");
        }
        let path = format!(
            "/v1/sessions/{session}/runs/{}",
            failed["run_id"].as_str().unwrap()
        );
        let run = world.client.get(&path).await.ok(200);
        assert_eq!(run["status"], "failed");
        assert_eq!(run["error"], failed["payload"]["error"]);
    }
}

/// A-DLN: a Run that waits has no deadline; its continuation gets a new one.
#[tokio::test]
async fn a_wait_has_no_deadline() {
    let (world, clock) = World::frozen().await;
    let session = world.session_of("custom_tool").await;
    world.say(&session, "hello").await;
    world.until_status(&session, "waiting").await;
    clock.advance(Duration::from_secs(30 * 24 * 3600));
    let log = world.log(&session).await;
    assert_eq!(world.read(&session).await["status"], "waiting");
    let id = &latest(&log, "agent.tool_use")["payload"]["tool_use_id"];
    world
        .post(
            &session,
            "user.custom_tool_result",
            json!({"tool_use_id": id, "result": 1}),
        )
        .await
        .ok(202);
    let log = world.until_logged(&session, "run.completed", 1).await;
    assert_eq!(
        latest(&log, "run.resumed")["payload"]["deadline_at"],
        "2026-09-30T13:01:00.000Z"
    );
}

/// A-GEN: an approval that nobody decides in time counts as denied.
#[tokio::test]
async fn an_approval_that_expires_counts_as_denied() {
    let (world, clock) = World::frozen().await;
    let session = world.session_of("approval").await;
    world.say(&session, "quick").await;
    world.until_status(&session, "waiting").await;
    let before = world.log(&session).await;
    let requested = latest(&before, "action_approval.requested").clone();
    assert_eq!(requested["payload"]["expires_at"], "2026-08-31T12:00:02.000Z");
    clock.advance(Duration::from_millis(1999));
    assert_eq!(world.log(&session).await, before);
    clock.advance(Duration::from_millis(1));
    let log = world.until_logged(&session, "run.completed", 1).await;
    assert_eq!(
        types(&log[before.len()..before.len() + 4]),
        [
            "action_approval.expired",
            "run.resumed",
            "session.status_running",
            "agent.tool_result",
        ]
    );
    assert_eq!(latest(&log, "agent.tool_result")["payload"]["is_error"], true);
    let id = requested["payload"]["approval_id"].as_str().unwrap();
    let path = format!("/v1/sessions/{session}/action_approvals/{id}");
    assert_eq!(world.client.get(&path).await.ok(200)["status"], "expired");
    let tool = &requested["payload"]["tool_use_id"];
    let late = world
        .post(
            &session,
            "user.tool_confirmation",
            json!({"tool_use_id": tool, "result": "allow"}),
        )
        .await;
    late.refused(409, "runtime.stale_wait");
}

/// THR-11, A-CONT: a lost Runner costs an attempt and not the Run.
#[tokio::test]
async fn a_lost_runner_costs_an_attempt() {
    let world = World::new().await;
    let session = world.session_of("flaky").await;
    world.say(&session, "hello").await;
    let log = world.until_logged(&session, "run.completed", 1).await;
    let attempts: Vec<&Value> = log
        .iter()
        .filter(|event| event["type"] == "run.started")
        .map(|event| &event["payload"]["attempt"])
        .collect();
    assert_eq!(attempts, [1, 2, 3]);
    let lost: Vec<&Value> = log
        .iter()
        .filter(|event| event["type"] == "run.requeued")
        .map(|event| &event["payload"])
        .collect();
    assert_eq!(lost[1], &json!({"attempt": 2, "reason": "runner_lost"}));
    assert_eq!(
        log.iter()
            .filter(|event| event["type"] == "agent.message")
            .count(),
        2
    );
    assert_eq!(
        log.iter()
            .filter(|event| event["type"] == "session.error")
            .count(),
        1
    );
}

/// RUN-2, A-CONT: each attempt records what it reads when it starts, and the Run shows what its latest one received.
#[tokio::test]
async fn each_attempt_records_what_it_reads() {
    let world = World::new().await;
    let session = world.session_of("flaky").await;
    let asked = world.say(&session, "hello").await;
    let log = world.until_logged(&session, "run.completed", 1).await;
    let received: Vec<&Value> = log
        .iter()
        .filter(|event| event["type"] == "run.started")
        .map(|event| &event["payload"]["resolved"])
        .collect();
    assert_eq!(received.len(), 3);
    let nothing = json!({"project_revisions": [], "memory_versions": [], "memory_access": []});
    assert_eq!(
        received[2], &nothing,
        "a Session without mounts reads nothing that moves"
    );
    let path = format!(
        "/v1/sessions/{session}/runs/{}",
        asked["run_id"].as_str().unwrap()
    );
    assert_eq!(world.client.get(&path).await.ok(200)["resolved"], *received[2]);
}

/// THR-11: retries are bounded; the Session can be driven again.
#[tokio::test]
async fn retries_are_exhausted_and_the_session_can_be_driven_again() {
    let world = World::new().await;
    let session = world.session_of("exhausted").await;
    world.say(&session, "hello").await;
    world.until_status(&session, "idle").await;
    let log = world.log(&session).await;
    assert_eq!(
        latest(&log, "run.failed")["payload"]["error"]["code"],
        "runtime.retries_exhausted"
    );
    assert_eq!(
        latest(&log, "session.status_idle")["payload"]["stop_reason"],
        "retries_exhausted"
    );
    world.say(&session, "again").await;
    let log = world.until_logged(&session, "run.completed", 1).await;
    assert_eq!(log.last().unwrap()["payload"]["stop_reason"], "end_turn");
}

/// A-DLN: deadlines hold over a restart: what fell due while nobody was there happens at the start.
#[tokio::test]
async fn deadlines_hold_over_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let time = crate::support::world::clock();
    let builder = || {
        checkfu_mock_server::MockServer::builder()
            .data_dir(directory.path())
            .step_delay(Duration::ZERO)
            .clock(time.clone())
    };
    let world = World::with(builder()).await;
    let session = world.session_of("overtime").await;
    world.say(&session, "hello").await;
    world.until_logged(&session, "agent.message", 1).await;
    world.server.shutdown().await;
    time.advance(Duration::from_secs(100));
    let world = World::with(builder()).await;
    let log = world.until_logged(&session, "session.status_idle", 1).await;
    assert_eq!(
        latest(&log, "run.failed")["payload"]["error"]["code"],
        "runtime.turn_deadline_exceeded"
    );
}
