//! Forks: an independent Session from the head or from a retained event (FRK-1, FRK-2, FRK-3, A-FORK, A-ID).

mod copied;

use std::time::Duration;

use checkfu_mock_server::MockServer;
use serde_json::{Value, json};

use crate::support::client::Answer;
use crate::support::frames::Frames;
use crate::support::world::{STEP, World, all, latest, message, types};

/// FRK-1, FRK-2, A-FORK: without a body the fork leaves at the head. Copies are the same events under the fork's
/// `session_id`, then come `session.forked` with the next `seq` and the idle; the Session is pinned as its source is.
#[tokio::test]
async fn a_fork_of_the_head_copies_the_whole_log() {
    let world = World::new().await;
    let mut body = world.create_body();
    body["title"] = "Release".into();
    body["metadata"] = json!({"team": "docs"});
    let source = id(&world.client.post("/v1/sessions", &body).await.ok(201));
    let text = format!(
        r#"{{"session_id":"{source}"}} "quoted" \u0041 ünïcode 日本 {}"#,
        '\n'
    );
    turn(&world, &source, &text).await;
    let before = world.read(&source).await;
    let log = world.log(&source).await;
    let path = format!("/v1/sessions/{source}/fork");
    for call in [
        world.client.call("POST", &path, "").await,
        world.client.post(&path, &json!({})).await,
    ] {
        let created = call.ok(201);
        let fork = id(&created);
        assert_ne!(fork, source);
        let head = log.last().unwrap();
        assert_eq!(
            created["forked_from"],
            json!({"session_id": source, "event_id": head["id"], "seq": head["seq"]})
        );
        assert_eq!(created, world.read(&fork).await);
        assert_eq!(
            (&created["status"], &created["stop_reason"]),
            (&json!("idle"), &json!("end_turn"))
        );
        assert_eq!(created["last_seq"], log.len() + 2);
        for kept in [
            "agent_deployment_id",
            "agent_deployment_revision_number",
            "agent",
            "principal_id",
            "workspace_id",
            "primary_thread_id",
            "project_mounts",
            "memory_mounts",
            "title",
            "metadata",
            "usage",
            "first_seq",
        ] {
            assert_eq!(created[kept], before[kept], "{kept}");
        }
        let copied = world.log(&fork).await;
        assert_eq!(copied[..log.len()], copies(&log, &fork));
        let tail = &copied[log.len()..];
        assert_eq!(types(tail), ["session.forked", "session.status_idle"]);
        assert_eq!(
            tail[0]["payload"],
            json!({"source_session_id": source, "source_event_id": head["id"], "source_seq": head["seq"]})
        );
        assert_eq!(tail[1]["payload"], json!({"stop_reason": "end_turn"}));
        assert_eq!(all(tail, "seq"), [log.len() + 1, log.len() + 2]);
        let runs = world
            .client
            .get(&format!("/v1/sessions/{fork}/runs"))
            .await
            .ok(200);
        assert_eq!(runs["data"], json!([]));
        let mut stream = Frames::open(&world.client, &fork, None).await;
        for event in copied {
            assert_eq!(stream.event().await, Some(event));
        }
    }
    assert_eq!(
        (world.read(&source).await, world.log(&source).await),
        (before, log)
    );
}

/// FRK-1: a selected event, by its place or by its identifier, is the last one that is copied, and what the Session was
/// then is what the fork goes on from.
#[tokio::test]
async fn a_fork_of_an_event_copies_up_to_it() {
    let world = World::new().await;
    let source = world.session().await;
    turn(&world, &source, "first").await;
    turn(&world, &source, "second").await;
    let log = world.log(&source).await;
    for event in [&log[0], &log[4], &log[11], log.last().unwrap()] {
        let seq = usize::try_from(event["seq"].as_u64().unwrap()).unwrap();
        // As in JSON Schema, 2.0 is a whole number.
        let (same, fraction) = (json!({"seq": seq}), json!({"seq": event["seq"].as_f64()}));
        for from in [same, fraction, json!({"event_id": event["id"]})] {
            let created = fork(&world, &source, json!({"from": from})).await.ok(201);
            assert_eq!(
                created["forked_from"],
                json!({"session_id": source, "event_id": event["id"], "seq": seq})
            );
            let copied = world.log(&id(&created)).await;
            assert_eq!(copied[..seq], copies(&log[..seq], &id(&created)));
            assert_eq!(types(&copied[seq..]), ["session.forked", "session.status_idle"]);
            turn(&world, &id(&created), "on").await;
            let runs = world
                .client
                .get(&format!("/v1/sessions/{}/runs", id(&created)))
                .await
                .ok(200);
            assert_eq!(runs["data"].as_array().unwrap().len(), 1);
        }
    }
}

