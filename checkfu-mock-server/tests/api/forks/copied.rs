//! What a fork makes of its source's waits, approvals and threads (A-FORK).

use serde_json::{Value, json};

use super::{answer, copies, fork, id, threads};
use crate::support::frames::Frames;
use crate::support::world::{World, all, latest};

/// A-FORK, THR-9: a copied wait is closed in the fork, which answers for its copies: an answered one is repeated with the
/// copy, an open one is stale. The source's wait stays open and is answered there.
#[tokio::test]
async fn copied_waits_are_stale() {
    let world = World::new().await;
    let source = world.session_of("custom_tool").await;
    world.say(&source, "one").await;
    world.until_status(&source, "waiting").await;
    let first = answer(&world.log(&source).await);
    let accepted = world
        .post(&source, "user.custom_tool_result", first.clone())
        .await
        .ok(202);
    world.until_status(&source, "idle").await;
    world.say(&source, "two").await;
    world.until_status(&source, "waiting").await;
    let second = answer(&world.log(&source).await);
    assert_ne!(first, second);

    let made = id(&fork(&world, &source, json!({})).await.ok(201));
    let length = world.log(&made).await.len();
    let stale = world.post(&made, "user.custom_tool_result", second.clone()).await;
    stale.refused(409, "runtime.stale_wait");
    let repeated = world.post(&made, "user.custom_tool_result", first).await.ok(200);
    assert_eq!(repeated, copies(&[accepted], &made)[0]);
    assert_eq!(world.log(&made).await.len(), length);
    assert_eq!(world.read(&source).await["status"], "waiting");
    world
        .post(&source, "user.custom_tool_result", second)
        .await
        .ok(202);
    world.until_status(&source, "idle").await;
    assert_eq!(world.log(&made).await.len(), length);

    world.say(&made, "three").await;
    world.until_status(&made, "waiting").await;
    let third = answer(&world.log(&made).await);
    world.post(&made, "user.custom_tool_result", third).await.ok(202);
    world.until_status(&made, "idle").await;
}

/// A-FORK: a pending approval is canceled in the fork and pending in the source; a decision in the fork is stale.
#[tokio::test]
async fn copied_approvals_are_canceled() {
    let world = World::new().await;
    let source = world.session_of("approval").await;
    world.say(&source, "one").await;
    world.until_status(&source, "waiting").await;
    let made = id(&fork(&world, &source, json!({})).await.ok(201));
    for (session, status) in [(&source, "pending"), (&made, "canceled")] {
        let listed = world
            .client
            .get(&format!("/v1/sessions/{session}/action_approvals"))
            .await
            .ok(200);
        assert_eq!(all(listed["data"].as_array().unwrap(), "status"), [status]);
        assert_eq!(listed["data"][0]["session_id"], json!(session));
        let one = listed["data"][0]["id"].as_str().unwrap();
        let path = format!("/v1/sessions/{session}/action_approvals/{one}");
        assert_eq!(world.client.get(&path).await.ok(200), listed["data"][0]);
    }
    let call = latest(&world.log(&made).await, "agent.tool_use")["payload"]["tool_use_id"].clone();
    let decision = json!({"tool_use_id": call, "result": "allow"});
    let stale = world
        .post(&made, "user.tool_confirmation", decision.clone())
        .await;
    stale.refused(409, "runtime.stale_wait");
    world
        .post(&source, "user.tool_confirmation", decision)
        .await
        .ok(202);
    world.until_status(&source, "idle").await;
}

/// A-FORK: copied thread ids are valid under the fork: the primary idle, children terminated, each with its history.
#[tokio::test]
async fn copied_threads_are_valid_under_the_fork() {
    let world = World::new().await;
    let source = world.session_of("coordinator").await;
    world.say(&source, "checkfu").await;
    world.until_logged(&source, "session.thread_status_idle", 3).await;
    world.until_logged(&source, "run.completed", 3).await;
    world.until_status(&source, "waiting").await;
    let created = fork(&world, &source, json!({})).await.ok(201);
    let (seq, made) = (created["forked_from"]["seq"].as_u64().unwrap(), id(&created));
    let (theirs, ours) = (threads(&world, &source).await, threads(&world, &made).await);
    assert_eq!(all(&ours, "id"), all(&theirs, "id"));
    assert_eq!(all(&ours, "session_id"), vec![&json!(made); ours.len()]);
    assert_eq!(all(&ours, "created_at"), all(&theirs, "created_at"));
    assert_eq!(all(&ours, "status"), ["idle", "terminated", "terminated"]);
    assert_eq!(all(&theirs, "status"), ["idle", "idle", "idle"]);
    for thread in &ours {
        let thread = thread["id"].as_str().unwrap();
        let events = |session: &str| format!("/v1/sessions/{session}/threads/{thread}/events?limit=1000");
        let theirs = world.client.get(&events(&source)).await.ok(200);
        let theirs: Vec<Value> = theirs["data"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|event| event["seq"].as_u64().unwrap() <= seq)
            .cloned()
            .collect();
        assert!(!theirs.is_empty());
        let copied = world.client.get(&events(&made)).await.ok(200);
        assert_eq!(
            copied["data"].as_array().unwrap()[..theirs.len()],
            copies(&theirs, &made)
        );
    }
}

/// A-FORK, A-SRV: a child that came along is terminated: its stream replays and closes, and it waits for nothing.
#[tokio::test]
async fn the_stream_of_a_copied_child_closes() {
    let world = World::new().await;
    let source = world.session_of("twins").await;
    world.say(&source, "hello").await;
    let log = world.until_logged(&source, "agent.tool_use", 2).await;
    let child = latest(&log, "agent.tool_use")["session_thread_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let made = id(&fork(&world, &source, json!({})).await.ok(201));
    let path = format!("/v1/sessions/{made}/threads/{child}");
    let copied = world.client.get(&path).await.ok(200);
    assert_eq!(
        (&copied["status"], &copied["stop_reason"]),
        (&json!("terminated"), &Value::Null)
    );
    let mut stream = Frames::open_path(&world.client, &format!("{path}/stream"), None).await;
    let mut streamed = Vec::new();
    while let Some(event) = stream.event().await {
        streamed.push(event);
    }
    let listed = world
        .client
        .get(&format!("{path}/events?limit=1000"))
        .await
        .ok(200);
    assert_eq!(json!(streamed), listed["data"]);
}
