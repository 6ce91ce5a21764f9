//! Outcomes and their grader (WAIT-1, A-OUT).

use serde_json::{Value, json};

use crate::support::world::{World, latest, types};

/// A-OUT, A-WAIT: an Outcome gets an id and a Run; each try waits for the grader, whose judgement resumes the same Run.
#[tokio::test]
async fn a_grader_judges_until_it_is_satisfied() {
    let world = World::new().await;
    let session = world.session_of("outcome").await;
    let defined = define(&world, &session, "a poem", json!({})).await.ok(202);
    assert_eq!(defined["payload"]["max_iterations"], 3);
    let outcome = defined["payload"]["outcome_id"].as_str().unwrap().to_owned();
    assert!(outcome.starts_with("outc_"));
    let log = world.until_logged(&session, "run.completed", 1).await;
    let created = latest(&log, "run.created");
    assert_eq!(
        created["payload"]["trigger"],
        json!({"kind": "outcome", "event_id": defined["id"]})
    );
    let evaluated: Vec<&Value> = log
        .iter()
        .filter(|event| event["type"] == "outcome.evaluated")
        .map(|event| &event["payload"])
        .collect();
    assert_eq!(evaluated.len(), 2);
    assert_eq!(
        (&evaluated[0]["result"], &evaluated[0]["iteration"]),
        (&json!("needs_revision"), &json!(1))
    );
    assert_eq!(
        (&evaluated[1]["result"], &evaluated[1]["iteration"]),
        (&json!("satisfied"), &json!(2))
    );
    let waits: Vec<&Value> = log
        .iter()
        .filter(|event| event["type"] == "run.waiting")
        .map(|event| &event["payload"]["wait"])
        .collect();
    assert_eq!(
        *waits[1],
        json!({"kind": "outcome", "outcome_id": outcome, "generation": 2})
    );
    let first = log
        .iter()
        .position(|event| event["type"] == "outcome.evaluation_started")
        .unwrap();
    assert_eq!(
        types(&log[first..first + 7]),
        [
            "outcome.evaluation_started",
            "run.waiting",
            "session.status_idle",
            "session.status_waiting",
            "outcome.evaluated",
            "run.resumed",
            "session.status_running",
        ]
    );
    assert_eq!(log[first + 2]["payload"]["stop_reason"], "requires_action");
    assert_eq!(
        log.iter().filter(|event| event["type"] == "run.created").count(),
        1
    );
}

/// A-OUT: out of tries, a demand for revision is the last word; a grader may give up too.
#[tokio::test]
async fn tries_are_bounded() {
    let world = World::new().await;
    for (description, limit, last) in [
        ("hopeless", 2, "max_iterations_reached"),
        ("impossible", 5, "failed"),
    ] {
        let session = world.session_of("outcome").await;
        define(&world, &session, description, json!({"max_iterations": limit}))
            .await
            .ok(202);
        world.until_status(&session, "idle").await;
        let log = world.until_logged(&session, "run.completed", 1).await;
        let evaluated = latest(&log, "outcome.evaluated");
        assert_eq!(evaluated["payload"]["result"], last);
        if last == "max_iterations_reached" {
            assert_eq!(evaluated["payload"]["iteration"], limit);
        }
    }
}

/// A-OUT: one Outcome at a time; the next one may follow.
#[tokio::test]
async fn one_outcome_at_a_time() {
    let (world, clock) = World::frozen().await;
    let session = world.session_of("outcome").await;
    define(&world, &session, "a poem", json!({})).await.ok(202);
    let second = define(&world, &session, "another", json!({})).await;
    second.refused(409, "runtime.invalid_transition");
    clock.advance(std::time::Duration::from_secs(5));
    for _ in 0..200 {
        clock.advance(std::time::Duration::from_millis(50));
        tokio::task::yield_now().await;
        if world.read(&session).await["stop_reason"] == "end_turn" {
            break;
        }
    }
    define(&world, &session, "another", json!({})).await.ok(202);
}

/// A-OUT, A-INT: an interrupt ends the Outcome, and its wait.
#[tokio::test]
async fn an_interrupt_ends_an_outcome() {
    let (world, _clock) = World::frozen().await;
    let session = world.session_of("outcome").await;
    define(&world, &session, "a poem", json!({})).await.ok(202);
    let before = world.until_logged(&session, "session.status_waiting", 1).await;
    world.post(&session, "user.interrupt", json!({})).await.ok(202);
    let log = world.log(&session).await;
    assert_eq!(
        types(&log[before.len()..]),
        [
            "user.interrupt",
            "outcome.evaluated",
            "run.canceled",
            "session.status_idle"
        ]
    );
    let evaluated = &latest(&log, "outcome.evaluated")["payload"];
    assert_eq!(
        (&evaluated["result"], &evaluated["iteration"]),
        (&json!("interrupted"), &json!(1))
    );
    define(&world, &session, "another", json!({})).await.ok(202);
}

async fn define(
    world: &World,
    session: &str,
    description: &str,
    more: Value,
) -> crate::support::client::Answer {
    let mut payload =
        json!({"description": description, "rubric": {"type": "text", "content": "It rhymes."}});
    for (name, value) in more.as_object().unwrap() {
        payload[name] = value.clone();
    }
    world.post(session, "user.define_outcome", payload).await
}
