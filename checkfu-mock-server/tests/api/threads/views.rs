//! Views and cursors of threads (THR-5, THR-6, A-VIEW, A-GAP).

use serde_json::{Value, json};

use super::{coordinated, id};
use crate::support::frames::Frames;
use crate::support::world::World;

/// A-VIEW, THR-5, LST-3: one `seq` for all; the primary's list is the Session's; a child's has all of the child and nothing
/// else; what is shared stands in both, the same; streams agree with lists.
#[tokio::test]
async fn views_show_what_they_should() {
    let world = World::new().await;
    let session = world.session_of("coordinator").await;
    let (log, threads) = coordinated(&world, &session).await;
    let events = async |thread: &Value| {
        let path = format!("/v1/sessions/{session}/threads/{}/events?limit=1000", id(thread));
        world.client.get(&path).await.ok(200)["data"]
            .as_array()
            .unwrap()
            .clone()
    };
    assert_eq!(events(&threads[0]).await, log);
    let local = [
        "run.created",
        "run.started",
        "run.completed",
        "run.waiting",
        "agent.message",
        "agent.thinking",
    ];
    let mut all = log.clone();
    for child in &threads[1..] {
        let own = events(child).await;
        assert!(own.iter().all(|event| event["session_thread_id"] == child["id"]));
        assert_eq!(own[0]["type"], "session.thread_created");
        for event in &own {
            let kind = event["type"].as_str().unwrap();
            let shared = log.contains(event);
            if local.contains(&kind) {
                assert!(!shared, "{event}");
            }
            if kind.starts_with("session.thread") || kind.starts_with("agent.thread_message") {
                assert!(shared, "{event}");
            }
            if kind == "agent.tool_use" {
                assert_eq!(shared, event["payload"]["kind"] == "custom", "{event}");
            }
            if !shared {
                all.push(event.clone());
            }
        }
        let path = format!("/v1/sessions/{session}/threads/{}/stream", id(child));
        let mut stream = Frames::open_path(&world.client, &path, None).await;
        let mut streamed = Vec::new();
        while streamed.len() < own.len() {
            streamed.push(stream.event().await.unwrap());
        }
        assert_eq!(streamed, own);
    }
    let mut seqs: Vec<u64> = all.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    seqs.sort_unstable();
    let last = world.read(&session).await["last_seq"].as_u64().unwrap();
    assert_eq!(
        seqs,
        (1..=last).collect::<Vec<_>>(),
        "every seq is in some view, once"
    );
}

/// A-GAP, THR-6, A-VIEW: a thread's cursors are the Session's `seq`, and are held against the Session's log.
#[tokio::test]
async fn thread_cursors_are_of_the_session() {
    let world = World::new().await;
    let session = world.session_of("coordinator").await;
    let (_, threads) = coordinated(&world, &session).await;
    let last = world.read(&session).await["last_seq"].as_u64().unwrap();
    let base = format!("/v1/sessions/{session}/threads/{}", id(&threads[1]));
    let ahead = world.client.with("last-event-id", &(last + 1).to_string());
    let refused = ahead
        .get(&format!("{base}/stream"))
        .await
        .refused(409, "runtime.cursor_ahead");
    assert_eq!(refused.json["error"]["details"]["last_seq"], last);
    let beyond = world
        .client
        .get(&format!("{base}/events?after={last}"))
        .await
        .ok(200);
    assert_eq!(beyond["data"], json!([]));
    let both = world.client.get(&format!("{base}/events?after=1&page=x")).await;
    both.refused(400, "request.conflicting_parameters");
    let bad = world
        .client
        .with("last-event-id", "x")
        .get(&format!("{base}/stream"))
        .await;
    bad.refused(400, "request.invalid_cursor");
    let all = world
        .client
        .get(&format!("{base}/events?limit=1000"))
        .await
        .ok(200);
    let all = all["data"].as_array().unwrap();
    let middle = all[3]["seq"].as_u64().unwrap();
    let rest = world
        .client
        .get(&format!("{base}/events?after={middle}&limit=1000"))
        .await
        .ok(200);
    assert_eq!(rest["data"].as_array().unwrap()[..], all[4..]);
    let (mut walked, mut next) = (Vec::new(), format!("{base}/events?limit=2"));
    loop {
        let page = world.client.get(&next).await.ok(200);
        walked.extend(page["data"].as_array().unwrap().iter().cloned());
        match page["next_page"].as_str() {
            Some(token) => next = format!("{base}/events?limit=2&page={token}"),
            None => break,
        }
    }
    assert_eq!(walked, *all);
}
