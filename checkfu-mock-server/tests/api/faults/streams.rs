//! Faults in the text of a stream.

use checkfu_mock_server::{
    Cut, Event, EventEdit, Fault, Format, How, Insert, LineEnds, On, Operation, Point, Rate, Resume, Spacing,
};
use checkfu_sdk::sse::Decoder;
use serde_json::Value;

use super::bytes::{End, Raw, finished, stream};
use crate::support::world::{World, all};

/// What an independent decoder makes of a stream: `id`, `event`, `data`.
fn decoded(body: &[u8]) -> Vec<(String, String, Value)> {
    let mut decoder = Decoder::new();
    let mut input = body;
    let mut events = Vec::new();
    while let Some(block) = decoder.next_block(&mut input).unwrap() {
        if !block.data().is_empty() {
            let data = serde_json::from_str(block.data()).unwrap();
            events.push((block.id().to_owned(), block.event().to_owned(), data));
        }
    }
    events
}

fn of_log(log: &[Value]) -> Vec<(String, String, Value)> {
    let frame = |event: &Value| {
        (
            event["seq"].to_string(),
            event["type"].as_str().unwrap().to_owned(),
            event.clone(),
        )
    };
    log.iter().map(frame).collect()
}

fn on_stream() -> On {
    On::operation(Operation::Stream)
}

/// A stream as a fault makes it, beside the log and the plain stream.
struct Faulty {
    log: Vec<Value>,
    plain: Vec<u8>,
    raw: Raw,
}

async fn with_fault(fault: Fault) -> Faulty {
    let world = World::new().await;
    let (session, log) = finished(&world).await;
    let plain = stream(&world, &session, &[]).await.body();
    let id = world.server.control().faults().plan(fault);
    let raw = stream(&world, &session, &[]).await;
    let status = world.server.control().faults().status(&id).unwrap();
    assert_eq!((status.met, status.fired), (1, 1), "{status:?}");
    // What was planned once is over, and the log is what it was.
    let after = stream(&world, &session, &[]).await;
    assert_eq!(decoded(&after.body()), of_log(&log));
    assert_eq!(after.body(), plain);
    Faulty { log, plain, raw }
}

/// STR-5: every way of writing a stream that the format allows means the same; every line end is really there, and bytes
/// come in small pieces where that was asked for.
#[tokio::test]
async fn a_stream_written_in_another_way_means_the_same() {
    let ends = |line_ends| Format {
        line_ends,
        ..Format::default()
    };
    for (format, mark) in [
        (ends(LineEnds::CrLf), &b"\r\nevent: "[..]),
        (ends(LineEnds::Cr), b"\revent: "),
        (ends(LineEnds::Mixed), b"\r\n"),
        (
            Format {
                spacing: Spacing::None,
                ..Format::default()
            },
            b"\nevent:s",
        ),
        (
            Format {
                split_data: true,
                ..Format::default()
            },
            b"\ndata: {\ndata: ",
        ),
        (
            Format {
                unknown_field: true,
                ..Format::default()
            },
            b"\nnothing\n",
        ),
        (
            Format {
                byte_order_marks: 1,
                ..Format::default()
            },
            "\u{feff}: connected".as_bytes(),
        ),
        (
            Format {
                comments: 3,
                ..Format::default()
            },
            b": nothing\n:\n: nothing\n:\n: nothing\n:\nid: 1",
        ),
    ] {
        let Faulty { log, raw, .. } = with_fault(Fault::new(on_stream(), format)).await;
        let body = raw.body();
        assert!(
            body.windows(mark.len()).any(|window| window == mark),
            "{format:?}: {}",
            raw.text()
        );
        assert_eq!(decoded(&body), of_log(&log), "{format:?}");
    }
    for (bytes, random) in [(1, false), (2, false), (9, true)] {
        let rate = Rate {
            bytes,
            pause_milliseconds: 0,
            random,
        };
        let Faulty { log, raw, .. } = with_fault(Fault::new(on_stream(), rate)).await;
        assert_eq!(decoded(&raw.body()), of_log(&log));
        assert!(raw.reads > 20, "{rate:?} came in {} reads", raw.reads);
    }
}