/// A-FORK: what the Session does not retain cannot be forked from, and nothing is made.
#[tokio::test]
async fn an_event_that_is_not_retained_is_refused() {
    let world = World::new().await;
    let (source, other) = (world.session().await, world.session().await);
    turn(&world, &source, &format!("quoting {UNKNOWN_EVENT}")).await;
    let log = world.log(&source).await;
    world.server.control().trim(&source, 4).await.unwrap();
    world.server.control().erase(&source, [6]).await.unwrap();
    let count = sessions(&world).await;
    let foreign = world.log(&other).await[0]["id"].clone();
    for (from, param) in [
        (json!({"seq": 3}), "from.seq"),
        (json!({"seq": 6}), "from.seq"),
        (json!({"seq": log.len() + 1}), "from.seq"),
        (json!({"seq": 9007199254740991u64}), "from.seq"),
        (json!({"seq": 1e30}), "from.seq"),
        (json!({"event_id": log[2]["id"]}), "from.event_id"),
        (json!({"event_id": log[5]["id"]}), "from.event_id"),
        (json!({"event_id": foreign}), "from.event_id"),
        (json!({"event_id": UNKNOWN_EVENT}), "from.event_id"),
    ] {
        let answer = fork(&world, &source, json!({"from": from})).await;
        assert_eq!(
            answer.refused(409, "runtime.event_not_retained").param(),
            Some(param),
            "{from}"
        );
    }
    assert_eq!(sessions(&world).await, count);
}

/// A-ORDER, FRK-3, A-CAP: a body that is wrong is refused by the member; a Checkpoint fails closed, before anything else is
/// looked at; an unknown Session comes before the body.
#[tokio::test]
async fn a_bad_fork_is_refused_by_name() {
    let world = World::new().await;
    let source = world.session().await;
    let event = world.log(&source).await[0]["id"].clone();
    for (body, param) in [
        (json!({"from": {}}), Some("from")),
        (json!({"from": {"seq": 1, "event_id": event}}), Some("from")),
        (json!({"from": 1}), Some("from")),
        (json!({"from": null}), Some("from")),
        (json!({"checkpoint_id": null}), Some("checkpoint_id")),
        (json!({"from": {"seq": 0}}), Some("from.seq")),
        (json!({"from": {"seq": -1}}), Some("from.seq")),
        (json!({"from": {"seq": 1.5}}), Some("from.seq")),
        (json!({"from": {"seq": "1"}}), Some("from.seq")),
        (json!({"from": {"event_id": "evt_1"}}), Some("from.event_id")),
        (json!({"from": {"seq": 1, "run_id": "r"}}), Some("from.run_id")),
        (json!({"form": {"seq": 1}}), Some("form")),
        (json!([]), None),
    ] {
        let answer = fork(&world, &source, body.clone()).await;
        assert_eq!(
            answer.refused(400, "request.invalid_body").param(),
            param,
            "{body}"
        );
    }
    let unknown = "sess_00000000000000000000000000000bad";
    fork(&world, unknown, json!({"from": 1}))
        .await
        .refused(404, "resource.not_found");
    let checkpoint = json!({"checkpoint_id": "ckpt_0123456789abcdef0123456789abcdef", "from": 1});
    for session in [&source, unknown] {
        let answer = fork(&world, session, checkpoint.clone())
            .await
            .refused(403, "capability.disabled");
        assert_eq!(
            answer.json["error"]["details"],
            json!({"capability": "checkpoints"})
        );
    }
    assert_eq!(sessions(&world).await, 1);
    fork(&world, &source, json!({})).await.ok(201);
}

/// A-IDEM: a repeated call is answered with the fork that it made.
#[tokio::test]
async fn a_repeated_fork_is_the_same_fork() {
    let world = World::new().await;
    let source = world.session().await;
    let keyed = world.client.with("idempotency-key", "once");
    let path = format!("/v1/sessions/{source}/fork");
    let first = keyed.post(&path, &json!({})).await.ok(201);
    assert_eq!(keyed.post(&path, &json!({})).await.ok(201), first);
    let other = keyed.post(&path, &json!({"from": {"seq": 1}})).await;
    other.refused(422, "idempotency.key_reused");
    assert_eq!(sessions(&world).await, 2);
}

