//! Explicit ends of a Session.

use serde_json::{Value, json};

use crate::support::frames::Frames;
use crate::support::world::{STEP, World, message, types};

/// A-END, SES-8: complete and cancel cancel every unfinished Run, then comes the terminal status, and nothing after it,
/// however long the agent would have gone on.
#[tokio::test]
async fn an_end_cancels_unfinished_runs_and_nothing_follows() {
    for (act, status) in [("complete", "completed"), ("cancel", "canceled")] {
        let (world, clock) = World::standing_still().await;
        let session = world.session().await;
        world.say(&session, "first").await;
        while world.read(&session).await["status"] != "running" {
            clock.advance(STEP);
        }
        world.say(&session, "second").await;
        let mut stream = Frames::open(&world.client, &session, None).await;
        let ended = world
            .client
            .post(&format!("/v1/sessions/{session}/{act}"), &json!({}))
            .await
            .ok(200);
        assert_eq!(ended["status"], status);

        for _ in 0..20 {
            clock.advance(STEP);
            world.read(&session).await;
        }
        let log = world.log(&session).await;
        let tail = types(&log[log.len() - 3..]);
        assert_eq!(
            tail,
            [
                "run.canceled".to_owned(),
                "run.canceled".to_owned(),
                format!("session.status_{status}")
            ]
        );
        assert_eq!(ended["last_seq"], log.last().unwrap()["seq"]);
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
        assert_eq!(statuses, ["canceled", "canceled"]);
        let streamed = stream.until(&format!("session.status_{status}")).await;
        assert_eq!(streamed, log);
        assert_eq!(
            stream.next().await,
            None,
            "the stream closes after a terminal event"
        );
    }
}

/// A-TRANS, SES-8: a terminal Session takes nothing more, and says so the same way every time.
#[tokio::test]
async fn a_terminal_session_refuses_messages_and_ends() {
    let world = World::new().await;
    let session = world.session().await;
    world
        .client
        .post(&format!("/v1/sessions/{session}/cancel"), &json!({}))
        .await
        .ok(200);
    let before = world.log(&session).await;
    let refused = world
        .try_say(&session, "late")
        .await
        .refused(409, "runtime.invalid_transition");
    assert_eq!(
        refused.json["error"]["details"],
        json!({"from": "canceled", "to": "pending"})
    );
    for act in ["complete", "cancel"] {
        let answer = world
            .client
            .post(&format!("/v1/sessions/{session}/{act}"), &json!({}))
            .await;
        answer.refused(409, "runtime.invalid_transition");
    }
    assert_eq!(world.log(&session).await, before);
}

/// A-SRV, SES-9: the stream of a terminal Session replays and closes; at its head it is an answer without events.
#[tokio::test]
async fn the_stream_of_a_terminal_session_replays_and_closes() {
    let world = World::new().await;
    let session = world.session().await;
    world
        .client
        .call("POST", &format!("/v1/sessions/{session}/complete"), "")
        .await
        .ok(200);
    let mut replay = Frames::open(&world.client, &session, None).await;
    assert_eq!(types(&replay.until("session.status_completed").await).len(), 2);
    assert_eq!(replay.event().await, None);
    let mut at_head = Frames::open(&world.client, &session, Some(2)).await;
    assert_eq!(at_head.event().await, None);
}

/// The acts take no members: one that nobody asked for is an error, and nothing is done.
#[tokio::test]
async fn an_end_with_an_unknown_member_is_refused() {
    let world = World::new().await;
    let session = world.session().await;
    let answer = world
        .client
        .post(&format!("/v1/sessions/{session}/cancel"), &message("no"))
        .await;
    answer.refused(400, "request.invalid_body");
    assert_eq!(world.read(&session).await["status"], "pending");
}