/// Every change of one event is on the wire as its name says, and concerns that event alone.
#[tokio::test]
async fn an_event_is_changed_as_asked() {
    use EventEdit::{
        BadId, BadJson, BadUtf8, Diverge, Drop, Duplicate, IdFirst, NoData, NoId, NoType, NulId, Regress,
        TrailingGarbage, UnknownMembers, UnknownType, WrongId, WrongShape, WrongType,
    };
    for edit in [
        Drop,
        Duplicate,
        Regress,
        WrongId,
        Diverge,
        NoId,
        NoType,
        WrongType,
        NulId,
        BadId,
        BadUtf8,
        BadJson,
        WrongShape,
        TrailingGarbage,
        NoData,
        UnknownType,
        UnknownMembers,
        IdFirst,
    ] {
        let Faulty { log, plain, raw } = with_fault(Fault::new(on_stream(), Event::nth(3, edit))).await;
        let body = raw.body();
        let (blocks, plain) = (split(&body), split(&plain));
        let plain = &plain[1..];
        // The greeting, then the events before and after the one that is changed.
        assert_eq!(&blocks[1..4], &plain[..3], "{edit:?}");
        assert_eq!(blocks.last().unwrap(), plain.last().unwrap(), "{edit:?}");
        let changed = &blocks[4..blocks.len() - (plain.len() - 4)];
        let (own, before) = (plain[3], plain[2]);
        let text = String::from_utf8_lossy(&changed.join(&b"|"[..])).into_owned();
        let data = || -> Value {
            let data = text.split("\ndata: ").nth(1).unwrap();
            serde_json::from_str(data).unwrap()
        };
        let fits = match edit {
            Drop => changed.is_empty(),
            Duplicate => changed == [own, own],
            Regress => changed == [own, before],
            IdFirst => changed == [b"id: 4", own],
            WrongId => text.starts_with("id: 1004\nevent: ") && data() == log[3],
            NoId => own.strip_prefix(b"id: 4\n") == Some(changed[0]),
            NoType => text.starts_with("id: 4\ndata: "),
            WrongType => text.starts_with("id: 4\nevent: agent.thinking\n") && data() == log[3],
            NulId => text.starts_with("id: 4\0\nevent: ") && data() == log[3],
            BadId => changed[0].starts_with(b"id: \xff\n"),
            BadUtf8 => std::str::from_utf8(changed[0]).is_err() && changed[0].starts_with(b"id: 4\n"),
            BadJson => own.starts_with(changed[0]) && changed[0].len() == own.len() - 1,
            WrongShape => text.ends_with("\ndata: [1]"),
            TrailingGarbage => text.ends_with("} }"),
            NoData => text.starts_with("id: 4\nevent: ") && !text.contains("data"),
            UnknownType => text.contains("\nevent: unheard.of\n") && data()["type"] == "unheard.of",
            UnknownMembers => data()["unheard_of"].is_object() && data()["payload"]["unheard_of"] == true,
            Diverge => {
                data()["seq"] == 4 && data()["id"] != log[3]["id"] && data()["payload"] != log[3]["payload"]
            }
            _ => panic!("{edit:?}"),
        };
        assert!(fits, "{edit:?}: {text}");
    }
}

/// Without a number every event is changed.
#[tokio::test]
async fn every_event_is_changed_where_none_is_named() {
    let Faulty { log, raw, .. } =
        with_fault(Fault::new(on_stream(), Event::every(EventEdit::Duplicate))).await;
    let twice: Vec<Value> = log
        .iter()
        .flat_map(|event| [event.clone(), event.clone()])
        .collect();
    assert_eq!(decoded(&raw.body()), of_log(&twice));
}

/// Large frames and endless lines are as large as asked, and cost the server no such memory at a time.
#[tokio::test]
async fn oversized_events_and_endless_lines_are_sent() {
    let oversized = Event {
        bytes: 1_000_000,
        ..Event::nth(0, EventEdit::Oversized)
    };
    let Faulty { raw, .. } = with_fault(Fault::new(on_stream(), oversized)).await;
    let first = &decoded(&raw.body())[0].2;
    assert_eq!(first["filling"].as_str().unwrap().len(), 1_000_000);

    let endless = Event {
        bytes: 3_000_000,
        ..Event::nth(1, EventEdit::EndlessLine)
    };
    let Faulty { log, raw, .. } = with_fault(Fault::new(on_stream(), endless)).await;
    let body = raw.body();
    assert_eq!(decoded(&body), of_log(&log[..1]));
    let line = body.len() - body.iter().rposition(|byte| *byte == b'\n').unwrap();
    assert_eq!(line, 1 + "data: ".len() + 3_000_000);
}

