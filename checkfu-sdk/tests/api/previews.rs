//! Streams with previews: what is asked for, what is handed out, and what stays as it is without them.

use checkfu_openapi::fixtures;
use checkfu_sdk::model::{PreviewData, PreviewType};
use checkfu_sdk::previews::PreviewReducer;
use checkfu_sdk::retry::ReconnectPolicy;
use checkfu_sdk::stream::{PreviewStream, StreamItem};
use checkfu_sdk::{Client, Event, Seq};
use futures::{StreamExt, TryStreamExt};
use serde_json::{Value, json};

use crate::support::event::{event, frame, idle, message, piece, preview_frame, session, started};
use crate::support::fake_api::{FakeApi, Step, stream};

const BOTH: [PreviewType; 2] = [PreviewType::AgentMessage, PreviewType::AgentThinking];

fn open(client: &Client) -> PreviewStream {
    client
        .sessions()
        .events("sess_1")
        .stream()
        .open_with_previews(BOTH)
}

async fn api(script: Vec<Step>) -> FakeApi {
    let api = FakeApi::start().await;
    api.set_session(session("running", json!(null), 99))
        .on_stream(script);
    api
}

/// A short name of an item.
fn named(item: &StreamItem) -> String {
    match item {
        StreamItem::Opened => "opened".to_owned(),
        StreamItem::Event(event) => event.seq().to_string(),
        StreamItem::Preview(preview) => {
            let id = preview.event_id().map_or("-", |id| id.as_str());
            match preview.data() {
                PreviewData::Started(started) => format!("{id} {}", started.event_type),
                PreviewData::Delta(delta) => format!("{id} {} {}", delta.index, delta.text),
                _ => format!("{id} ?"),
            }
        }
        _ => panic!("{item:?}"),
    }
}

async fn take(items: &mut PreviewStream, count: usize) -> Vec<String> {
    let items: Vec<_> = items.take(count).try_collect().await.unwrap();
    items.iter().map(named).collect()
}

/// PRV-1, SDK-2, THR-6: previews are asked for once for each type, on each connection and under the route of either log;
/// a plain stream asks for none.
#[tokio::test]
async fn previews_are_asked_for_once_for_each_type() {
    let api = FakeApi::start().await;
    let client = api.client();
    for _ in 0..2 {
        api.on_stream(stream(frame(&message(1)) + &frame(&message(2))));
    }
    api.on_stream(stream("")).on_stream(stream(""));
    api.on_stream(stream(frame(&message(1))));
    let twice = [
        PreviewType::AgentMessage,
        PreviewType::AgentThinking,
        PreviewType::AgentMessage,
    ];
    let events = client.sessions().events("sess_1").stream();
    let mut items = events.clone().open_with_previews(twice);
    assert_eq!(take(&mut items, 4).await, ["opened", "1", "2", "opened"]);
    let thread = client.sessions().threads("sess_1").events("sthr_2").stream();
    let newer = PreviewType::from("agent.day dream");
    let mut items = thread.open_with_previews([newer]);
    assert_eq!(take(&mut items, 1).await, ["opened"]);
    let mut none = events.clone().open_with_previews([]);
    assert_eq!(take(&mut none, 1).await, ["opened"]);
    let mut plain = events.open();
    plain.next().await.unwrap().unwrap();
    let targets: Vec<_> = api.requests().into_iter().map(|request| request.target).collect();
    let both = "/v1/sessions/sess_1/events/stream?event_deltas=agent.message&event_deltas=agent.thinking";
    let plain = "/v1/sessions/sess_1/events/stream";
    let thread = "/v1/sessions/sess_1/threads/sthr_2/stream?event_deltas=agent.day+dream";
    assert_eq!(targets, [both, both, thread, plain, plain]);
}

/// PRV-2, A-PRV: previews come where they stand between the events, nested or flat, told by their line or by their data.
#[tokio::test]
async fn previews_come_between_the_events() {
    let flat = json!({
        "type": "event_delta", "event_id": "e",
        "delta": { "type": "content_delta", "content": { "type": "text", "text": "b" } },
    });
    let flat_start = json!({ "type": "event_start", "event": { "type": "agent.message", "id": "f" } });
    let text = preview_frame(&started("t", "agent.thinking"))
        + &frame(&message(5))
        + &preview_frame(&started("e", "agent.message"))
        + &format!("data: {}\n\n", piece("e", 3, "a"))
        + &preview_frame(&flat)
        + &format!("event: odd\ndata: {flat_start}\n\n")
        + "event: event_delta\ndata: broken\n\n"
        + &frame(&message(6));
    let api = api(stream(text)).await;
    let mut items = open(&api.client());
    let expected = [
        "opened",
        "t agent.thinking",
        "5",
        "e agent.message",
        "e 3 a",
        "e 0 b",
        "f agent.message",
        "- ?",
        "6",
    ];
    assert_eq!(take(&mut items, expected.len()).await, expected);
}

