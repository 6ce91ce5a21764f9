//! Trimmed and erased logs (A-GAP, A-SEQ): what is gone is told or skipped, and the state stays.

use std::time::Duration;

use bytes::Bytes;
use checkfu_mock_server::{MockServer, RetentionError};
use serde_json::{Value, json};

use crate::support::client::Answer;
use crate::support::frames::Frames;
use crate::support::random::Random;
use crate::support::world::{STEP, World, all, latest};

/// A-GAP: below a trim a cursor has expired, list and stream; zero, none and the one right before the first retained event
/// have not. Above the head nothing changed.
#[tokio::test]
async fn cursors_below_a_trim_have_expired() {
    let world = World::new().await;
    let session = world.session().await;
    turn(&world, &session, "one").await;
    let log = world.log(&session).await;
    let last = log.len() as u64;
    let trimmed = world.server.control().trim(&session, 6).await.unwrap();
    assert_eq!(
        (trimmed.removed, trimmed.first_seq, trimmed.last_seq),
        (5, 6, last)
    );
    let read = world.read(&session).await;
    assert_eq!((&read["first_seq"], &read["last_seq"]), (&json!(6), &json!(last)));
    for cursor in 1..=4 {
        for answer in [
            list(&world, &session, cursor).await,
            stream(&world, &session, cursor).await,
        ] {
            let gone = answer.refused(410, "runtime.cursor_expired");
            assert_eq!(
                gone.json["error"]["details"],
                json!({"first_seq": 6, "last_seq": last})
            );
        }
    }
    for cursor in [0, 5, 6, last - 1] {
        let rest = &log[usize::try_from(cursor).unwrap().max(5)..];
        assert_eq!(list(&world, &session, cursor).await.ok(200)["data"], json!(rest));
        let mut frames = Frames::open(&world.client, &session, Some(cursor)).await;
        for event in rest {
            assert_eq!(frames.event().await.as_ref(), Some(event));
        }
    }
    assert_eq!(world.log(&session).await, log[5..]);
    assert_eq!(list(&world, &session, last + 1).await.ok(200)["data"], json!([]));
    stream(&world, &session, last + 1)
        .await
        .refused(409, "runtime.cursor_ahead");
    let again = world.server.control().trim(&session, 6).await.unwrap();
    assert_eq!((again.removed, again.first_seq), (0, 6));
    let lower = world.server.control().trim(&session, 2).await.unwrap();
    assert_eq!((lower.removed, lower.first_seq), (0, 6));
}

/// A-SEQ, A-GAP: an erased event is a hole that lists, pages and streams pass over; a cursor in or before it is good.
#[tokio::test]
async fn erased_events_are_holes() {
    let world = World::new().await;
    let session = world.session().await;
    turn(&world, &session, "one").await;
    let log = world.log(&session).await;
    let last = log.len() as u64;
    let before = world.read(&session).await;
    let erased = world
        .server
        .control()
        .erase(&session, [1, 2, 5, last, last + 7, 0])
        .await
        .unwrap();
    assert_eq!((erased.removed, erased.first_seq, erased.last_seq), (4, 1, last));
    assert_eq!(world.read(&session).await, before);
    let kept: Vec<Value> = log
        .iter()
        .filter(|event| ![1, 2, 5, last].contains(&event["seq"].as_u64().unwrap()))
        .cloned()
        .collect();
    assert_eq!(world.log(&session).await, kept);
    for cursor in 0..=last {
        let rest: Vec<&Value> = kept
            .iter()
            .filter(|event| event["seq"].as_u64() > Some(cursor))
            .collect();
        assert_eq!(list(&world, &session, cursor).await.ok(200)["data"], json!(rest));
        let mut frames = Frames::open(&world.client, &session, Some(cursor)).await;
        for event in rest {
            assert_eq!(frames.event().await.as_ref(), Some(event));
        }
    }
    let path = format!("/v1/sessions/{session}/events?limit=2");
    let (mut walked, mut page) = (Vec::new(), world.client.get(&path).await.ok(200));
    loop {
        walked.extend(page["data"].as_array().unwrap().clone());
        let Some(next) = page["next_page"].as_str() else {
            break;
        };
        page = world.client.get(&format!("{path}&page={next}")).await.ok(200);
    }
    assert_eq!(walked, kept);
    let again = world
        .server
        .control()
        .erase(&session, [1, 2, 5, last])
        .await
        .unwrap();
    assert_eq!((again.removed, again.last_seq), (0, last));
    turn(&world, &session, "two").await;
    assert_eq!(world.log(&session).await[kept.len()]["seq"], last + 1);
}

