//! Threads: resources, views, archives, answers for children (THR, MUL-1, A-VIEW, A-ARCH).

mod answers;
mod views;

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::frames::Frames;
use crate::support::world::{World, latest};

/// THR-1, THR-2, THR-10, THR-12, THR-13: the primary comes first, then the children by spawn, each with its own frozen Agent.
#[tokio::test]
async fn threads_are_listed_primary_first() {
    let world = World::new().await;
    let session = world.session_of("coordinator").await;
    let (_, threads) = coordinated(&world, &session).await;
    let read = world.read(&session).await;
    assert_eq!(threads.len(), 3);
    let [primary, researcher, reviewer] = &threads[..] else {
        panic!()
    };
    assert_eq!(primary["id"], read["primary_thread_id"]);
    assert_eq!(primary["parent_thread_id"], Value::Null);
    for (child, name) in [(researcher, "researcher"), (reviewer, "reviewer")] {
        assert_eq!(child["parent_thread_id"], primary["id"]);
        assert_eq!(child["session_id"], json!(session));
        assert_eq!(child["agent"]["draft"]["name"], name);
        assert_ne!(child["agent"]["id"], primary["agent"]["id"]);
        assert_eq!(child["agent"]["draft"].get("multiagent"), None);
    }
    assert_eq!(researcher["status"], "idle");
    assert!(researcher["usage"]["output_tokens"].as_u64().unwrap() > 0);
    assert!(researcher["stats"]["startup_seconds"].is_number());
    let one = format!("/v1/sessions/{session}/threads/{}", id(researcher));
    assert_eq!(
        without_time(world.client.get(&one).await.ok(200)),
        without_time(researcher.clone())
    );
    let log = world.log(&session).await;
    let spawned: Vec<&Value> = log
        .iter()
        .filter(|event| event["type"] == "session.thread_created")
        .map(|event| &event["payload"]["session_thread_id"])
        .collect();
    assert_eq!(spawned, [&researcher["id"], &reviewer["id"]]);
}

/// THR-1: pages, and the bound of the service as the default.
#[tokio::test]
async fn threads_are_paged() {
    let world = World::new().await;
    let session = world.session_of("coordinator").await;
    let (_, threads) = coordinated(&world, &session).await;
    let path = format!("/v1/sessions/{session}/threads");
    let (mut walked, mut next) = (Vec::new(), format!("{path}?limit=1"));
    loop {
        let page = world.client.get(&next).await.ok(200);
        assert_eq!(page["data"].as_array().unwrap().len(), 1);
        walked.push(page["data"][0]["id"].clone());
        match page["next_page"].as_str() {
            Some(token) => next = format!("{path}?limit=1&page={token}"),
            None => break,
        }
    }
    let ids: Vec<Value> = threads.iter().map(|thread| thread["id"].clone()).collect();
    assert_eq!(walked, ids);
    assert_eq!(
        world.client.get(&format!("{path}?limit=5000")).await.ok(200)["data"]
            .as_array()
            .unwrap()
            .len(),
        3
    );
    for bad in ["limit=0", "limit=x", "page=x"] {
        assert_eq!(world.client.get(&format!("{path}?{bad}")).await.status, 400);
    }
}

/// THR-3: a thread of another Session is as unknown as one that never was, on every endpoint.
#[tokio::test]
async fn a_thread_of_another_session_is_unknown() {
    let world = World::new().await;
    let (session, other) = (world.session_of("plain").await, world.session_of("plain").await);
    let foreign = world.read(&other).await["primary_thread_id"]
        .as_str()
        .unwrap()
        .to_owned();
    for thread in [foreign, format!("sthr_{:032x}", 7), "nonsense".to_owned()] {
        for (method, rest) in [
            ("GET", ""),
            ("POST", "/archive"),
            ("GET", "/events"),
            ("GET", "/stream"),
        ] {
            let path = format!("/v1/sessions/{session}/threads/{thread}{rest}");
            let answer = world.client.call(method, &path, "").await;
            let mut body = answer.refused(404, "resource.not_found").json;
            body["request_id"] = Value::Null;
            let mut unknown = world
                .client
                .call(
                    method,
                    &format!("/v1/sessions/{session}/threads/sthr_{:032x}{rest}", 7),
                    "",
                )
                .await
                .json;
            unknown["request_id"] = Value::Null;
            assert_eq!(body, unknown);
        }
    }
}