/// A-PRV, A-CLI: each strange preview of the contract is handed out as far as it can be read, with its JSON, and ends
/// nothing.
#[tokio::test]
async fn strange_previews_are_handed_out() {
    for fixture in fixtures().unwrap().hostile {
        if fixture.expect["kind"] != "preview" {
            continue;
        }
        let preview: Value = serde_json::from_slice(&fixture.bytes).unwrap();
        let api = api(stream(format!(
            "id: 900\ndata: {preview}\n\n{}",
            frame(&message(5))
        )))
        .await;
        let mut items = open(&api.client());
        let all: Vec<_> = items.by_ref().take(3).try_collect().await.unwrap();
        let [
            StreamItem::Opened,
            StreamItem::Preview(handed),
            StreamItem::Event(_),
        ] = &all[..]
        else {
            panic!("{}: {all:?}", fixture.name)
        };
        let id = handed.event_id().map(|id| id.as_str());
        assert_eq!(json!(id), fixture.expect["event_id"], "{}", fixture.name);
        let unknown = matches!(handed.data(), PreviewData::Unknown(_));
        let expected = fixture.expect["deliver"] == "drop_or_raw";
        assert_eq!(unknown, expected, "{}", fixture.name);
        assert_eq!(serde_json::from_str::<Value>(handed.raw_json()).unwrap(), preview);
        assert_eq!(items.last_seq(), Some(Seq::from(5)), "{}", fixture.name);
    }
}

/// PRV-4, PRV-5, A-CLI: no preview moves the cursor that a reconnect sends, whatever `id` or `seq` is on it.
#[tokio::test]
async fn previews_with_numbers_never_move_the_cursor() {
    let mut posing = started("e", "agent.message");
    (posing["seq"], posing["id"]) = (json!(70), json!("evt_70"));
    let text = frame(&message(5))
        + &format!("id: 80\n{}", preview_frame(&piece("e", 0, "a")))
        + &format!("id: 70\ndata: {posing}\n\n")
        + &format!("id: 81\ndata: {}\n\n", piece("e", 0, "b"))
        + "id: 82\nevent: event_delta\ndata: {\"type\": \"event_delta\", \"seq\": 82}\n\n";
    let mut script = stream(text);
    script.push(Step::Reset);
    let api = api(script).await;
    api.on_stream(stream(frame(&message(6))));
    let mut items = open(&api.client());
    let first = take(&mut items, 6).await;
    assert_eq!(first, ["opened", "5", "e 0 a", "e agent.message", "e 0 b", "- ?"]);
    assert_eq!(items.last_seq(), Some(Seq::from(5)));
    assert_eq!(take(&mut items, 2).await, ["opened", "6"]);
    assert_eq!(api.stream_cursors(), [None, Some("5".to_owned())]);
}

/// PRV-4, STR-8: a preview is no progress: connections that bring nothing else spend the reconnects, and their close is
/// explained by the Session.
#[tokio::test]
async fn previews_are_no_progress() {
    let api = api(stream(preview_frame(&started("e", "agent.message")))).await;
    for _ in 0..4 {
        api.on_stream(stream(preview_frame(&started("e", "agent.message"))));
    }
    let events = api.client().sessions().events("sess_1").stream();
    let policy = ReconnectPolicy::default().max_reconnects(2);
    let items = events.reconnect_policy(policy).open_with_previews(BOTH);
    let all: Vec<_> = items.try_collect().await.unwrap();
    assert_eq!(all.iter().filter(|item| **item == StreamItem::Opened).count(), 3);
    assert_eq!((api.stream_cursors().len(), api.session_reads()), (3, 3));
}

/// PRV-5, A-PRV: a connection that breaks in the middle of a message takes its partial text along; what the next one brings
/// of that message is no text with a gap, and the event comes whole.
#[tokio::test]
async fn a_reconnect_lets_go_of_partial_texts() {
    let whole = event(5, "agent.message", json!({ "content": "one two three" }));
    let id = whole["id"].as_str().unwrap();
    let begun = preview_frame(&started(id, "agent.message")) + &preview_frame(&piece(id, 0, "one "));
    let mut script = stream(frame(&message(4)) + &begun + "event: event_delta\ndata: {\"cut");
    script.push(Step::Reset);
    let api = api(script).await;
    api.on_stream(stream(preview_frame(&piece(id, 0, "three")) + &frame(&whole)));
    let mut items = open(&api.client());
    let mut previews = PreviewReducer::new(items.log_id());
    let mut texts = Vec::new();
    for _ in 0..7 {
        let item = items.next().await.unwrap().unwrap();
        previews.apply(&item);
        let partials: Vec<_> = previews.partials().map(|partial| partial.text()).collect();
        texts.push((named(&item), partials.join("|")));
    }
    let expected = [
        ("opened".to_owned(), ""),
        ("4".to_owned(), ""),
        (format!("{id} agent.message"), ""),
        (format!("{id} 0 one "), "one "),
        ("opened".to_owned(), ""),
        (format!("{id} 0 three"), ""),
        ("5".to_owned(), ""),
    ];
    let expected: Vec<_> = expected.map(|(item, text)| (item, text.to_owned())).into();
    assert_eq!(texts, expected);
}

