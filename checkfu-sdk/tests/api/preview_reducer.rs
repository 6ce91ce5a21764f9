//! The fold of previews, on its own.

use checkfu_sdk::model::{LogId, Preview};
use checkfu_sdk::previews::{PartialEvent, PreviewLimits, PreviewReducer};
use checkfu_sdk::stream::StreamItem;
use serde_json::{Value, json};

use crate::support::event::{event, idle, piece, started};
use crate::support::random::Random;

fn session() -> PreviewReducer {
    PreviewReducer::new(&LogId::of_session("sess_1"))
}

fn of_thread() -> PreviewReducer {
    PreviewReducer::new(&LogId::of_thread("sess_1", "sthr_2"))
}

fn limited(limits: PreviewLimits) -> PreviewReducer {
    PreviewReducer::with_limits(&LogId::of_session("sess_1"), limits)
}

fn preview(json: &str) -> StreamItem {
    StreamItem::Preview(serde_json::from_str::<Preview>(json).unwrap())
}

fn start(previews: &mut PreviewReducer, id: &str) {
    previews.apply(&preview(&started(id, "agent.message").to_string()));
}

fn add(previews: &mut PreviewReducer, id: &str, index: u64, text: &str) {
    previews.apply(&preview(&piece(id, index, text).to_string()));
}

fn log(previews: &mut PreviewReducer, event: Value) {
    previews.apply(&StreamItem::Event(serde_json::from_value(event).unwrap()));
}

/// The partial texts in order; one that is cut with `…` behind it.
fn texts(previews: &PreviewReducer) -> Vec<String> {
    let text = |partial: &PartialEvent| partial.text() + if partial.is_cut() { "…" } else { "" };
    previews.partials().map(text).collect()
}

fn said(id: &str, seq: u64, text: &str) -> Value {
    let mut event = event(seq, "agent.message", json!({ "content": text }));
    event["id"] = id.into();
    event
}

/// A-PRV: pieces are put together by event and block, in turn; a thought is a start alone; a piece whose start was not
/// seen is none of them.
#[test]
fn pieces_are_put_together_by_event_and_block() {
    let mut previews = session();
    add(&mut previews, "a", 0, "lost ");
    start(&mut previews, "a");
    start(&mut previews, "b");
    previews.apply(&preview(&started("t", "agent.thinking").to_string()));
    for (id, index, text) in [
        ("a", 0, "He"),
        ("b", 0, "Wor"),
        ("a", 1, "!"),
        ("c", 0, "unseen"),
        ("a", 0, "llo"),
        ("b", 0, "ld"),
        ("b", 0, ""),
    ] {
        add(&mut previews, id, index, text);
    }
    assert_eq!(texts(&previews), ["Hello!", "World", ""]);
    let partial = previews.partial(&"a".into()).unwrap();
    assert_eq!(partial.blocks().collect::<Vec<_>>(), [(0, "Hello"), (1, "!")]);
    let types: Vec<_> = previews
        .partials()
        .map(|partial| partial.event_type().as_str())
        .collect();
    assert_eq!(types, ["agent.message", "agent.message", "agent.thinking"]);
}

/// PRV-3: the event takes the place of its partial text, and a preview that comes after it doubles nothing.
#[test]
fn the_event_takes_the_place_of_its_previews() {
    let mut previews = session();
    start(&mut previews, "a");
    start(&mut previews, "b");
    add(&mut previews, "a", 0, "Hel");
    add(&mut previews, "b", 0, "Wor");
    log(&mut previews, said("a", 3, "Hello"));
    assert_eq!(texts(&previews), ["Wor"]);
    add(&mut previews, "a", 0, "lo");
    start(&mut previews, "a");
    add(&mut previews, "a", 0, "Hello");
    log(&mut previews, said("a", 3, "Hello"));
    assert_eq!(texts(&previews), ["Wor"]);
    previews.apply(&StreamItem::Opened);
    start(&mut previews, "a");
    add(&mut previews, "a", 0, "Hello");
    assert_eq!(texts(&previews), [""; 0], "not on another connection either");
}