/// MUL-1: to spawn and to send does not hold the primary up, and a report wakes it or queues work on it, in Runs of their own.
#[tokio::test]
async fn spawning_does_not_wait_and_reports_wake_the_primary() {
    let world = World::new().await;
    let session = world.session_of("coordinator").await;
    let (log, threads) = coordinated(&world, &session).await;
    let primary = &threads[0]["id"];
    let triggers: Vec<&Value> = log
        .iter()
        .filter(|event| event["type"] == "run.created" && event["session_thread_id"] == *primary)
        .map(|event| &event["payload"]["trigger"]["kind"])
        .collect();
    assert_eq!(triggers[0], "message");
    assert!(
        triggers[1..].iter().all(|kind| *kind == "child_report"),
        "{triggers:?}"
    );
    assert!(triggers.len() >= 3);
    let received: Vec<&Value> = log
        .iter()
        .filter(|event| {
            event["type"] == "agent.thread_message_received"
                && event["payload"]["from_session_thread_id"] != *primary
        })
        .collect();
    for report in received {
        let created = log
            .iter()
            .find(|event| event["payload"]["trigger"]["event_id"] == report["id"])
            .unwrap();
        assert_eq!(created["run_id"], report["run_id"]);
    }
    let first = log.iter().find(|event| event["type"] == "run.created").unwrap();
    let runs = world
        .client
        .get(&format!("/v1/sessions/{session}/runs?limit=1000"))
        .await
        .ok(200);
    let of_children = runs["data"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|run| run["session_thread_id"] != *primary);
    assert!(of_children.count() >= 3);
    // The turn that spawned them settled although a child still waits.
    assert!(
        log.iter()
            .any(|event| event["type"] == "run.completed" && event["run_id"] == first["run_id"])
    );
}

/// THR-4, WIRE-6, A-ARCH, A-SRV: an idle child is archived, once, with the headers of every mutation; the primary never is; its stream replays and closes.
#[tokio::test]
async fn an_idle_child_is_archived_once() {
    let world = World::new().await;
    let session = world.session_of("coordinator").await;
    let (_, threads) = coordinated(&world, &session).await;
    let base = format!("/v1/sessions/{session}/threads");
    let primary = world
        .client
        .call("POST", &format!("{base}/{}/archive", id(&threads[0])), "")
        .await;
    primary.refused(409, "runtime.primary_thread");
    let archive = format!("{base}/{}/archive", id(&threads[1]));
    let keyed = world.client.with("idempotency-key", "archive");
    let archived = keyed.call("POST", &archive, "").await.ok(200);
    assert_eq!(archived["status"], "terminated");
    assert_eq!(archived["archived_at"], archived["updated_at"]);
    let length = world.log(&session).await.len();
    assert_eq!(keyed.call("POST", &archive, "").await.ok(200), archived);
    let again = world.client.call("POST", &archive, "{}").await.ok(200);
    assert_eq!(again, archived, "the statistics stand still");
    let log = world.log(&session).await;
    assert_eq!(log.len(), length);
    let terminated = latest(&log, "session.thread_status_terminated");
    assert_eq!(terminated["payload"]["session_thread_id"], threads[1]["id"]);
    assert_eq!(terminated["payload"].get("error"), None);
    let stream = format!("{base}/{}/stream", id(&threads[1]));
    let mut replay = Frames::open_path(&world.client, &stream, None).await;
    let events = replay.until("session.thread_status_terminated").await;
    assert_eq!(replay.event().await, None, "closed after its end");
    let head = events.last().unwrap()["seq"].as_u64().unwrap();
    // Nothing follows in its view, not even an interrupt that names it.
    let named = json!({"session_thread_id": threads[1]["id"]});
    let accepted = world.post(&session, "user.interrupt", named).await.ok(202);
    assert_eq!(accepted["session_thread_id"], Value::Null);
    let mut at_head = Frames::open_path(&world.client, &stream, Some(head)).await;
    assert_eq!(at_head.event().await, None, "closed at its head");
}