/// Text goes in after as many events as asked, as often as asked.
#[tokio::test]
async fn text_is_inserted_between_events() {
    for (after, text, repeat) in [
        (0, "retry: 0\n\n", 1),
        (2, "id\n\n", 1),
        (3, "id: 999\n\n", 1),
        (1, ":\n\n", 5000),
    ] {
        let insert = Insert::new(after, text).repeat(repeat);
        let Faulty { plain, raw, .. } = with_fault(Fault::new(on_stream(), insert)).await;
        // The greeting is no event: with none before it, the text comes first of all.
        let blocks = if after == 0 { 0 } else { after as usize + 1 };
        let before: usize = split(&plain)[..blocks].iter().map(|block| block.len() + 2).sum();
        let text = text.repeat(repeat as usize);
        let expected = [&plain[..before], text.as_bytes(), &plain[before..]].concat();
        assert_eq!(
            String::from_utf8_lossy(&raw.body()),
            String::from_utf8_lossy(&expected)
        );
    }
}

/// STR-4: a stream may resume too early; then what was delivered comes again, and nothing is missing.
#[tokio::test]
async fn a_stream_resumes_too_early() {
    let world = World::new().await;
    let (session, log) = finished(&world).await;
    let faults = world.server.control().faults();
    for (rewind, first) in [(Some(1), 5), (Some(3), 3), (Some(100), 1), (None, 1)] {
        let id = faults.plan(Fault::new(on_stream(), Resume { rewind }));
        let raw = stream(&world, &session, &["last-event-id: 5"]).await;
        assert_eq!(decoded(&raw.body()), of_log(&log[first - 1..]), "{rewind:?}");
        assert_eq!(faults.remove(&id).unwrap().fired, 1);
    }
    // Without a cursor there is nothing to rewind: the fault meets and does not fire.
    let id = faults.plan(Fault::new(on_stream(), Resume { rewind: Some(1) }));
    stream(&world, &session, &[]).await;
    let status = faults.status(&id).unwrap();
    assert_eq!((status.met, status.fired), (1, 0));
}

/// A stream is cut between two events or within one, by FIN or by RST, after as many events as asked; what is cut off
/// is no event. (RST may also take what was not read yet.)
#[tokio::test]
async fn a_stream_is_cut_where_asked() {
    for (point, after) in [
        (Point::Event, 0),
        (Point::Event, 3),
        (Point::MidEvent, 0),
        (Point::MidEvent, 3),
    ] {
        for how in [How::Close, How::Reset] {
            let Faulty { log, raw, .. } =
                with_fault(Fault::new(on_stream(), Cut::new(how, point).after(after))).await;
            let end = if how == How::Close {
                End::Closed
            } else {
                End::Reset
            };
            assert_eq!(raw.end, end, "{point:?} {after} {how:?}");
            if how == How::Close {
                let body = raw.body();
                assert_eq!(decoded(&body), of_log(&log[..after as usize]));
                let whole = body.is_empty() || body.ends_with(b"\n\n");
                assert_eq!(whole, point == Point::Event, "{}", raw.text());
                // An HTTP body that ends in this way is cut off, not ended.
                assert!(!raw.bytes.ends_with(b"0\r\n\r\n"));
            }
        }
    }
}

/// A drop of one event is really a hole: the numbers say so.
#[tokio::test]
async fn a_dropped_event_leaves_a_hole() {
    let Faulty { raw, .. } = with_fault(Fault::new(on_stream(), Event::nth(1, EventEdit::Drop))).await;
    let events: Vec<Value> = decoded(&raw.body())
        .into_iter()
        .map(|(_, _, data)| data)
        .collect();
    assert_eq!(all(&events[..2], "seq"), [1, 3]);
}

fn split(body: &[u8]) -> Vec<&[u8]> {
    let mut blocks = Vec::new();
    let mut rest = body;
    while let Some(end) = rest.windows(2).position(|pair| pair == b"\n\n") {
        blocks.push(&rest[..end]);
        rest = &rest[end + 2..];
    }
    blocks
}
