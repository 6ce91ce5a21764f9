use checkfu_sdk::Event;
use checkfu_sdk::model::PreviewType;
use checkfu_sdk::stream::{EventStream, PreviewStream, StreamItem};
use futures::StreamExt;
use serde_json::{Value, json};

use super::Cuts;
use crate::support::event::{event, frames, message, session};
use crate::support::fake_api::{FakeApi, Step, answer, stream};
use crate::support::random::cancel_after;

fn log() -> Vec<Value> {
    let last = event(6, "session.status_completed", json!({}));
    vec![message(1), message(2), message(4), message(5), last]
}

/// Pieces of a stream that is broken off after three events, then a refusal to be tried again, then the rest. The last event
/// is a terminal one, after which the Session is read.
fn open(api: &FakeApi) -> EventStream {
    let mut broken = stream("");
    let first = frames(&log()[..3]);
    broken.extend(
        first
            .as_bytes()
            .chunks(60)
            .map(|chunk| Step::Send(chunk.to_vec())),
    );
    broken.push(Step::Reset);
    api.on_stream(broken).on_stream(answer(503, "", ""));
    api.client().sessions().events("sess_1").stream().open()
}

async fn read(stream: &mut EventStream, seen: &mut Vec<u64>) {
    while let Some(event) = stream.next().await {
        let event: Event = event.unwrap();
        seen.push(event.seq().get());
    }
}

/// STR-2, STR-8: a read of the stream that is dropped, also while it connects, waits or reads the Session, costs no
/// event and brings none twice.
#[tokio::test]
async fn a_dropped_read_of_a_stream_costs_nothing() {
    let api = FakeApi::start().await;
    api.set_session(session("completed", json!(null), 6))
        .set_log(log())
        .stream_the_log();
    let mut cuts = Cuts::of(&["EventStream::next"]).at_least(6);
    while let Some(waits) = cuts.place() {
        let mut stream = open(&api);
        let mut seen = Vec::new();
        cuts.cut(cancel_after(waits, read(&mut stream, &mut seen)).await);
        assert_eq!(stream.last_seq().map(|seq| seq.get()), seen.last().copied());
        read(&mut stream, &mut seen).await;
        assert_eq!(seen, [1, 2, 4, 5, 6], "dropped after {waits}");
        assert!(stream.next().await.is_none());
    }
    cuts.waited();
}

/// PRV-4, STR-8: so it is with previews between the events.
#[tokio::test]
async fn a_dropped_read_of_previews_costs_nothing() {
    let api = FakeApi::start().await;
    api.set_session(session("completed", json!(null), 6))
        .set_log(log())
        .stream_the_log();
    let mut cuts = Cuts::of(&["PreviewStream::next"]).at_least(6);
    while let Some(waits) = cuts.place() {
        let mut broken = stream("");
        let start =
            json!({"type": "event_start", "payload": {"event": {"type": "agent.message", "id": "evt_9"}}});
        let first = format!("event: event_start\ndata: {start}\n\n{}", frames(&log()[..2]));
        let pieces = first.as_bytes().chunks(60);
        broken.extend(pieces.map(|piece| Step::Send(piece.to_vec())));
        broken.push(Step::Reset);
        api.on_stream(broken).on_stream(answer(503, "", ""));
        let events = api.client().sessions().events("sess_1");
        let mut items = events.stream().open_with_previews([PreviewType::AgentMessage]);
        let (mut seen, mut others) = (Vec::new(), Vec::new());
        let mut read = async |items: &mut PreviewStream| {
            while let Some(item) = items.next().await {
                match item.unwrap() {
                    StreamItem::Event(event) => seen.push(event.seq().get()),
                    StreamItem::Preview(_) => others.push("preview"),
                    StreamItem::Opened => others.push("opened"),
                    other => panic!("{other:?}"),
                }
            }
        };
        cuts.cut(cancel_after(waits, read(&mut items)).await);
        read(&mut items).await;
        assert_eq!(seen, [1, 2, 4, 5, 6], "dropped after {waits}");
        assert_eq!(others, ["opened", "preview", "opened"], "dropped after {waits}");
    }
    cuts.waited();
}

/// STR-8: so it is where each read of one event is dropped once, and made again.
#[tokio::test]
async fn every_read_may_be_dropped_once() {
    let api = FakeApi::start().await;
    api.set_session(session("completed", json!(null), 6))
        .set_log(log())
        .stream_the_log();
    let mut stream = open(&api);
    let mut seen = Vec::new();
    let mut dropped = 0;
    loop {
        let next = match cancel_after(0, stream.next()).await {
            Some(next) => next,
            None => {
                dropped += 1;
                tokio::task::yield_now().await;
                continue;
            }
        };
        let Some(event) = next else { break };
        seen.push(event.unwrap().seq().get());
    }
    assert_eq!(seen, [1, 2, 4, 5, 6]);
    assert!(dropped >= 4, "{dropped}");
}
