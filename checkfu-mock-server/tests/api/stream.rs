//! The log by stream.

use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use crate::support::frames::{Frame, Frames, PATIENCE};
use crate::support::world::{STEP, World, all, message, types};

/// A-SRV: headers and a first comment come at once, before there is anything to send.
#[tokio::test]
async fn headers_and_a_first_comment_come_at_once() {
    let (world, _clock) = World::standing_still().await;
    let session = world.session().await;
    let mut stream = Frames::open(&world.client, &session, Some(1)).await;
    assert_eq!(stream.headers["content-type"], "text/event-stream; charset=utf-8");
    assert_eq!(stream.headers["cache-control"], "no-store");
    assert_eq!(stream.headers["x-accel-buffering"], "no");
    assert!(stream.headers.contains_key("request-id"));
    assert_eq!(stream.next().await, Some(Frame::Comment("connected".to_owned())));
}

/// A-SRV: a stream that is silent for 10 s gets a comment, and not before.
#[tokio::test]
async fn a_silent_stream_gets_a_comment_every_ten_seconds() {
    let (world, clock) = World::standing_still().await;
    let session = world.session().await;
    let mut stream = Frames::open(&world.client, &session, Some(1)).await;
    assert_eq!(stream.next().await, Some(Frame::Comment("connected".to_owned())));
    for _ in 0..3 {
        clock.advance(Duration::from_millis(9_999));
        // An answer to another request shows that the server has had its turn.
        world.read(&session).await;
        let early = tokio::time::timeout(Duration::from_millis(20), stream.next()).await;
        assert!(early.is_err(), "{early:?}");
        clock.advance(Duration::from_millis(1));
        assert_eq!(stream.next().await, Some(Frame::Comment("keep-alive".to_owned())));
    }
}

/// STR-1, STR-3: without a cursor a stream starts at the beginning and stays live.
#[tokio::test]
async fn a_stream_replays_from_the_beginning_and_stays_live() {
    let world = World::new().await;
    let session = world.session().await;
    world.say(&session, "one").await;
    let mut stream = Frames::open(&world.client, &session, None).await;
    let replayed = stream.until("session.status_idle").await;
    assert_eq!(replayed[0]["seq"], 1);
    world.say(&session, "two").await;
    let live = stream.until("session.status_idle").await;
    let log = world.log(&session).await;
    assert_eq!([replayed, live].concat(), log);
}

/// STR-2, A-GAP: `Last-Event-ID: N` resumes right after N, for every N; resuming starts nothing again.
#[tokio::test]
async fn a_cursor_resumes_right_after_it() {
    let world = World::new().await;
    let session = world.session().await;
    world.say(&session, "hello").await;
    world.until_status(&session, "idle").await;
    let log = world.log(&session).await;
    for cursor in 0..log.len() as u64 {
        let mut stream = Frames::open(&world.client, &session, Some(cursor)).await;
        let rest = stream.until("session.status_idle").await;
        assert_eq!(rest, log[cursor as usize..], "after {cursor}");
    }
    assert_eq!(world.log(&session).await, log);
}

/// A-GAP: a cursor above the head is told apart from one that is none.
#[tokio::test]
async fn cursors_that_do_not_fit_are_refused() {
    let world = World::new().await;
    let session = world.session().await;
    let path = format!("/v1/sessions/{session}/events/stream");
    let ahead = world
        .client
        .with("last-event-id", "2")
        .get(&path)
        .await
        .refused(409, "runtime.cursor_ahead");
    assert_eq!(ahead.json["error"]["details"]["last_seq"], 1);
    for bad in ["", "x", "-1", "1.0", "0x1"] {
        let answer = world.client.with("last-event-id", bad).get(&path).await;
        assert_eq!(
            answer.refused(400, "request.invalid_cursor").param(),
            Some("Last-Event-ID"),
            "{bad:?}"
        );
    }
    let two = world.client.with("last-event-id", "0").with("last-event-id", "1");
    two.get(&path).await.refused(400, "request.invalid_cursor");
}

/// A-SRV: any `Accept` will do.
#[tokio::test]
async fn any_accept_header_will_do() {
    let world = World::new().await;
    let session = world.session().await;
    let client = world.client.with("accept", "application/json");
    let mut stream = Frames::open(&client, &session, None).await;
    assert_eq!(stream.event().await.unwrap()["type"], "session.status_pending");
}