/// PRV-3, PRV-4: the streams of the contract: a preview whose event comes is replaced by it, and one whose event never
/// comes is gone with the turn.
#[tokio::test]
async fn the_previews_of_the_contract_are_reconciled() {
    for name in ["previews", "unmatched_preview"] {
        let all = fixtures().unwrap().streams;
        let fixture = all.iter().find(|fixture| fixture.name.contains(name)).unwrap();
        let text = std::str::from_utf8(&fixture.bytes).unwrap();
        let api = api(stream(text)).await;
        let client = &fixture.expect["client"];
        let after = Seq::new(client["after"].as_u64().unwrap()).unwrap();
        let events = api.client().sessions().events("sess_1").stream().after(after);
        let mut items = events.open_with_previews(BOTH);
        let mut previews = PreviewReducer::new(items.log_id());
        let (mut seen, mut shown, mut delivered) = (Vec::new(), 0, 0);
        while delivered < client["delivered"].as_array().unwrap().len() {
            let item = items.next().await.unwrap().unwrap();
            let before = match &item {
                StreamItem::Event(event) => previews.partial(event.id()).map(|partial| partial.text()),
                _ => None,
            };
            previews.apply(&item);
            match &item {
                StreamItem::Event(event) => {
                    delivered += 1;
                    assert!(before.is_none_or(|text| event.raw_json().contains(&*text)));
                    assert_eq!(previews.partial(event.id()), None);
                }
                StreamItem::Preview(preview) => {
                    let raw: Value = serde_json::from_str(preview.raw_json()).unwrap();
                    let id = preview.event_id().unwrap().as_str();
                    seen.push(json!({ "type": raw["type"], "event_id": id }));
                    shown += usize::from(previews.partial(&id.into()).is_some());
                }
                _ => {}
            }
        }
        assert_eq!(json!(seen), client["previews"], "{name}");
        assert_eq!(shown, seen.len(), "{name}");
        assert_eq!(previews.partials().count(), 0, "{name}");
    }
}

/// PRV-2: a flood of pieces costs a bounded amount; the event that is larger than all limits comes whole, and so does what
/// is behind it.
#[tokio::test]
async fn a_flood_of_pieces_is_bounded() {
    let text = "flood ".repeat(300_000);
    let whole = event(5, "agent.message", json!({ "content": text }));
    let id = whole["id"].as_str().unwrap();
    let mut flood = preview_frame(&started(id, "agent.message"));
    for _ in 0..2_000 {
        flood += &preview_frame(&piece(id, 0, &text[..1_000]));
    }
    let api = api(stream(flood + &frame(&whole) + &frame(&idle(6, "end_turn")))).await;
    let mut items = open(&api.client());
    let mut previews = PreviewReducer::new(items.log_id());
    let (mut most, mut cut) = (0, 0);
    loop {
        let item = items.next().await.unwrap().unwrap();
        previews.apply(&item);
        most = most.max(previews.bytes());
        cut += usize::from(previews.partials().any(|partial| partial.is_cut()));
        match item {
            StreamItem::Event(event) if event.seq() == Seq::from(6) => break,
            StreamItem::Event(event) => assert!(event.raw_json().contains(&text)),
            _ => {}
        }
    }
    assert!(most > 1_000_000 && most <= 1024 * 1024, "{most}");
    assert!(cut > 500 && previews.bytes() == 0, "{cut}");
}

/// PRV-1, PRV-4: what is handed out of the log is the same with previews and without, whatever stands between.
#[tokio::test]
async fn events_are_the_same_with_previews_and_without() {
    let text = preview_frame(&started("e", "agent.message"))
        + &frame(&message(1))
        + &frame(&message(1))
        + &format!("id: 40\n{}", preview_frame(&piece("e", 0, "x")))
        + "event: ping\ndata: {}\n\n: comment\n\n"
        + &frame(&message(3))
        + &frame(&event(4, "session.status_completed", json!({})));
    let mut held = stream(&text);
    held.push(Step::Hang);
    let api = api(held).await;
    api.set_session(session("completed", json!(null), 4));
    let items: Vec<_> = open(&api.client()).try_collect().await.unwrap();
    let with: Vec<Event> = items
        .into_iter()
        .filter_map(|item| match item {
            StreamItem::Event(event) => Some(event),
            _ => None,
        })
        .collect();
    let mut held = stream(text);
    held.push(Step::Hang);
    api.on_stream(held);
    let plain = api.client().sessions().events("sess_1").stream().open();
    let without: Vec<Event> = plain.try_collect().await.unwrap();
    assert_eq!(with, without);
    assert_eq!(with.len(), 3);
}
