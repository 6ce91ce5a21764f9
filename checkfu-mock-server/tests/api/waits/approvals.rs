//! ActionApprovals (WAIT-1, WAIT-3, WAIT-5, A-PARK, A-GEN).

use serde_json::{Value, json};

use super::{BEGINNING, confirm, result};
use crate::support::world::{World, latest, types};

/// WAIT-1, A-PARK: an approval is requested, decided and seen in its resource; allowed, the call is made.
#[tokio::test]
async fn an_allowed_call_is_made() {
    let world = World::new().await;
    let session = world.session_of("approval").await;
    world.say(&session, "hello").await;
    world.until_status(&session, "waiting").await;
    let parked = world.log(&session).await;
    let mut expected: Vec<&str> = BEGINNING.into();
    expected.extend([
        "agent.tool_use",
        "action_approval.requested",
        "run.waiting",
        "session.status_idle",
        "session.status_waiting",
    ]);
    assert_eq!(types(&parked), expected);
    let call = latest(&parked, "agent.tool_use");
    let requested = latest(&parked, "action_approval.requested");
    let pending = approval(&world, &session, requested).await;
    assert_eq!(pending["status"], "pending");
    assert_eq!(pending["tool_use_id"], call["payload"]["tool_use_id"]);
    assert_eq!(pending["input"], call["payload"]["input"]);

    confirm(&world, &session, call, "allow").await;
    world.until_status(&session, "idle").await;
    let log = world.log(&session).await;
    assert_eq!(
        types(&log[parked.len()..]),
        [
            "user.tool_confirmation",
            "action_approval.decided",
            "run.resumed",
            "session.status_running",
            "agent.tool_result",
            "agent.message",
            "run.completed",
            "session.usage",
            "session.status_idle",
        ]
    );
    let decided = latest(&log, "action_approval.decided");
    assert_eq!(decided["payload"]["by"], world.server.principal_id());
    let allowed = approval(&world, &session, requested).await;
    assert_eq!(allowed["status"], "allowed");
    assert_eq!(allowed["decided_by"], world.server.principal_id());
    assert_eq!(allowed["decided_at"], decided["created_at"]);
    assert_eq!(latest(&log, "agent.tool_result")["payload"].get("is_error"), None);
    let page = world
        .client
        .get(&format!("/v1/sessions/{session}/action_approvals"))
        .await
        .ok(200);
    assert_eq!(page["data"], json!([allowed]));
}

/// WAIT-3: denied, the same Run goes on without the call, and the reason is kept.
#[tokio::test]
async fn a_denied_call_is_not_made() {
    let world = World::new().await;
    let session = world.session_of("approval").await;
    world.say(&session, "hello").await;
    world.until_status(&session, "waiting").await;
    let parked = world.log(&session).await;
    let call = latest(&parked, "agent.tool_use");
    let denial =
        json!({"tool_use_id": call["payload"]["tool_use_id"], "result": "deny", "deny_message": "not today"});
    world
        .post(&session, "user.tool_confirmation", denial)
        .await
        .ok(202);
    world.until_status(&session, "idle").await;
    let log = world.log(&session).await;
    assert_eq!(latest(&log, "agent.tool_result")["payload"]["is_error"], true);
    assert_eq!(latest(&log, "run.resumed")["run_id"], call["run_id"]);
    let denied = approval(&world, &session, latest(&log, "action_approval.requested")).await;
    assert_eq!(
        (&denied["status"], &denied["deny_message"]),
        (&json!("denied"), &json!("not today"))
    );
}

/// WAIT-5, A-GEN: a decision by somebody without authority is refused and leaves the wait open.
#[tokio::test]
async fn a_decision_needs_current_authority() {
    let world = World::new().await;
    let session = world.session_of("approval").await;
    world.say(&session, "hello").await;
    world.until_status(&session, "waiting").await;
    let parked = world.log(&session).await;
    let call = latest(&parked, "agent.tool_use");
    let body = json!({"type": "user.tool_confirmation", "payload": {
        "tool_use_id": call["payload"]["tool_use_id"],
        "result": "allow",
        "authored_by": format!("prin_{:032x}", 0xbad),
        "caused_by": {"kind": "api"},
    }});
    let path = format!("/v1/sessions/{session}/events");
    let refused = world.client.post(&path, &body).await;
    assert_eq!(
        refused.refused(403, "runtime.insufficient_authority").param(),
        Some("payload.authored_by")
    );
    assert_eq!(world.log(&session).await, parked);
    confirm(&world, &session, call, "allow").await;
    world.until_status(&session, "idle").await;
}

/// WAIT-5, A-GEN: an allowed call of the application still needs its result: generation 1 is the decision, 2 the result.
#[tokio::test]
async fn a_governed_custom_tool_waits_twice() {
    let world = World::new().await;
    let session = world.session_of("governed_tool").await;
    world.say(&session, "hello").await;
    world.until_status(&session, "waiting").await;
    let first = world.log(&session).await;
    let call = latest(&first, "agent.tool_use");
    let id = &call["payload"]["tool_use_id"];
    assert_eq!(
        latest(&first, "run.waiting")["payload"]["wait"]["kind"],
        "action_approval"
    );
    let early = world
        .post(&session, "user.custom_tool_result", result(id, json!(1)))
        .await;
    early.refused(409, "runtime.stale_wait");
    let confirmed = confirm(&world, &session, call, "allow").await;
    let second = world.log(&session).await;
    assert_eq!(
        types(&second[first.len()..]),
        [
            "user.tool_confirmation",
            "action_approval.decided",
            "run.waiting",
            "session.status_idle",
            "session.status_waiting",
        ]
    );
    let wait = &latest(&second, "run.waiting")["payload"]["wait"];
    assert_eq!(
        wait,
        &json!({"kind": "custom_tool", "tool_use_id": id, "generation": 2})
    );
    assert_eq!(
        latest(&second, "session.status_idle")["payload"]["event_ids"],
        json!([call["id"]])
    );
    // The decision again is still the decision.
    let again = json!({"tool_use_id": id, "result": "allow", "wait_generation": 1});
    assert_eq!(
        world
            .post(&session, "user.tool_confirmation", again)
            .await
            .ok(200),
        confirmed
    );
    let of_first = json!({"tool_use_id": id, "result": 7, "wait_generation": 1});
    let of_first = world.post(&session, "user.custom_tool_result", of_first).await;
    of_first.refused(409, "runtime.stale_wait");
    world
        .post(&session, "user.custom_tool_result", result(id, json!("INV-1")))
        .await
        .ok(202);
    world.until_status(&session, "idle").await;
    let log = world.log(&session).await;
    assert_eq!(latest(&log, "run.resumed")["payload"]["continuation"], 1);
    assert!(
        latest(&log, "agent.message")["payload"]["content"][0]["text"]
            .as_str()
            .unwrap()
            .contains("INV-1")
    );
}

async fn approval(world: &World, session: &str, requested: &Value) -> Value {
    let id = requested["payload"]["approval_id"].as_str().unwrap();
    let path = format!("/v1/sessions/{session}/action_approvals/{id}");
    world.client.get(&path).await.ok(200)
}