/// A-FORK, FRK-2: whatever the status of the source, the fork begins idle with nothing of its work, and works on.
#[tokio::test]
async fn any_status_can_be_forked() {
    for (act, status) in [("complete", "completed"), ("cancel", "canceled")] {
        let world = World::new().await;
        let source = world.session().await;
        turn(&world, &source, "first").await;
        world
            .client
            .post(&format!("/v1/sessions/{source}/{act}"), &json!({}))
            .await
            .ok(200);
        let log = world.log(&source).await;
        let made = id(&fork(&world, &source, json!({})).await.ok(201));
        assert_eq!(world.log(&made).await[..log.len()], copies(&log, &made));
        let mut stream = Frames::open(&world.client, &made, None).await;
        stream.until(&format!("session.status_{status}")).await;
        stream.until("session.status_idle").await;
        turn(&world, &made, "on").await;
        assert_eq!(stream.until("run.completed").await[1]["type"], "run.created");
        assert_eq!(world.read(&source).await["status"], status);
    }

    let (world, clock) = World::standing_still().await;
    let source = world.session().await;
    let ended = world.session().await;
    world
        .client
        .post(&format!("/v1/sessions/{ended}/complete"), &json!({}))
        .await
        .ok(200);
    let made = id(&fork(&world, &ended, json!({})).await.ok(201));
    clock.advance(STEP);
    for (session, seconds) in [(&ended, 0.0), (&made, STEP.as_secs_f64())] {
        let threads = format!("/v1/sessions/{session}/threads");
        let threads = world.client.get(&threads).await.ok(200);
        assert_eq!(threads["data"][0]["stats"]["duration_seconds"], seconds);
    }
    let pending = fork(&world, &source, json!({})).await.ok(201);
    assert_eq!(
        (&pending["status"], &pending["last_seq"]),
        (&json!("idle"), &json!(3))
    );
    world.say(&source, "active").await;
    world.say(&source, "queued").await;
    while world.read(&source).await["status"] != "running" {
        clock.advance(STEP);
    }
    let made = id(&fork(&world, &source, json!({})).await.ok(201));
    let length = world.log(&made).await.len();
    assert_eq!(world.read(&made).await["status"], "idle");
    while world.read(&source).await["status"] != "idle" {
        clock.advance(STEP);
    }
    assert_eq!(
        world.log(&made).await.len(),
        length,
        "no Run of the source goes on in the fork"
    );
}

/// A-FORK, A-ID: a fork of a fork has the events of both, still with their first identifiers and numbers.
#[tokio::test]
async fn a_fork_can_be_forked() {
    let world = World::new().await;
    let source = world.session().await;
    turn(&world, &source, "first").await;
    let child = id(&fork(&world, &source, json!({"from": {"seq": 5}})).await.ok(201));
    turn(&world, &child, "second").await;
    let log = world.log(&child).await;
    let created = fork(&world, &child, json!({})).await.ok(201);
    let grandchild = id(&created);
    assert_eq!(created["forked_from"]["session_id"], json!(child));
    let copied = world.log(&grandchild).await;
    assert_eq!(copied[..log.len()], copies(&log, &grandchild));
    assert_eq!(all(&copied[..5], "id"), all(&world.log(&source).await[..5], "id"));
    assert_eq!(copied[5]["payload"]["source_session_id"], json!(source));
    turn(&world, &grandchild, "third").await;
    let early = fork(&world, &grandchild, json!({"from": {"seq": 3}}))
        .await
        .ok(201);
    assert_eq!(early["last_seq"], 5);
}

/// FRK-2, A-FORK: neither side changes the other, whatever is done to it: input, trim, erasure, ends.
#[tokio::test]
async fn the_sides_live_apart() {
    for first_is_source in [true, false] {
        let world = World::new().await;
        let source = world.session().await;
        turn(&world, &source, "shared").await;
        let made = id(&fork(&world, &source, json!({})).await.ok(201));
        let (changed, kept) = if first_is_source {
            (&source, &made)
        } else {
            (&made, &source)
        };
        let before = (
            world.read(kept).await,
            world.log(kept).await,
            threads(&world, kept).await,
        );
        turn(&world, changed, "more").await;
        world.server.control().erase(changed, [2, 5]).await.unwrap();
        world.server.control().trim(changed, 4).await.unwrap();
        world
            .client
            .post(&format!("/v1/sessions/{changed}/complete"), &json!({}))
            .await
            .ok(200);
        assert_eq!(world.read(changed).await["first_seq"], 4);
        let after = (
            world.read(kept).await,
            world.log(kept).await,
            threads(&world, kept).await,
        );
        assert_eq!(before, after);
        turn(&world, kept, "still here").await;
        let from_one = world.log(kept).await;
        assert_eq!(from_one[0]["seq"], 1);
    }
}

