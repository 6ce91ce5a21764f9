//! What children wait for, and how it ends (THR-7, THR-8, A-GEN, A-INT, A-END).

use serde_json::{Value, json};

use super::{coordinated, id};
use crate::support::world::{World, latest, types};

/// THR-7, A-VIEW, THR-8: a child's call is read from the Session's stream and answered at the Session; the child goes on,
/// and the Session, which showed the wait, is idle again.
#[tokio::test]
async fn a_childs_call_is_answered_at_the_session() {
    let world = World::new().await;
    let session = world.session_of("coordinator").await;
    let (log, threads) = coordinated(&world, &session).await;
    assert_eq!(world.read(&session).await["status"], "waiting");
    let call = latest(&log, "agent.tool_use").clone();
    assert_eq!(call["session_thread_id"], threads[2]["id"]);
    assert_eq!(
        latest(&log, "session.status_idle")["payload"]["event_ids"],
        json!([call["id"]])
    );
    let waiting = world
        .client
        .get(&format!("/v1/sessions/{session}/threads/{}", id(&threads[2])))
        .await
        .ok(200);
    assert_eq!(
        (&waiting["status"], &waiting["stop_reason"]),
        (&json!("idle"), &json!({"type": "requires_action"}))
    );
    let archive = format!("/v1/sessions/{session}/threads/{}/archive", id(&threads[2]));
    let early = world.client.call("POST", &archive, "").await;
    early.refused(409, "runtime.invalid_transition");

    let answer = json!({
        "tool_use_id": call["payload"]["tool_use_id"],
        "result": "be brief",
        "session_thread_id": call["session_thread_id"],
    });
    let accepted = world
        .post(&session, "user.custom_tool_result", answer.clone())
        .await
        .ok(202);
    assert_eq!(accepted["session_thread_id"], call["session_thread_id"]);
    let after = world.until_logged(&session, "user.custom_tool_result", 1).await;
    let at = after
        .iter()
        .position(|event| event["id"] == accepted["id"])
        .unwrap();
    assert_eq!(
        types(&after[at..at + 3]),
        [
            "user.custom_tool_result",
            "session.thread_status_running",
            "session.status_idle",
        ]
    );
    assert_eq!(after[at + 2]["payload"]["stop_reason"], "end_turn");
    assert_eq!(
        world
            .post(&session, "user.custom_tool_result", answer)
            .await
            .ok(200),
        accepted
    );
    let done = world
        .until_logged(&session, "agent.thread_message_received", 6)
        .await;
    assert!(
        done.iter()
            .any(|event| event["payload"]["content"][0]["text"] == "The text follows the guidelines.")
    );
}

/// THR-8, THR-9, A-GEN: two children wait under one identifier: an answer has to name its thread, and concerns that one alone.
#[tokio::test]
async fn two_children_may_wait_under_one_identifier() {
    let world = World::new().await;
    let session = world.session_of("twins").await;
    world.say(&session, "hello").await;
    let log = world.until_logged(&session, "agent.tool_use", 2).await;
    let calls: Vec<&Value> = log
        .iter()
        .filter(|event| event["type"] == "agent.tool_use")
        .collect();
    assert_eq!(
        calls[0]["payload"]["tool_use_id"],
        calls[1]["payload"]["tool_use_id"]
    );
    let mut answer = json!({"tool_use_id": "toolu_shared", "result": "one"});
    let ambiguous = world
        .post(&session, "user.custom_tool_result", answer.clone())
        .await;
    let ambiguous = ambiguous.refused(409, "runtime.ambiguous_thread");
    assert_eq!(ambiguous.param(), Some("payload.session_thread_id"));
    let mut named = ambiguous.json["error"]["details"]["session_thread_ids"]
        .as_array()
        .unwrap()
        .clone();
    named.sort_by_key(|id| id.to_string());
    let mut threads = vec![
        calls[0]["session_thread_id"].clone(),
        calls[1]["session_thread_id"].clone(),
    ];
    threads.sort_by_key(|id| id.to_string());
    assert_eq!(named, threads);
    answer["session_thread_id"] = calls[1]["session_thread_id"].clone();
    world
        .post(&session, "user.custom_tool_result", answer.clone())
        .await
        .ok(202);
    // The only one that still waits need not be named.
    let last = json!({"tool_use_id": "toolu_shared", "result": "two"});
    let accepted = world
        .post(&session, "user.custom_tool_result", last.clone())
        .await
        .ok(202);
    assert_eq!(accepted["session_thread_id"], calls[0]["session_thread_id"]);
    // Nor is it when the same is said again, although both have been answered.
    let again = world.post(&session, "user.custom_tool_result", last).await;
    assert_eq!(again.ok(200), accepted);
    let other = json!({"tool_use_id": "toolu_shared", "result": "three"});
    let other = world.post(&session, "user.custom_tool_result", other).await;
    other.refused(409, "runtime.ambiguous_thread");
}