/// A-SRV, STR-4: while writers append, streams that come and go at any moment lose nothing and double nothing at the
/// seam between replay and live.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_lost_or_doubled_at_the_seam() {
    let world = World::new().await;
    let session = world.session().await;
    let mut writers = JoinSet::new();
    for writer in 0..2 {
        let (client, path) = (world.client.clone(), format!("/v1/sessions/{session}/events"));
        writers.spawn(async move {
            for turn in 0..20 {
                client
                    .post(&path, &message(&format!("{writer}-{turn}")))
                    .await
                    .ok(202);
            }
        });
    }
    let mut readers = JoinSet::new();
    for reader in 0..4_usize {
        let (client, session) = (world.client.clone(), session.clone());
        readers.spawn(async move {
            let mut seen: Vec<Value> = Vec::new();
            // Each reader leaves after some events and comes back, until all 40 Runs have settled.
            while seen
                .iter()
                .filter(|event| event["type"] == "run.completed")
                .count()
                < 40
            {
                let cursor = seen.last().map(|event| event["seq"].as_u64().unwrap());
                let mut stream = Frames::open(&client, &session, cursor).await;
                for _ in 0..=7 + reader * 5 {
                    if seen
                        .iter()
                        .filter(|event| event["type"] == "run.completed")
                        .count()
                        == 40
                    {
                        break;
                    }
                    seen.push(stream.event().await.unwrap());
                }
            }
            seen
        });
    }
    while let Some(written) = writers.join_next().await {
        written.unwrap();
    }
    let log = {
        world.until_status(&session, "idle").await;
        world.log(&session).await
    };
    while let Some(seen) = readers.join_next().await {
        let seen = seen.unwrap();
        assert_eq!(seen, log[..seen.len()]);
    }
}

/// STR-7: a consumer that stalls holds back only itself, and finds everything when it goes on.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stalled_consumer_loses_nothing_and_holds_back_only_itself() {
    let world = World::new().await;
    let session = world.session().await;
    let mut stalled = TcpStream::connect(world.server.address()).await.unwrap();
    let request = format!(
        "GET /v1/sessions/{session}/events/stream HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\n\r\n",
        world.server.api_key()
    );
    stalled.write_all(request.as_bytes()).await.unwrap();
    // Far more than the sockets' buffers hold: 40 messages of 200,000 bytes, each echoed once.
    let text = "x".repeat(200_000);
    for _ in 0..40 {
        world.say(&session, &text).await;
    }
    world.until_status(&session, "idle").await;
    let last = world.read(&session).await["last_seq"].as_u64().unwrap();
    let mut received = Vec::new();
    let marker = format!("\nid: {last}\nevent: session.status_idle\n");
    let mut chunk = vec![0; 1 << 16];
    while !contains(
        &received[received.len().saturating_sub(1 << 17)..],
        marker.as_bytes(),
    ) {
        let read = tokio::time::timeout(PATIENCE, stalled.read(&mut chunk))
            .await
            .unwrap()
            .unwrap();
        assert_ne!(read, 0, "closed before the end");
        received.extend_from_slice(&chunk[..read]);
    }
    let text = String::from_utf8_lossy(&received);
    let ids: Vec<u64> = text
        .lines()
        .filter_map(|line| line.strip_prefix("id: ")?.parse().ok())
        .collect();
    assert_eq!(ids, (1..=last).collect::<Vec<u64>>());
}

fn contains(haystack: &[u8], needle: &[u8]) -> bool {
    haystack.windows(needle.len()).any(|window| window == needle)
}

/// A stream is woken by commits, not by time: with the clock standing still, an event arrives as soon as it commits.
#[tokio::test]
async fn a_commit_wakes_every_stream() {
    let (world, clock) = World::standing_still().await;
    let session = world.session().await;
    let mut streams = Vec::new();
    for _ in 0..3 {
        streams.push(Frames::open(&world.client, &session, Some(1)).await);
    }
    world.say(&session, "hello").await;
    for stream in &mut streams {
        assert_eq!(
            types(&stream.until("run.created").await),
            ["user.message", "run.created"]
        );
    }
    while world.read(&session).await["status"] != "idle" {
        clock.advance(STEP);
    }
    let log = world.log(&session).await;
    for stream in &mut streams {
        assert_eq!(
            all(&stream.until("session.status_idle").await, "id"),
            all(&log[3..], "id")
        );
    }
}