/// A-GAP, SES-5: the end of the log never goes back: neither a trim of everything nor an erased head gives numbers out
/// again.
#[tokio::test]
async fn the_end_of_the_log_never_goes_back() {
    let world = World::new().await;
    for everything in [true, false] {
        let session = world.session().await;
        turn(&world, &session, "one").await;
        let before = world.read(&session).await;
        let last = before["last_seq"].as_u64().unwrap();
        let retention = if everything {
            world.server.control().trim(&session, u64::MAX).await.unwrap()
        } else {
            world.server.control().erase(&session, 1..=last).await.unwrap()
        };
        let first = if everything { last + 1 } else { 1 };
        assert_eq!(
            (retention.removed as u64, retention.first_seq, retention.last_seq),
            (last, first, last)
        );
        let read = world.read(&session).await;
        assert_eq!(read["first_seq"], first);
        for member in ["last_seq", "status", "stop_reason", "usage", "updated_at"] {
            assert_eq!(read[member], before[member], "{member}");
        }
        assert_eq!(world.log(&session).await, Vec::<Value>::new());
        if everything {
            let gone = list(&world, &session, 3)
                .await
                .refused(410, "runtime.cursor_expired");
            assert_eq!(
                gone.json["error"]["details"],
                json!({"first_seq": first, "last_seq": last})
            );
        }
        assert_eq!(list(&world, &session, last).await.ok(200)["data"], json!([]));
        let mut live = Frames::open(&world.client, &session, Some(last)).await;
        let posted = world.say(&session, "two").await;
        assert_eq!(posted["seq"], last + 1);
        assert_eq!(live.event().await, Some(posted));
    }
}

/// A-GAP, STR-7: a trim closes an open stream that had not got so far, and leaves one that had alone.
#[tokio::test]
async fn a_stream_that_a_trim_overtakes_is_closed() {
    let world = World::new().await;
    let session = world.session().await;
    for _ in 0..40 {
        let text = "x".repeat(200_000);
        world.say(&session, &text).await;
    }
    world.until_status(&session, "idle").await;
    let mut slow = Frames::open(&world.client, &session, None).await;
    let first = slow.event().await.unwrap();
    assert_eq!(first["seq"], 1);
    let last = world.read(&session).await["last_seq"].as_u64().unwrap();
    let mut at_head = Frames::open(&world.client, &session, Some(last)).await;
    let trimmed = world.server.control().trim(&session, last).await.unwrap();
    assert_eq!(trimmed.first_seq, last);
    let mut seen = 1;
    while let Some(event) = slow.event().await {
        let seq = event["seq"].as_u64().unwrap();
        assert_eq!(seq, seen + 1, "nothing is left out in silence");
        seen = seq;
    }
    assert!(seen < last - 1, "the stream held more than it may");
    stream(&world, &session, seen)
        .await
        .refused(410, "runtime.cursor_expired");
    let posted = world.say(&session, "live").await;
    assert_eq!(at_head.event().await, Some(posted));
}