/// A-INT, A-VIEW: an interrupt of one child ends that child's turn alone; an interrupt of all ends every child's.
#[tokio::test]
async fn an_interrupt_reaches_children() {
    let world = World::new().await;
    let session = world.session_of("twins").await;
    world.say(&session, "hello").await;
    let log = world.until_logged(&session, "session.status_waiting", 1).await;
    let log = if log
        .iter()
        .filter(|event| event["type"] == "agent.tool_use")
        .count()
        < 2
    {
        world.until_logged(&session, "agent.tool_use", 2).await
    } else {
        log
    };
    let calls: Vec<Value> = log
        .iter()
        .filter(|event| event["type"] == "agent.tool_use")
        .cloned()
        .collect();
    world.until_status(&session, "waiting").await;
    let before = world.log(&session).await;
    let one = json!({"session_thread_id": calls[0]["session_thread_id"]});
    let accepted = world.post(&session, "user.interrupt", one).await.ok(202);
    assert_eq!(accepted["session_thread_id"], calls[0]["session_thread_id"]);
    let log = world.log(&session).await;
    assert_eq!(
        types(&log[before.len()..]),
        [
            "user.interrupt",
            "session.thread_status_idle",
            "session.status_idle",
            "session.status_waiting",
        ]
    );
    assert_eq!(
        latest(&log, "session.status_idle")["payload"]["event_ids"],
        json!([calls[1]["id"]])
    );
    let before = log;
    world.post(&session, "user.interrupt", json!({})).await.ok(202);
    let log = world.log(&session).await;
    assert_eq!(
        types(&log[before.len()..]),
        [
            "user.interrupt",
            "session.thread_status_idle",
            "session.status_idle"
        ]
    );
    assert_eq!(
        latest(&log, "session.status_idle")["payload"],
        json!({"stop_reason": "end_turn"})
    );
    let path = format!("/v1/sessions/{session}/threads?limit=10");
    for thread in world.client.get(&path).await.ok(200)["data"].as_array().unwrap() {
        assert_eq!(thread["status"], "idle");
    }
}

/// A-END: with the Session every live child ends, and their Runs are canceled.
#[tokio::test]
async fn children_end_with_their_session() {
    let world = World::new().await;
    let session = world.session_of("twins").await;
    world.say(&session, "hello").await;
    world.until_logged(&session, "agent.tool_use", 2).await;
    let ended = world
        .client
        .call("POST", &format!("/v1/sessions/{session}/complete"), "")
        .await
        .ok(200);
    assert_eq!(ended["status"], "completed");
    let log = world.log(&session).await;
    let ends = types(&log[log.len() - 3..]);
    assert_eq!(
        ends,
        [
            "session.thread_status_terminated",
            "session.thread_status_terminated",
            "session.status_completed",
        ]
    );
    let path = format!("/v1/sessions/{session}/threads");
    for thread in world.client.get(&path).await.ok(200)["data"].as_array().unwrap() {
        assert_eq!(thread["status"], "terminated");
    }
}