/// PRV-4, SET-1: a turn that settles takes all partial texts along, and nothing that is only a wait does.
#[test]
fn a_settled_turn_lets_go_of_what_is_unmatched() {
    let status = |name: &str| event(9, &format!("session.status_{name}"), json!({}));
    let settled = [
        idle(9, "end_turn"),
        idle(9, "run_failed"),
        idle(9, "something_new"),
        status("idle"),
        status("completed"),
        status("failed"),
        status("canceled"),
    ];
    let waits = [
        idle(9, "requires_action"),
        status("waiting"),
        status("paused"),
        status("running"),
        event(9, "run.waiting", json!({})),
        event(9, "user.interrupt", json!({})),
        event(
            9,
            "session.thread_status_idle",
            json!({ "session_thread_id": "sthr_2" }),
        ),
        event(
            9,
            "session.thread_status_terminated",
            json!({ "session_thread_id": "sthr_2" }),
        ),
        event(9, "agent.daydream", json!({})),
    ];
    for (events, left) in [(&settled[..], 0), (&waits[..], 1)] {
        for event in events {
            let mut previews = session();
            start(&mut previews, "a");
            add(&mut previews, "a", 0, "Hel");
            log(&mut previews, event.clone());
            assert_eq!(previews.partials().count(), left, "{event}");
            add(&mut previews, "a", 0, "lo");
            assert_eq!(texts(&previews), vec!["Hello"; left], "{event}");
        }
    }
}

/// PRV-4, THR-6: on the stream of a child the end of its own turn, or its own, counts, and not another child's.
#[test]
fn a_child_settles_its_own_previews() {
    let thread = |name: &str, thread: &str, payload: Value| {
        let mut event = event(9, &format!("session.thread_status_{name}"), payload);
        event["session_thread_id"] = thread.into();
        event
    };
    let reason = |reason: &str| json!({ "stop_reason": { "type": reason } });
    for (event, left) in [
        (thread("idle", "sthr_2", reason("end_turn")), 0),
        (thread("idle", "sthr_2", reason("retries_exhausted")), 0),
        (thread("idle", "sthr_2", json!({})), 0),
        (thread("terminated", "sthr_2", json!({})), 0),
        (event(9, "session.status_canceled", json!({})), 0),
        (thread("idle", "sthr_2", reason("requires_action")), 1),
        (thread("rescheduled", "sthr_2", json!({})), 1),
        (thread("idle", "sthr_3", reason("end_turn")), 1),
        (thread("terminated", "sthr_3", json!({})), 1),
    ] {
        let mut previews = of_thread();
        start(&mut previews, "a");
        log(&mut previews, event.clone());
        assert_eq!(previews.partials().count(), left, "{event}");
    }
}

/// PRV-5, A-PRV: what was opened anew goes on with nothing of before.
#[test]
fn another_connection_continues_nothing() {
    let mut previews = session();
    start(&mut previews, "a");
    add(&mut previews, "a", 0, "Hel");
    previews.apply(&StreamItem::Opened);
    add(&mut previews, "a", 0, "lo");
    assert_eq!((texts(&previews).len(), previews.bytes()), (0, 0));
    start(&mut previews, "a");
    add(&mut previews, "a", 0, "Hello");
    assert_eq!(texts(&previews), ["Hello"], "this one saw its start");
}

/// PRV-2, A-PRV: an event over its limit, or over that of all, has no more text, and no piece of it comes back.
#[test]
fn texts_are_bounded() {
    let mut previews = limited(PreviewLimits::default().bytes_per_event(80).bytes(170));
    for id in ["a", "b", "c"] {
        start(&mut previews, id);
    }
    add(&mut previews, "a", 0, "0123456789");
    add(&mut previews, "a", 0, "012345");
    assert_eq!(
        (texts(&previews)[0].as_str(), previews.bytes()),
        ("0123456789012345", 80)
    );
    add(&mut previews, "b", 0, "01");
    add(&mut previews, "a", 0, "6");
    add(&mut previews, "a", 0, "7");
    assert_eq!(
        (texts(&previews), previews.bytes()),
        (vec!["…".into(), "01".into(), String::new()], 66)
    );
    add(&mut previews, "c", 0, "0123456789");
    assert_eq!(previews.bytes(), 140);
    start(&mut previews, "d");
    add(&mut previews, "d", 0, "x");
    assert_eq!(
        texts(&previews),
        ["…", "01", "0123456789", "…"],
        "over the limit of all"
    );
    start(&mut previews, "a");
    add(&mut previews, "a", 0, "again");
    assert_eq!(texts(&previews)[0], "…");
    log(&mut previews, said("a", 3, "0123456789012345678"));
    assert_eq!(texts(&previews), ["01", "0123456789", "…"]);
}