/// A-GAP: a Run that is at work is not disturbed by what happens to the log behind it.
#[tokio::test]
async fn a_run_goes_on_over_a_trim() {
    let (world, clock) = World::standing_still().await;
    let session = world.session().await;
    let posted = world.say(&session, "one").await;
    while world.read(&session).await["status"] != "running" {
        clock.advance(STEP);
    }
    // A step may still be due, so the head is where this read it.
    let before = world.log(&session).await;
    let head = before.last().unwrap()["seq"].as_u64().unwrap();
    let trimmed = world.server.control().trim(&session, head).await.unwrap();
    assert_eq!(trimmed.first_seq, head);
    while world.read(&session).await["status"] != "idle" {
        clock.advance(STEP);
    }
    let log = world.log(&session).await;
    assert_eq!(log[0]["seq"], head);
    let completed = log.iter().find(|event| event["type"] == "run.completed").unwrap();
    assert_eq!(completed["run_id"], posted["run_id"]);
    let gone = &before[..before.len() - 1];
    let all = gone.iter().chain(&log);
    assert_eq!(all.filter(|event| event["type"] == "agent.message").count(), 3);
}

/// A-GAP, A-GEN, THR-9: a wait whose beginning is gone is still open; its answer is repeated as long as it is retained, and
/// is stale after.
#[tokio::test]
async fn waits_survive_and_gone_answers_are_stale() {
    let world = World::new().await;
    let session = world.session_of("custom_tool").await;
    world.say(&session, "one").await;
    world.until_status(&session, "waiting").await;
    let call = latest(&world.log(&session).await, "agent.tool_use")["payload"]["tool_use_id"].clone();
    world.server.control().trim(&session, u64::MAX).await.unwrap();
    let answer = json!({"tool_use_id": call, "result": {"status": "sent"}});
    let accepted = world
        .post(&session, "user.custom_tool_result", answer.clone())
        .await
        .ok(202);
    world.until_status(&session, "idle").await;
    let repeated = world
        .post(&session, "user.custom_tool_result", answer.clone())
        .await
        .ok(200);
    assert_eq!(repeated, accepted);
    world
        .server
        .control()
        .erase(&session, accepted["seq"].as_u64())
        .await
        .unwrap();
    let stale = world.post(&session, "user.custom_tool_result", answer).await;
    stale.refused(409, "runtime.stale_wait");
}

/// THR-5, THR-6, A-CURSOR: threads are views of the same log, so a trim and an erasure reach them too.
#[tokio::test]
async fn threads_share_the_retention_of_their_session() {
    let world = World::new().await;
    let session = world.session_of("coordinator").await;
    world.say(&session, "checkfu").await;
    world
        .until_logged(&session, "session.thread_status_idle", 3)
        .await;
    world.until_logged(&session, "run.completed", 3).await;
    world.until_status(&session, "waiting").await;
    let threads = world
        .client
        .get(&format!("/v1/sessions/{session}/threads"))
        .await
        .ok(200);
    let child = threads["data"][1]["id"].as_str().unwrap();
    let path = format!("/v1/sessions/{session}/threads/{child}");
    let events = world
        .client
        .get(&format!("{path}/events?limit=1000"))
        .await
        .ok(200);
    let events = events["data"].as_array().unwrap();
    let (second, third) = (
        events[1]["seq"].as_u64().unwrap(),
        events[2]["seq"].as_u64().unwrap(),
    );
    world.server.control().erase(&session, [third]).await.unwrap();
    world.server.control().trim(&session, second).await.unwrap();
    let left = world
        .client
        .get(&format!("{path}/events?limit=1000"))
        .await
        .ok(200);
    let mut expected = events[1..].to_vec();
    expected.remove(1);
    assert_eq!(left["data"], json!(expected));
    let gone = world.client.get(&format!("{path}/events?after=1")).await;
    gone.refused(410, "runtime.cursor_expired");
    let behind = world.client.with("last-event-id", "1");
    let gone = behind.call("GET", &format!("{path}/stream"), Bytes::new()).await;
    gone.refused(410, "runtime.cursor_expired");
    assert_eq!(world.client.get(&path).await.ok(200)["id"], json!(child));
}