/// THR-11: a child whose Runner is lost too often can be driven again; one that ends by an error cannot, and may be archived.
#[tokio::test]
async fn children_fail_alone() {
    let world = World::new().await;
    let session = world.session_of("exhausted").await;
    world.say(&session, "child").await;
    let log = world
        .until_logged(&session, "session.thread_status_idle", 1)
        .await;
    assert_eq!(
        latest(&log, "session.thread_status_idle")["payload"]["stop_reason"],
        json!({"type": "retries_exhausted"})
    );
    assert!(
        log.iter()
            .any(|event| event["type"] == "session.thread_status_rescheduled")
    );
    assert!(
        !log.iter().any(|event| event["type"] == "run.failed"),
        "local to the child"
    );

    let session = world.session_of("broken").await;
    world.say(&session, "child").await;
    let log = world
        .until_logged(&session, "session.thread_status_terminated", 1)
        .await;
    let terminated = latest(&log, "session.thread_status_terminated");
    assert_eq!(terminated["payload"]["error"]["code"], "runtime.internal_error");
    let path = format!(
        "/v1/sessions/{session}/threads/{}",
        terminated["session_thread_id"].as_str().unwrap()
    );
    let ended = world.client.get(&path).await.ok(200);
    assert_eq!(
        (&ended["status"], &ended["archived_at"]),
        (&json!("terminated"), &Value::Null)
    );
    let archived = world
        .client
        .call("POST", &format!("{path}/archive"), "")
        .await
        .ok(200);
    assert!(archived["archived_at"].is_string());
    world.until_status(&session, "idle").await;
    world.say(&session, "hello").await;
}

/// THR-10, A-VIEW: the primary thread is running while its Run executes, and idle at rest.
#[tokio::test]
async fn the_primary_thread_follows_its_runs() {
    let (world, clock) = World::frozen().await;
    let session = world.session_of("reconcile").await;
    let primary = world.read(&session).await["primary_thread_id"]
        .as_str()
        .unwrap()
        .to_owned();
    let path = format!("/v1/sessions/{session}/threads/{primary}");
    assert_eq!(world.client.get(&path).await.ok(200)["status"], "idle");
    world.say(&session, "hello").await;
    world.until_status(&session, "reconciling").await;
    assert_eq!(world.client.get(&path).await.ok(200)["status"], "running");
    clock.advance(Duration::from_secs(2));
    world.until_status(&session, "idle").await;
    let idle = world.client.get(&path).await.ok(200);
    assert_eq!(
        (&idle["status"], &idle["stop_reason"]),
        (&json!("idle"), &json!({"type": "end_turn"}))
    );
    assert_eq!(idle["stats"]["active_seconds"], 2.0);
}

/// Lets a coordinator work until the reviewer waits for its call and nothing else goes on; gives the log and the threads.
async fn coordinated(world: &World, session: &str) -> (Vec<Value>, Vec<Value>) {
    world.say(session, "checkfu").await;
    // Two Runs of the researcher are over, and the reports of both were taken.
    world.until_logged(session, "session.thread_status_idle", 3).await;
    world.until_logged(session, "run.completed", 3).await;
    world.until_status(session, "waiting").await;
    let log = world.log(session).await;
    let threads = world
        .client
        .get(&format!("/v1/sessions/{session}/threads"))
        .await
        .ok(200);
    (log, threads["data"].as_array().unwrap().clone())
}

fn id(thread: &Value) -> &str {
    thread["id"].as_str().unwrap()
}

fn without_time(mut thread: Value) -> Value {
    thread["stats"]["duration_seconds"] = Value::Null;
    thread
}
