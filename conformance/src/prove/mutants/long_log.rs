//! Servers that fail deep in a log alone, or where logs meet.

use serde_json::Value;

use super::edit::each;
use crate::prove::{
    mutant::Mutant,
    traffic::{Call, Edit},
};

pub(super) fn mutants() -> Vec<Mutant> {
    vec![
        loses("stream-loses-the-501st", 501).kills("srv.stream.of-a-long-log", "the stream of a long log"),
        loses("stream-loses-the-1000th", 1000).kills("srv.stream.of-a-long-log", "the stream of a long log"),
        Mutant::new("stream-skips-one-behind-900")
            .request(|call| {
                if let Some(cursor) = call.cursor().filter(|cursor| *cursor >= DEEP) {
                    call.set_header("last-event-id", cursor + 1);
                }
            })
            .kills(
                "srv.resume.around-the-largest-page",
                "the stream of a long log after",
            ),
        skips("list-skips-one-behind-900", |_| true).kills(
            "srv.resume.around-the-largest-page",
            "the list of a long log after",
        ),
        skips("small-pages-skip-one-behind-900", |limit| limit == Some("7"))
            .kills("srv.list.deep-pages", "a page of at most 7"),
        skips("default-pages-skip-one-behind-900", |limit| limit.is_none())
            .kills("srv.list.deep-pages", "a page of at most 100"),
        ids("sessions-begin-with-one-id", |event| event["seq"] == 1),
        ids("ids-are-seqs", |_| true),
    ]
}

const DEEP: u64 = 900;

fn loses(name: &'static str, seq: u64) -> Mutant {
    Mutant::new(name).frame(move |_, _, frame| match frame.seq() == seq {
        true => Vec::new(),
        false => vec![frame],
    })
}

/// Begins pages of this size one event too far, deep in a log.
fn skips(name: &'static str, concerns: impl Fn(Option<&str>) -> bool + Send + Sync + 'static) -> Mutant {
    let after = |call: &Call| {
        call.parameter("after")
            .and_then(|after| after.parse::<u64>().ok())
    };
    Mutant::new(name).request(move |call| {
        let deep = after(call).filter(|after| *after >= DEEP && concerns(call.parameter("limit")));
        if let Some(after) = deep {
            call.set_parameter("after", after + 1);
        }
    })
}

/// Gives these events of every Session an id that another one's have too.
fn ids(name: &'static str, concerns: impl Fn(&Value) -> bool + Send + Sync + 'static) -> Mutant {
    Mutant::new(name)
        .answer(move |call, answer| {
            if call.is_list() {
                answer.edit_events(|events| {
                    each(events, |event| {
                        if concerns(event) {
                            let id = format!("evt_{:032x}", event["seq"].as_u64().unwrap_or_default());
                            event.put("/id", id.into());
                        }
                    });
                });
            }
        })
        .kills("srv.stream.ids-are-global", "to be the id of one event")
}
