//! Live previews (PRV-1, PRV-2, PRV-3, A-PRV).

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::frames::{Frame, Frames};
use crate::support::world::{World, types};

const BOTH: &str = "?event_deltas=agent.message&event_deltas=agent.thinking";

/// PRV-1: without being asked for, a stream has no previews.
#[tokio::test]
async fn a_stream_is_durable_only_unless_previews_are_asked_for() {
    let world = World::new().await;
    let session = world.session_of("previews").await;
    let mut stream = Frames::open(&world.client, &session, None).await;
    world.say(&session, "hello").await;
    // A preview would fail the test.
    let events = stream.until("session.status_idle").await;
    assert_eq!(events.len(), world.log(&session).await.len());
}

/// PRV-2, PRV-3, A-PRV: what a message shows before it is there: its start, then pieces that together are its text, under
/// the id that the event gets; and nothing of it after the event. A thought has a start and nothing else. None of it is in
/// the log.
#[tokio::test]
async fn previews_are_a_prefix_under_the_id_of_the_event() {
    let world = World::new().await;
    let session = world.session_of("previews").await;
    let mut stream = watch(&world, &session, BOTH, 1).await;
    world.say(&session, "hello").await;
    let (mut shown, mut events) = (Vec::<(String, Value, String)>::new(), Vec::new());
    loop {
        match stream.next().await.unwrap() {
            Frame::Comment(_) => {}
            Frame::Preview(preview) if preview["type"] == "event_start" => {
                let event = &preview["payload"]["event"];
                let id = event["id"].as_str().unwrap().to_owned();
                shown.push((id, event["type"].clone(), String::new()));
            }
            Frame::Preview(preview) => {
                let id = preview["payload"]["event_id"].as_str().unwrap();
                assert!(
                    events.iter().all(|event: &Value| event["id"] != id),
                    "late: {preview}"
                );
                let entry = shown.iter_mut().find(|(known, ..)| known == id).unwrap();
                entry.2 += preview["payload"]["delta"]["content"]["text"].as_str().unwrap();
            }
            Frame::Event(event) => {
                let last = event["type"] == "session.status_idle";
                events.push(event);
                if last {
                    break;
                }
            }
        }
    }
    let said: Vec<(String, Value, String)> = events
        .iter()
        .filter(|event| event["type"] == "agent.message" || event["type"] == "agent.thinking")
        .map(|event| {
            let text = event["payload"]["content"][0]["text"]
                .as_str()
                .unwrap_or_default();
            (
                event["id"].as_str().unwrap().to_owned(),
                event["type"].clone(),
                text.to_owned(),
            )
        })
        .collect();
    assert_eq!(shown, said);
    assert_eq!(said.len(), 4);
    let log = world.log(&session).await;
    assert_eq!(log[1..], events);
}

/// PRV-1: each type is asked for by itself, and by the spelling with brackets too.
#[tokio::test]
async fn only_the_wanted_types_are_previewed() {
    let world = World::new().await;
    for (query, wanted) in [
        ("?event_deltas=agent.thinking", "agent.thinking"),
        ("?event_deltas[]=agent.message", "agent.message"),
    ] {
        let session = world.session_of("previews").await;
        let mut stream = watch(&world, &session, query, 1).await;
        world.say(&session, "hello").await;
        let frames = until_idle(&mut stream).await;
        let started: Vec<&Value> = frames
            .iter()
            .filter_map(|frame| match frame {
                Frame::Preview(preview) => Some(&preview["payload"]["event"]["type"]),
                _ => None,
            })
            .filter(|kind| !kind.is_null())
            .collect();
        assert_eq!(started, [wanted, wanted]);
    }
}

/// A-PRV, PRV-2: previews are not replayed: a connection that comes when a message is half said gets nothing of it but
/// the event.
#[tokio::test]
async fn a_connection_that_joins_late_gets_no_piece_of_what_began_before_it() {
    let (world, clock) = World::standing_still().await;
    let session = world.session_of("previews").await;
    let mut first = watch(&world, &session, BOTH, 1).await;
    world.say(&session, "hello").await;
    let mut id = Value::Null;
    while id.is_null() {
        clock.advance(Duration::from_millis(5));
        match tokio::time::timeout(Duration::from_millis(20), first.next()).await {
            Ok(Some(Frame::Preview(preview))) if preview["type"] == "event_delta" => {
                id = preview["payload"]["event_id"].clone();
            }
            Ok(None) => panic!("closed"),
            Ok(Some(_)) | Err(_) => {}
        }
    }
    let head = world.log(&session).await.len() as u64;
    let mut late = watch(&world, &session, BOTH, head).await;
    let mut message = None;
    while message.is_none() {
        clock.advance(Duration::from_millis(50));
        match tokio::time::timeout(Duration::from_millis(20), late.next()).await {
            Ok(Some(Frame::Preview(preview))) => {
                assert_ne!(preview["payload"]["event_id"], id);
                assert_ne!(preview["payload"]["event"]["id"], id);
            }
            Ok(Some(Frame::Event(event))) if event["id"] == id => message = Some(event),
            Ok(None) => panic!("closed"),
            Ok(Some(_)) | Err(_) => {}
        }
    }
    assert_eq!(message.unwrap()["type"], "agent.message");
}

/// PRV-4, A-INT: an interrupted message shows nothing more, and leaves no event.
#[tokio::test]
async fn an_interrupted_message_leaves_no_event() {
    let (world, clock) = World::standing_still().await;
    let session = world.session_of("previews").await;
    let mut stream = watch(&world, &session, BOTH, 1).await;
    world.say(&session, "hello").await;
    let mut id = Value::Null;
    while id.is_null() {
        clock.advance(Duration::from_millis(5));
        match tokio::time::timeout(Duration::from_millis(20), stream.next()).await {
            Ok(Some(Frame::Preview(preview))) if preview["type"] == "event_delta" => {
                id = preview["payload"]["event_id"].clone();
            }
            Ok(None) => panic!("closed"),
            Ok(Some(_)) | Err(_) => {}
        }
    }
    world.post(&session, "user.interrupt", json!({})).await.ok(202);
    let until_idle = until_idle(&mut stream).await;
    assert!(matches!(until_idle.last(), Some(Frame::Event(_))));
    for _ in 0..100 {
        clock.advance(Duration::from_secs(1));
    }
    // What comes next is the keep-alive of the stream, and no piece of what was given up.
    assert_eq!(stream.next().await, Some(Frame::Comment("keep-alive".to_owned())));
    let log = world.log(&session).await;
    assert!(log.iter().all(|event| event["id"] != id));
    assert_eq!(types(&log).last().unwrap(), "session.status_idle");
}

/// Opens the stream and waits until it has caught up with the log at `cursor`.
async fn watch(world: &World, session: &str, query: &str, cursor: u64) -> Frames {
    let path = format!("/v1/sessions/{session}/events/stream{query}");
    let mut stream = Frames::open_path(&world.client, &path, Some(cursor)).await;
    assert_eq!(stream.next().await, Some(Frame::Comment("connected".to_owned())));
    stream
}

async fn until_idle(stream: &mut Frames) -> Vec<Frame> {
    let mut frames = Vec::new();
    loop {
        let frame = stream.next().await.unwrap();
        let idle = matches!(&frame, Frame::Event(event) if event["type"] == "session.status_idle");
        frames.push(frame);
        if idle {
            return frames;
        }
    }
}