/// A-GAP, SES-1: Sessions of every shape, with random events taken out of them and a restart in between, show the same
/// resources as before, and go on.
#[tokio::test]
async fn the_state_survives_random_removals_and_a_restart() {
    let mut random = Random::seeded("the_state_survives_random_removals_and_a_restart");
    let directory = tempfile::tempdir().unwrap();
    let builder = || {
        MockServer::builder()
            .data_dir(directory.path())
            .step_delay(Duration::ZERO)
    };
    let world = World::with(builder()).await;
    let mut sessions = Vec::new();
    for (deployment, status) in [
        ("plain", "idle"),
        ("custom_tool", "waiting"),
        ("approval", "waiting"),
        ("question", "paused"),
        ("governed_tool", "waiting"),
        ("several_actions", "waiting"),
    ] {
        let session = world.session_of(deployment).await;
        world.say(&session, "hello").await;
        world.until_status(&session, status).await;
        sessions.push(session);
    }
    let mut before = Vec::new();
    for session in &sessions {
        let last = world.read(session).await["last_seq"].as_u64().unwrap();
        let mut expected = resources(&world, session).await;
        for _ in 0..3 {
            if random.below(3) == 0 {
                world
                    .server
                    .control()
                    .trim(session, random.below(last + 2))
                    .await
                    .unwrap();
            } else {
                let count = random.below(last);
                let seqs: Vec<u64> = (0..count).map(|_| random.below(last + 1)).collect();
                world.server.control().erase(session, seqs).await.unwrap();
            }
        }
        let after = resources(&world, session).await;
        expected[0]["first_seq"] = after[0]["first_seq"].clone();
        assert_eq!(after, expected);
        before.push((after, world.log(session).await));
    }
    world.server.shutdown().await;

    let world = World::with(builder()).await;
    for (session, before) in sessions.iter().zip(before) {
        assert_eq!(
            (resources(&world, session).await, world.log(session).await),
            before
        );
        world.post(session, "user.interrupt", json!({})).await.ok(202);
        world.until_status(session, "idle").await;
        let statuses = resources(&world, session).await[1]["data"].clone();
        let statuses = all(statuses.as_array().unwrap(), "status")
            .into_iter()
            .cloned()
            .collect::<Vec<_>>();
        assert!(
            ["completed", "canceled"].contains(&statuses[0].as_str().unwrap()),
            "{statuses:?}"
        );
        let posted = world.say(session, "again").await;
        world.until_logged(session, "run.started", 1).await;
        assert!(posted["seq"].as_u64() > before.0[0]["last_seq"].as_u64());
    }
}

/// A Session that does not exist is told by its name.
#[tokio::test]
async fn an_unknown_session_is_told() {
    let world = World::new().await;
    for id in ["sess_00000000000000000000000000000bad", "nonsense"] {
        let unknown = RetentionError::UnknownSession { id: id.to_owned() };
        assert_eq!(world.server.control().trim(id, 1).await, Err(unknown.clone()));
        assert_eq!(world.server.control().erase(id, [1]).await, Err(unknown));
    }
}

/// Session, Runs, threads and approvals, without what the clock changes.
async fn resources(world: &World, session: &str) -> [Value; 4] {
    let path = format!("/v1/sessions/{session}");
    let runs = world.client.get(&format!("{path}/runs")).await.ok(200);
    let mut threads = world.client.get(&format!("{path}/threads")).await.ok(200);
    for thread in threads["data"].as_array_mut().unwrap() {
        thread.as_object_mut().unwrap().remove("stats");
    }
    let approvals = world
        .client
        .get(&format!("{path}/action_approvals"))
        .await
        .ok(200);
    [world.read(session).await, runs, threads, approvals]
}

async fn list(world: &World, session: &str, after: u64) -> Answer {
    world
        .client
        .get(&format!("/v1/sessions/{session}/events?after={after}"))
        .await
}

/// A stream that is refused.
async fn stream(world: &World, session: &str, cursor: u64) -> Answer {
    let client = world.client.with("last-event-id", &cursor.to_string());
    client
        .call(
            "GET",
            &format!("/v1/sessions/{session}/events/stream"),
            Bytes::new(),
        )
        .await
}

async fn turn(world: &World, session: &str, text: &str) {
    let posted = world.say(session, text).await;
    let mut stream = Frames::open(&world.client, session, posted["seq"].as_u64()).await;
    stream.until("session.status_idle").await;
}
