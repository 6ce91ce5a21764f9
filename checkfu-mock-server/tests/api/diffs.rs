//! Diffs: what two Sessions with common history have of their own (DIF-1, A-DIFF).

use serde_json::{Value, json};

use crate::support::client::Answer;
use crate::support::frames::Frames;
use crate::support::world::World;

/// DIF-1, A-DIFF: a Session and its fork part where the fork left, and each side is its own tail.
#[tokio::test]
async fn a_fork_and_its_source_part_where_the_fork_left() {
    let world = World::new().await;
    let source = world.session().await;
    turn(&world, &source, "shared").await;
    let made = fork(&world, &source, Some(5)).await;
    turn(&world, &made, "apart").await;
    let there = diff(&world, &source, &made).await.ok(200);
    assert_eq!(there["base"], json!({"session_id": source, "seq": 5}));
    assert_eq!(
        there["left"],
        json!({"events": above(&world, &source, 5).await, "truncated": false})
    );
    assert_eq!(
        there["right"],
        json!({"events": above(&world, &made, 5).await, "truncated": false})
    );
    assert_eq!(there["right"]["events"][0]["type"], "session.forked");
    assert_eq!(there["unavailable"], json!([]));
    let back = diff(&world, &made, &source).await.ok(200);
    assert_eq!(
        (&back["base"], &back["left"], &back["right"]),
        (&there["base"], &there["right"], &there["left"])
    );
}

/// A-DIFF: siblings, a fork of a fork and a Session with itself: the base is the last event that both have, named by the
/// Session that it was first written to.
#[tokio::test]
async fn the_base_is_the_last_common_event() {
    let world = World::new().await;
    let source = world.session().await;
    turn(&world, &source, "shared").await;
    let early = fork(&world, &source, Some(4)).await;
    let late = fork(&world, &source, Some(8)).await;
    turn(&world, &late, "own").await;
    let below = fork(&world, &late, Some(6)).await;
    let beyond = fork(&world, &late, Some(12)).await;
    for (left, right, writer, seq) in [
        (&early, &late, &source, 4),
        (&late, &below, &source, 6),
        (&source, &below, &source, 6),
        (&late, &beyond, &late, 12),
        (&beyond, &source, &source, 8),
        (&below, &beyond, &source, 6),
        (&early, &beyond, &source, 4),
    ] {
        let found = diff(&world, left, right).await.ok(200);
        assert_eq!(found["base"], json!({"session_id": writer, "seq": seq}));
        assert_eq!(found["left"]["events"], json!(above(&world, left, seq).await));
        assert_eq!(found["right"]["events"], json!(above(&world, right, seq).await));
    }
    for session in [&source, &late] {
        let head = world.read(session).await["last_seq"].clone();
        let same = diff(&world, session, session).await.ok(200);
        assert_eq!(same["base"], json!({"session_id": session, "seq": head}));
        let empty = json!({"events": [], "truncated": false});
        assert_eq!((&same["left"], &same["right"]), (&empty, &empty));
    }
}

/// DIF-1: what is gone above the base is listed by Session, range and reason, and nothing below it is.
#[tokio::test]
async fn what_is_gone_is_listed_and_not_guessed() {
    let world = World::new().await;
    let source = world.session().await;
    turn(&world, &source, "one").await;
    let made = fork(&world, &source, Some(6)).await;
    turn(&world, &source, "two").await;
    turn(&world, &made, "three").await;
    let last = world.read(&made).await["last_seq"].as_u64().unwrap();
    world.server.control().trim(&source, 9).await.unwrap();
    world.server.control().erase(&source, [12]).await.unwrap();
    world
        .server
        .control()
        .erase(&made, [3, 6, 7, 8, 11, 13, 12, last])
        .await
        .unwrap();
    let found = diff(&world, &source, &made).await.ok(200);
    assert_eq!(found["base"]["seq"], 6);
    let gone = |session: &str, from: u64, to: u64, reason: &str| json!({"session_id": session, "from_seq": from, "to_seq": to, "reason": reason});
    assert_eq!(
        found["unavailable"],
        json!([
            gone(&source, 7, 8, "expired"),
            gone(&source, 12, 12, "erased"),
            gone(&made, 7, 8, "erased"),
            gone(&made, 11, 13, "erased"),
            gone(&made, last, last, "erased"),
        ])
    );
    for (side, session) in [("left", &source), ("right", &made)] {
        assert_eq!(found[side]["events"], json!(above(&world, session, 6).await));
    }
    // Everything below the base went with the trim, and is no part of the comparison.
    world.server.control().trim(&made, 6).await.unwrap();
    let again = diff(&world, &source, &made).await.ok(200);
    assert_eq!(again["unavailable"], found["unavailable"]);
    world.server.control().trim(&made, u64::MAX).await.unwrap();
    let bare = diff(&world, &made, &source).await.ok(200);
    assert_eq!(bare["unavailable"][0], gone(&made, 7, last, "expired"));
    assert_eq!(bare["left"]["events"], json!([]));
}