/// A-FORK, A-SEQ: holes stay holes and what was trimmed stays trimmed; the state is what the whole log made it. The head is
/// there to fork from even when its event is gone.
#[tokio::test]
async fn what_is_gone_stays_gone_in_the_fork() {
    let world = World::new().await;
    let source = world.session().await;
    turn(&world, &source, "first").await;
    turn(&world, &source, "second").await;
    let last = world.read(&source).await["last_seq"].as_u64().unwrap();
    let head = world.log(&source).await.last().unwrap()["id"].clone();
    world.server.control().trim(&source, 5).await.unwrap();
    world
        .server
        .control()
        .erase(&source, [7, 8, 10, last])
        .await
        .unwrap();
    let created = fork(&world, &source, json!({})).await.ok(201);
    assert_eq!(created["forked_from"]["event_id"], head);
    assert_eq!(
        (&created["first_seq"], &created["last_seq"]),
        (&json!(5), &json!(last + 2))
    );
    let made = id(&created);
    let kept = world.log(&source).await;
    assert_eq!(world.log(&made).await[..kept.len()], copies(&kept, &made));
    let gone = world
        .client
        .get(&format!("/v1/sessions/{made}/events?after=2"))
        .await;
    gone.refused(410, "runtime.cursor_expired");
    turn(&world, &made, "third").await;

    world.server.control().trim(&source, u64::MAX).await.unwrap();
    let bare = fork(&world, &source, json!({})).await.ok(201);
    assert_eq!(
        (&bare["first_seq"], &bare["last_seq"]),
        (&json!(last + 1), &json!(last + 2))
    );
    assert_eq!(bare["forked_from"]["event_id"], head);
    assert_eq!(bare["usage"], created["usage"]);
    turn(&world, &id(&bare), "fourth").await;
}

/// SES-1, A-FORK: a fork is on the disk when it is answered, and goes on after a restart, however early it left its source.
#[tokio::test]
async fn a_fork_survives_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let builder = || {
        MockServer::builder()
            .data_dir(directory.path())
            .step_delay(Duration::ZERO)
    };
    let world = World::with(builder()).await;
    let source = world.session_of("custom_tool").await;
    world.say(&source, "one").await;
    world.until_status(&source, "waiting").await;
    let pending = answer(&world.log(&source).await);
    let made = id(&fork(&world, &source, json!({})).await.ok(201));
    let early = id(&fork(&world, &source, json!({"from": {"seq": 4}})).await.ok(201));
    let mut before = Vec::new();
    for session in [&made, &early] {
        before.push((world.read(session).await, world.log(session).await));
    }
    world.server.shutdown().await;

    let world = World::with(builder()).await;
    for (session, before) in [&made, &early].into_iter().zip(before) {
        assert_eq!((world.read(session).await, world.log(session).await), before);
        world.say(session, "on").await;
        world.until_status(session, "waiting").await;
    }
    let stale = world
        .post(&made, "user.custom_tool_result", pending.clone())
        .await;
    stale.refused(409, "runtime.stale_wait");
    world
        .post(&source, "user.custom_tool_result", pending)
        .await
        .ok(202);
    let threads = threads(&world, &made).await;
    assert_eq!(threads[0]["created_at"], world.read(&source).await["created_at"]);
}

const UNKNOWN_EVENT: &str = "evt_00000000000000000000000000000bad";

/// The events as copies under another Session.
fn copies(events: &[Value], session: &str) -> Vec<Value> {
    events
        .iter()
        .map(|event| {
            let mut event = event.clone();
            event["session_id"] = session.into();
            event
        })
        .collect()
}

/// The answer to the latest call of the application.
fn answer(log: &[Value]) -> Value {
    let call = latest(log, "agent.tool_use");
    json!({"tool_use_id": call["payload"]["tool_use_id"], "result": {"status": "sent"}})
}

async fn fork(world: &World, source: &str, body: Value) -> Answer {
    world
        .client
        .post(&format!("/v1/sessions/{source}/fork"), &body)
        .await
}

async fn turn(world: &World, session: &str, text: &str) {
    let path = format!("/v1/sessions/{session}/events");
    let posted = world.client.post(&path, &message(text)).await.ok(202);
    let mut stream = Frames::open(&world.client, session, posted["seq"].as_u64()).await;
    stream.until("session.status_idle").await;
}

async fn threads(world: &World, session: &str) -> Vec<Value> {
    let page = world
        .client
        .get(&format!("/v1/sessions/{session}/threads"))
        .await
        .ok(200);
    let mut threads = page["data"].as_array().unwrap().clone();
    // The one member that the clock moves.
    threads
        .iter_mut()
        .for_each(|thread| thread["stats"]["duration_seconds"] = Value::Null);
    threads
}

async fn sessions(world: &World) -> usize {
    let page = world.client.get("/v1/sessions?limit=1000").await.ok(200);
    page["data"].as_array().unwrap().len()
}

fn id(session: &Value) -> String {
    session["id"].as_str().unwrap().to_owned()
}
