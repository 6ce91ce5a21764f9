use axum::http::HeaderValue;
use serde_json::Value;

use crate::prove::{
    mutant::Mutant,
    traffic::{Edit, reversed},
};

pub(super) fn carriage_returns(name: &'static str) -> Mutant {
    Mutant::new(name).encode(|frame| {
        let text = String::from_utf8_lossy(&frame.bytes()).replace('\n', "\r\n");
        vec![text.into_bytes()]
    })
}

/// How many pieces a frame is cut into at the most.
const MOST_PIECES: usize = 2_000;

pub(super) fn few_bytes_at_a_time(name: &'static str) -> Mutant {
    Mutant::new(name).encode(|frame| {
        let bytes = frame.bytes();
        // A frame of a quarter of a megabyte would take a minute.
        let few = (bytes.len() / MOST_PIECES).max(7);
        bytes.chunks(few).map(<[u8]>::to_vec).collect()
    })
}

pub(super) fn more_comments(name: &'static str) -> Mutant {
    Mutant::new(name).encode(|frame| vec![b": still here\n\n".to_vec(), frame.bytes()])
}

pub(super) fn unknown_members(name: &'static str) -> Mutant {
    each_event(name, |event| event.put("/novelty", true.into()))
}

/// JSON objects have no order, in no answer and no frame.
pub(super) fn members_in_reverse(name: &'static str) -> Mutant {
    let bodies = Mutant::new(name).answer(|_, answer| {
        answer.edit_text(|text| reversed(text).unwrap_or_else(|| text.to_owned()));
    });
    bodies.frame(|_, _, mut frame| {
        if let Some(data) = frame.field("data").and_then(reversed) {
            frame.set("data", data);
        }
        vec![frame]
    })
}

pub(super) fn other_event_ids(name: &'static str) -> Mutant {
    let other = |value: &mut Value, pointer: &str| {
        if let Some(id) = value.pointer(pointer).and_then(Value::as_str) {
            let id = format!("E/{id}");
            value.put(pointer, id.into());
        }
    };
    let events = each_event(name, move |event| other(event, "/id"));
    events.frame(move |_, _, mut frame| {
        frame.edit(|data| match data["type"].as_str() {
            Some("event_start") => other(data, "/payload/event/id"),
            Some("event_delta") => other(data, "/payload/event_id"),
            _ => other(data, "/id"),
        });
        vec![frame]
    })
}

/// Only the order of numbers is promised: here they go up by seven.
pub(super) fn numbers_with_holes(name: &'static str) -> Mutant {
    const STEP: u64 = 7;
    let spread = |event: &mut Value| {
        if let Some(seq) = event["seq"].as_u64() {
            event.put("/seq", (seq * STEP).into());
        }
    };
    let spreading = each_event(name, spread).request(|call| {
        let after = call
            .parameter("after")
            .and_then(|after| after.parse::<u64>().ok());
        if let Some(after) = after {
            call.set_parameter("after", after / STEP);
        }
        if let Some(cursor) = call.cursor() {
            call.set_header("last-event-id", cursor / STEP);
        }
        let mut body = call.json();
        if let Some(from) = body.pointer("/from/seq").and_then(Value::as_u64) {
            body.put("/from/seq", (from / STEP).into());
            call.set_json(&body);
        }
    });
    spreading.frame(move |_, _, mut frame| {
        if !frame.is_preview() {
            frame.set("id", frame.seq() * STEP);
            frame.edit(spread);
        }
        vec![frame]
    })
}

pub(super) fn small_pages(name: &'static str) -> Mutant {
    Mutant::new(name).request(|call| {
        let wanted = call
            .parameter("limit")
            .map_or(100, |limit| limit.parse::<u64>().unwrap_or(0));
        if call.is_list() && wanted > 4 {
            call.set_parameter("limit", 4);
        }
    })
}

/// Delivery is at least once; a preview is no delivery.
pub(super) fn delivers_twice(name: &'static str) -> Mutant {
    Mutant::new(name).frame(|_, _, frame| match frame.is_preview() {
        true => vec![frame],
        false => vec![frame.clone(), frame],
    })
}

pub(super) fn bare_stream_heads(name: &'static str) -> Mutant {
    Mutant::new(name).without_comments().answer(|call, answer| {
        if call.is_stream() && answer.status == 200 {
            answer.headers.remove("cache-control");
            let bare = HeaderValue::from_static("text/event-stream");
            answer.headers.insert("content-type", bare);
        }
    })
}

/// The same change on every event, wherever it is shown.
fn each_event(name: &'static str, change: impl Fn(&mut Value) + Copy + Send + Sync + 'static) -> Mutant {
    Mutant::new(name)
        .answer(move |call, answer| {
            if call.is_list() && answer.status == 200 {
                answer.edit_events(|events| events.iter_mut().for_each(change));
            } else if call.is_append() && answer.status < 300 {
                answer.edit(change);
            } else if call.path.ends_with("/diff") && answer.status == 200 {
                answer.edit(|diff| {
                    for side in ["/left/events", "/right/events"] {
                        let events = diff.pointer_mut(side).and_then(Value::as_array_mut);
                        events.into_iter().flatten().for_each(change);
                    }
                });
            }
        })
        .frame(move |_, _, mut frame| {
            if !frame.is_preview() {
                frame.edit(change);
            }
            vec![frame]
        })
}