/// DIF-1, A-FORK: a hole that a fork copied is a hole of the fork, wherever the two part.
#[tokio::test]
async fn a_copied_hole_is_listed() {
    let world = World::new().await;
    let source = world.session().await;
    turn(&world, &source, "one").await;
    let early = fork(&world, &source, Some(4)).await;
    world.server.control().erase(&source, [6, 7]).await.unwrap();
    let late = fork(&world, &source, Some(9)).await;
    let found = diff(&world, &early, &late).await.ok(200);
    assert_eq!(found["base"]["seq"], 4);
    assert_eq!(
        found["unavailable"],
        json!([{"session_id": late, "from_seq": 6, "to_seq": 7, "reason": "erased"}])
    );
}

/// A-DIFF: a side has at most 1000 events, and says when there are more.
#[tokio::test]
async fn a_long_side_is_cut() {
    let world = World::new().await;
    let source = world.session().await;
    let made = fork(&world, &source, None).await;
    let interrupt = json!({});
    for _ in 0..998 {
        world
            .post(&made, "user.interrupt", interrupt.clone())
            .await
            .ok(202);
    }
    let whole = diff(&world, &source, &made).await.ok(200);
    assert_eq!(whole["right"]["truncated"], false);
    assert_eq!(whole["right"]["events"].as_array().unwrap().len(), 1000);
    world.post(&made, "user.interrupt", interrupt).await.ok(202);
    let cut = diff(&world, &source, &made).await.ok(200);
    assert_eq!(cut["right"]["truncated"], true);
    assert_eq!(cut["right"]["events"], whole["right"]["events"]);
    assert_eq!(cut["left"]["truncated"], false);
}

/// A-DIFF, A-ORDER: no common history, and every mistake by its name.
#[tokio::test]
async fn a_bad_diff_is_refused_by_name() {
    let world = World::new().await;
    let (source, stranger) = (world.session().await, world.session().await);
    let made = fork(&world, &source, None).await;
    for (left, right) in [(&source, &stranger), (&stranger, &made)] {
        diff(&world, left, right)
            .await
            .refused(409, "runtime.no_common_history");
    }
    let unknown = "sess_00000000000000000000000000000bad";
    let missing = diff(&world, &source, unknown)
        .await
        .refused(404, "resource.not_found");
    assert_eq!(missing.param(), Some("other"));
    let path = format!("/v1/sessions/{source}/diff");
    for (query, param) in [
        ("", "other"),
        ("?other=", "other"),
        ("?other=sess_1", "other"),
        (&format!("?other={made}&other={made}"), "other"),
        (&format!("?other={made}&limit=1"), "limit"),
    ] {
        let answer = world.client.get(&format!("{path}{query}")).await;
        assert_eq!(
            answer.refused(400, "request.invalid_parameter").param(),
            Some(param),
            "{query}"
        );
    }
    let absent = world.client.get(&format!("/v1/sessions/{unknown}/diff")).await;
    assert_eq!(absent.refused(404, "resource.not_found").param(), None);
}

async fn diff(world: &World, left: &str, right: &str) -> Answer {
    world
        .client
        .get(&format!("/v1/sessions/{left}/diff?other={right}"))
        .await
}

async fn above(world: &World, session: &str, base: u64) -> Vec<Value> {
    let log = world.log(session).await.into_iter();
    log.filter(|event| event["seq"].as_u64().unwrap() > base)
        .collect()
}

async fn fork(world: &World, source: &str, seq: Option<u64>) -> String {
    let body = seq.map_or_else(|| json!({}), |seq| json!({"from": {"seq": seq}}));
    let made = world
        .client
        .post(&format!("/v1/sessions/{source}/fork"), &body)
        .await
        .ok(201);
    made["id"].as_str().unwrap().to_owned()
}

async fn turn(world: &World, session: &str, text: &str) {
    let posted = world.say(session, text).await;
    let mut stream = Frames::open(&world.client, session, posted["seq"].as_u64()).await;
    stream.until("session.status_idle").await;
}
