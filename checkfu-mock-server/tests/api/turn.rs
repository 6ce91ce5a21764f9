//! A plain turn, from the message to the settlement.

use serde_json::{Value, json};

use crate::support::frames::Frames;
use crate::support::world::{AUTHOR, STEP, World, types};

const FIRST_TURN: [&str; 12] = [
    "session.status_pending",
    "user.message",
    "run.created",
    "session.status_provisioning",
    "run.started",
    "session.status_running",
    "agent.message",
    "agent.message",
    "agent.message",
    "run.completed",
    "session.usage",
    "session.status_idle",
];

/// A-TURN, SES-3, SES-5, SES-8: the first turn starts from the pending Session, the next one writes pending again;
/// every seq follows the one before.
#[tokio::test]
async fn a_turn_writes_its_events_in_the_documented_order() {
    let world = World::new().await;
    let session = world.session().await;
    world.say(&session, "hello").await;
    world.until_status(&session, "idle").await;
    assert_eq!(world.types(&session).await, FIRST_TURN);

    world.say(&session, "again").await;
    let mut stream = Frames::open(&world.client, &session, Some(12)).await;
    let second = types(&stream.until("session.status_idle").await);
    assert_eq!(
        second[..3],
        ["user.message", "run.created", "session.status_pending"]
    );
    assert_eq!(second[3..], FIRST_TURN[3..]);
    let seqs: Vec<u64> = world
        .log(&session)
        .await
        .iter()
        .map(|event| event["seq"].as_u64().unwrap())
        .collect();
    assert_eq!(seqs, (1..=24).collect::<Vec<u64>>());
}

/// A-ENV, A-POST, EVT-1: the answer to a post is the envelope that the log holds, with the Run that it starts.
#[tokio::test]
async fn a_post_answers_with_the_accepted_envelope() {
    let world = World::new().await;
    let session = world.session().await;
    let accepted = world.say(&session, "hello").await;
    world.until_status(&session, "idle").await;
    let log = world.log(&session).await;
    assert_eq!(log[1], accepted);
    assert_eq!(accepted["session_id"], *session);
    assert_eq!(accepted["run_id"], log[2]["run_id"]);
    assert_eq!(
        log[2]["payload"]["trigger"],
        json!({"kind": "message", "event_id": accepted["id"]})
    );
    let expected = json!({
        "content": [{"type": "text", "text": "hello"}],
        "authored_by": AUTHOR,
        "caused_by": {"kind": "api"},
    });
    assert_eq!(accepted["payload"], expected);
}

/// The agent answers what it was told, and revision 1 says less than revision 2 (SES-11).
#[tokio::test]
async fn the_plain_agent_quotes_its_input() {
    let world = World::new().await;
    let session = world.session().await;
    world.say(&session, "tell me about seams").await;
    world.until_status(&session, "idle").await;
    let said: Vec<Value> = world
        .log(&session)
        .await
        .into_iter()
        .filter(|event| event["type"] == "agent.message")
        .collect();
    let text = |index: usize| said[index]["payload"]["content"][0]["text"].as_str().unwrap();
    assert!(text(1).contains("tell me about seams"), "{}", text(1));
    assert!(text(2).contains("19"), "{}", text(2));
}

/// A-HEAD, SES-6: the message, its Run and the status that it causes at once are one commit: whoever sees the answer, sees
/// all of them, while the agent has not moved.
#[tokio::test]
async fn accepting_a_message_commits_with_what_it_causes_at_once() {
    let (world, clock) = World::standing_still().await;
    let session = world.session().await;
    world.say(&session, "first").await;
    while world.read(&session).await["status"] != "idle" {
        clock.advance(STEP);
    }
    let accepted = world.say(&session, "second").await;
    let after = world.read(&session).await;
    assert_eq!(after["status"], "pending");
    assert_eq!(after["last_seq"], accepted["seq"].as_u64().unwrap() + 2);
    let log = world.log(&session).await;
    assert_eq!(
        types(&log[log.len() - 3..]),
        ["user.message", "run.created", "session.status_pending"]
    );
    let moments: Vec<&Value> = log[log.len() - 3..]
        .iter()
        .map(|event| &event["created_at"])
        .collect();
    assert_eq!(moments[0], moments[2]);
}

/// A-HEAD: `stop_reason` is that of the latest idle, none before the first and none once a Run has started.
#[tokio::test]
async fn the_session_shows_status_stop_reason_and_both_ends_of_its_log() {
    let (world, clock) = World::standing_still().await;
    let session = world.session().await;
    let created = world.read(&session).await;
    assert_eq!(
        (
            &created["status"],
            &created["stop_reason"],
            &created["first_seq"],
            &created["last_seq"]
        ),
        (&json!("pending"), &Value::Null, &json!(1), &json!(1))
    );
    world.say(&session, "hello").await;
    while world.read(&session).await["status"] != "idle" {
        clock.advance(STEP);
    }
    let settled = world.read(&session).await;
    assert_eq!(
        (&settled["stop_reason"], &settled["last_seq"]),
        (&json!("end_turn"), &json!(12))
    );
    world.say(&session, "again").await;
    while world.read(&session).await["status"] != "running" {
        clock.advance(STEP);
    }
    assert_eq!(world.read(&session).await["stop_reason"], Value::Null);
}

/// RUN-1, RUN-3: a Run records trigger, status, cost, what it received and its deadline; it settles
/// by its own event.
#[tokio::test]
async fn a_run_records_what_it_was_and_what_it_cost() {
    let (world, clock) = World::standing_still().await;
    let session = world.session().await;
    let accepted = world.say(&session, "hello").await;
    let run = accepted["run_id"].as_str().unwrap().to_owned();
    let path = format!("/v1/sessions/{session}/runs/{run}");
    let queued = world.client.get(&path).await.ok(200);
    assert_eq!(
        (&queued["status"], &queued["attempt"]),
        (&json!("queued"), &json!(0))
    );
    while world.read(&session).await["status"] != "running" {
        clock.advance(STEP);
    }
    let running = world.client.get(&path).await.ok(200);
    assert_eq!(
        (&running["status"], &running["attempt"]),
        (&json!("running"), &json!(1))
    );
    let log = world.log(&session).await;
    let claimed: jiff::Timestamp = log[3]["created_at"].as_str().unwrap().parse().unwrap();
    let deadline: jiff::Timestamp = running["deadline_at"].as_str().unwrap().parse().unwrap();
    assert_eq!(deadline.duration_since(claimed).as_secs(), 60 + 3600);
    assert_eq!(running["resolved"], log[4]["payload"]["resolved"]);
    while world.read(&session).await["status"] != "idle" {
        clock.advance(STEP);
    }
    let settled = world.client.get(&path).await.ok(200);
    let completed = &world.log(&session).await[9];
    assert_eq!(completed["type"], "run.completed");
    assert_eq!(settled["status"], "completed");
    assert_eq!(settled["settled_at"], completed["created_at"]);
    assert_eq!(
        (&settled["usage"], &settled["cost"]),
        (&completed["payload"]["usage"], &completed["payload"]["cost"])
    );
    assert_eq!(
        settled["trigger"],
        json!({"kind": "message", "event_id": accepted["id"]})
    );
    let listed = world
        .client
        .get(&format!("/v1/sessions/{session}/runs"))
        .await
        .ok(200);
    assert_eq!(listed["data"], json!([settled]));
}