/// PRV-2, A-PRV: blocks without text count too, and of events over the number that may be followed none is, until all is
/// let go: which were refused is not known.
#[test]
fn blocks_and_events_are_bounded() {
    let mut previews = session();
    start(&mut previews, "a");
    for index in 0..20_000 {
        add(&mut previews, "a", index, "");
        assert!(previews.bytes() <= 1024 * 1024);
    }
    assert!(previews.partial(&"a".into()).unwrap().is_cut());
    for number in 0..1_000 {
        start(&mut previews, &format!("b{number}"));
    }
    assert_eq!(previews.partials().count(), 64);
    log(&mut previews, said("b0", 3, "made"));
    start(&mut previews, "b999");
    add(&mut previews, "b999", 0, "in the middle");
    assert_eq!(previews.partial(&"b999".into()), None, "it had a start before");
    log(&mut previews, idle(4, "end_turn"));
    start(&mut previews, "c");
    assert_eq!(previews.partials().count(), 1);

    let long = "x".repeat(257);
    start(&mut previews, &long);
    previews.apply(&preview(&started("d", &long).to_string()));
    assert_eq!(previews.partials().count(), 1, "names are bounded, too");
}

/// A-PRV: a piece that cannot be read leaves a prefix; one that does not tell its event leaves prefixes everywhere. A
/// start that comes twice is harmless before the text, and after that nothing can be said.
#[test]
fn what_cannot_be_read_ends_the_text() {
    for (broken, expected) in [
        (
            r#"{"type": "event_delta", "event_id": "a", "delta": {"type": "picture_delta"}}"#,
            ["He…", "World"],
        ),
        (r#"{"type": "event_delta", "event_id": "a"}"#, ["He…", "World"]),
        (
            &*piece("a", 0, "x")
                .to_string()
                .replace("\"index\":0", "\"index\":-1"),
            ["He…", "World"],
        ),
        (
            &*piece("a", 0, "x").to_string().replace("\"x\"", "7"),
            ["He…", "World"],
        ),
        (
            &*piece("a", 0, "x").to_string().replace("\"x\"", "\"x\\ud83dx\""),
            ["He…", "World"],
        ),
        (
            &*piece("a", 0, "x").to_string().replace("\"a\"", "7"),
            ["He…", "Wor…"],
        ),
        (r#"{"type": "event_delta", "payload": "x"}"#, ["He…", "Wor…"]),
        (&*started("a", "agent.message").to_string(), ["…", "World"]),
        (&*piece("c", 0, "x").to_string(), ["Hello", "World"]),
    ] {
        let mut previews = session();
        start(&mut previews, "a");
        start(&mut previews, "a");
        start(&mut previews, "b");
        add(&mut previews, "a", 0, "He");
        add(&mut previews, "b", 0, "Wor");
        previews.apply(&preview(broken));
        add(&mut previews, "a", 0, "llo");
        add(&mut previews, "b", 0, "ld");
        assert_eq!(texts(&previews), expected, "{broken}");
    }
}

/// The pieces of a text, cut between any two units of UTF-16, as JSON strings.
fn pieces(text: &str, random: &mut Random) -> Vec<String> {
    let units: Vec<u16> = text.encode_utf16().collect();
    let mut pieces = Vec::new();
    let mut rest = &units[..];
    while !rest.is_empty() {
        let length = 1 + random.below(3.min(rest.len() as u64)) as usize;
        let (piece, behind) = rest.split_at(length);
        pieces.push(piece.iter().map(|unit| format!("\\u{unit:04x}")).collect());
        rest = behind;
    }
    pieces
}

fn raw_piece(id: &str, index: u64, escaped: &str) -> String {
    piece(id, index, "TEXT").to_string().replace("TEXT", escaped)
}

/// A-PRV: a character that the server cut in half is whole again, and neither half shows alone.
#[test]
fn characters_in_halves_are_joined() {
    let mut previews = session();
    start(&mut previews, "a");
    let mut seen = Vec::new();
    for half in ["a\\ud83d", "", "\\ude00b\\ud83d", "\\ude00"] {
        previews.apply(&preview(&raw_piece("a", 0, half)));
        seen.extend(texts(&previews));
    }
    assert_eq!(seen, ["a", "a", "a😀b", "a😀b😀"]);
    for (pieces, expected) in [
        (&["a\\ud83d", "b"][..], "a…"),
        (&["a", "\\ude00b"], "a…"),
        (&["a\\ud83d", "\\ud83d"], "a…"),
        (&["a\\ud83d\\ud83d"], "…"),
    ] {
        let mut previews = session();
        start(&mut previews, "a");
        for piece in pieces {
            previews.apply(&preview(&raw_piece("a", 0, piece)));
        }
        assert_eq!(texts(&previews), [expected], "{pieces:?}");
    }
}

/// A-PRV, PRV-3, PRV-4, PRV-5: over random streams, in which starts and pieces get lost, connections break, turns settle
/// and limits are small, every text is a prefix of what is said, and the limits hold.
#[test]
fn a_text_is_always_a_prefix() {
    let mut random = Random::new("a_text_is_always_a_prefix");
    let words = ["é", "漢字", "😀", "👩‍🚀", "plain ", "\u{301}", "\n"];
    let (mut whole, mut grown) = (0, 0);
    for _ in 0..100 {
        let (per_event, all) = (100 + random.below(400), 150 + random.below(800));
        let limits = PreviewLimits::default()
            .events(1 + random.below(4) as usize)
            .bytes_per_event(per_event as usize)
            .bytes(all as usize);
        let mut previews = limited(limits);
        let mut texts = Vec::new();
        let mut queues: Vec<Vec<String>> = Vec::new();
        for number in 0..=random.below(5) {
            let (id, mut queue) = (format!("m{number}"), Vec::new());
            let blocks: Vec<String> = (0..=random.below(2))
                .map(|_| {
                    (0..random.below(12))
                        .map(|_| words[random.below(7) as usize])
                        .collect()
                })
                .collect();
            queue.push(started(&id, "agent.message").to_string());
            for (index, block) in blocks.iter().enumerate() {
                let pieces = pieces(block, &mut random);
                queue.extend(pieces.iter().map(|piece| raw_piece(&id, index as u64, piece)));
            }
            queue.push(said(&id, 1 + number, &blocks.concat()).to_string());
            // What is lost is lost with all behind it, up to the event.
            if random.below(3) == 0 {
                let from = random.below(queue.len() as u64 - 1) as usize;
                queue.drain(from..queue.len() - 1);
            }
            queue.reverse();
            queues.push(queue);
            texts.push((id, blocks));
        }
        while queues.iter().any(|queue| !queue.is_empty()) {
            let chosen = random.below(queues.len() as u64) as usize;
            let Some(json) = queues[chosen].pop() else {
                continue;
            };
            let item = match serde_json::from_str::<Preview>(&json) {
                Ok(preview) => StreamItem::Preview(preview),
                Err(_) => {
                    let made: checkfu_sdk::Event = serde_json::from_str(&json).unwrap();
                    whole += u32::from(previews.partial(made.id()).is_some_and(|partial| {
                        partial.text() == texts[chosen].1.concat() && !partial.is_cut()
                    }));
                    StreamItem::Event(made)
                }
            };
            previews.apply(&item);
            match random.below(600) {
                0 => previews.apply(&StreamItem::Opened),
                1 => log(&mut previews, idle(99, "end_turn")),
                2 => previews.apply(&preview(r#"{"type": "event_delta", "payload": 7}"#)),
                _ => {}
            }
            assert!(previews.bytes() as u64 <= all);
            for partial in previews.partials() {
                let (_, blocks) = texts
                    .iter()
                    .find(|(id, _)| id == partial.event_id().as_str())
                    .unwrap();
                for (index, text) in partial.blocks() {
                    let block = &blocks[index as usize];
                    assert!(block.starts_with(text), "{text:?} of {block:?}");
                    grown += u32::from(!text.is_empty());
                }
            }
        }
    }
    assert!(whole > 20 && grown > 500, "{whole} whole, {grown} grown");
}
