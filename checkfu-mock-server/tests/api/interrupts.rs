//! Interrupts end a turn and leave the Session usable (SES-10, WAIT-2, A-INT).

use serde_json::{Value, json};

use crate::support::world::{World, latest, types};

/// SES-10, A-INT: what executes is canceled, the Session goes idle, and the next message works.
#[tokio::test]
async fn an_interrupt_ends_what_executes() {
    let (world, _clock) = World::frozen().await;
    let session = world.session_of("slow").await;
    let asked = world.say(&session, "hello").await;
    let before = world.until_logged(&session, "agent.message", 1).await;
    let accepted = world.post(&session, "user.interrupt", json!({})).await.ok(202);
    assert_eq!(accepted["session_thread_id"], Value::Null);
    let log = world.log(&session).await;
    assert_eq!(
        types(&log[before.len()..]),
        ["user.interrupt", "run.canceled", "session.status_idle"]
    );
    let canceled = latest(&log, "run.canceled");
    assert_eq!(canceled["payload"], json!({"reason": "interrupted"}));
    assert_eq!(canceled["run_id"], asked["run_id"]);
    assert_eq!(
        latest(&log, "session.status_idle")["payload"]["stop_reason"],
        "end_turn"
    );
    world.say(&session, "again").await;
    world.until_logged(&session, "agent.message", 2).await;
}

/// WAIT-2, THR-9, A-INT: a parked turn is canceled; its wait is closed for good, its approval canceled.
#[tokio::test]
async fn an_interrupt_closes_what_is_waited_for() {
    let world = World::new().await;
    for (deployment, status) in [
        ("custom_tool", "waiting"),
        ("approval", "waiting"),
        ("question", "paused"),
    ] {
        let session = world.session_of(deployment).await;
        world.say(&session, "hello").await;
        world.until_status(&session, status).await;
        let before = world.log(&session).await;
        world.post(&session, "user.interrupt", json!({})).await.ok(202);
        let log = world.log(&session).await;
        assert_eq!(
            types(&log[before.len()..]),
            ["user.interrupt", "run.canceled", "session.status_idle"]
        );
        let late = match deployment {
            "question" => {
                let id = &latest(&log, "agent.question")["payload"]["question_id"];
                world
                    .post(
                        &session,
                        "user.question_answer",
                        json!({"question_id": id, "answer": 1}),
                    )
                    .await
            }
            "approval" => {
                let id = &latest(&log, "agent.tool_use")["payload"]["tool_use_id"];
                let payload = json!({"tool_use_id": id, "result": "allow"});
                world.post(&session, "user.tool_confirmation", payload).await
            }
            _ => {
                let id = &latest(&log, "agent.tool_use")["payload"]["tool_use_id"];
                let payload = json!({"tool_use_id": id, "result": 1});
                world.post(&session, "user.custom_tool_result", payload).await
            }
        };
        late.refused(409, "runtime.stale_wait");
        let approvals = format!("/v1/sessions/{session}/action_approvals");
        let approvals = world.client.get(&approvals).await.ok(200);
        for approval in approvals["data"].as_array().unwrap() {
            assert_eq!(approval["status"], "canceled");
        }
        assert_eq!(world.log(&session).await.len(), log.len());
    }
}

/// A-INT: with nothing to end an interrupt is accepted, has a `seq`, and changes nothing.
#[tokio::test]
async fn an_interrupt_with_nothing_to_end_is_only_logged() {
    let world = World::new().await;
    let session = world.session_of("plain").await;
    world.post(&session, "user.interrupt", json!({})).await.ok(202);
    assert_eq!(world.read(&session).await["status"], "pending");
    world.say(&session, "hello").await;
    world.until_status(&session, "idle").await;
    let before = world.log(&session).await;
    let accepted = world.post(&session, "user.interrupt", json!({})).await.ok(202);
    let log = world.log(&session).await;
    assert_eq!(log.len(), before.len() + 1);
    assert_eq!(log.last(), Some(&accepted));
    assert_eq!(world.read(&session).await["status"], "idle");
}

/// A-INT, A-OVERLAP: what was queued behind the interrupted turn starts after the idle.
#[tokio::test]
async fn what_was_queued_starts_after_an_interrupt() {
    let (world, _clock) = World::frozen().await;
    let session = world.session_of("slow").await;
    world.say(&session, "first").await;
    world.until_logged(&session, "agent.message", 1).await;
    let second = world.say(&session, "second").await;
    let before = world.log(&session).await;
    world.post(&session, "user.interrupt", json!({})).await.ok(202);
    let log = world.until_logged(&session, "agent.message", 2).await;
    assert_eq!(
        types(&log[before.len()..]),
        [
            "user.interrupt",
            "run.canceled",
            "session.status_idle",
            "session.status_pending",
            "session.status_provisioning",
            "run.started",
            "session.status_running",
            "agent.message",
        ]
    );
    assert_eq!(latest(&log, "agent.message")["run_id"], second["run_id"]);
}

/// A-INT: a turn whose output settles is not ended; its own end brings the idle.
#[tokio::test]
async fn settling_finishes_before_an_interrupt_counts() {
    let (world, clock) = World::frozen().await;
    let session = world.session_of("reconcile").await;
    world.say(&session, "hello").await;
    world.until_status(&session, "reconciling").await;
    let before = world.log(&session).await;
    world.post(&session, "user.interrupt", json!({})).await.ok(202);
    assert_eq!(
        types(&world.log(&session).await[before.len()..]),
        ["user.interrupt"]
    );
    clock.advance(std::time::Duration::from_secs(1));
    world.until_status(&session, "idle").await;
    let log = world.log(&session).await;
    assert_eq!(
        types(&log[before.len() + 1..]),
        ["run.completed", "session.usage", "session.status_idle"]
    );
}

/// A-INT, A-END: an unknown thread is not found, a terminal Session refuses, and neither is logged.
#[tokio::test]
async fn an_interrupt_that_fits_nothing_is_refused() {
    let world = World::new().await;
    let session = world.session_of("plain").await;
    let unknown = json!({"session_thread_id": format!("sthr_{:032x}", 9)});
    world
        .post(&session, "user.interrupt", unknown)
        .await
        .refused(404, "resource.not_found");
    world
        .client
        .call("POST", &format!("/v1/sessions/{session}/cancel"), "")
        .await
        .ok(200);
    let late = world.post(&session, "user.interrupt", json!({})).await;
    late.refused(409, "runtime.invalid_transition");
    assert_eq!(world.log(&session).await.len(), 2);
}
