//! What P03, P09, P10, P12 and P17 say of an event that is missing from the middle of a read.

use std::collections::HashSet;

use super::{
    finding::Docket,
    order::shown,
    preview::is_preview,
    view::{Read, Sighting, Source, View},
};
use crate::model::{
    anomaly::Property,
    history::{Call, Phase, Seen, StreamEnd, Until},
};

pub(super) fn judge(view: &View<'_>, docket: &mut Docket) {
    for read in &view.reads {
        decide(read, docket);
        let Some(log) = view.logs.get(read.session) else {
            continue;
        };
        let seqs: HashSet<u64> = read.events.iter().map(|event| event.seq).collect();
        let ids: HashSet<&str> = read.events.iter().map(|event| event.id.as_str()).collect();
        if read.head <= read.after {
            continue;
        }
        for (seq, sighting) in log.range(read.after + 1..=read.head) {
            let event = sighting.event;
            // Under another number, or no event at all: the matter of P02 and P17.
            if seqs.contains(seq) || ids.contains(event.id.as_str()) || is_preview(&event.kind) {
                continue;
            }
            docket.find(
                name(read, sighting),
                format!("{} seq {seq}", read.session),
                &[read.operation, sighting.list.unwrap_or(sighting.first)],
                format!("between {} and {}: {}", read.after, read.head, shown(event)),
                "it is not there",
            );
        }
    }
    stops_short(view, docket);
}

fn name(read: &Read<'_>, missing: &Sighting<'_>) -> &'static str {
    let seq = missing.event.seq;
    match (&read.source, missing.list) {
        (Source::Stream { previews: true, .. }, _) if missing.plain_stream => "preview-hides-event",
        (Source::Stream { .. }, _) if read.after > 0 && read.events.iter().all(|event| event.seq > seq) => {
            "resume-gap"
        }
        (Source::Stream { .. }, _) => "missing-in-stream",
        (Source::List { pages, .. }, _) if between_pages(read, pages, seq) => "page-gap",
        (Source::List { .. }, None) => "missing-in-list",
        (Source::List { .. }, Some(list)) if list.is_before(read.operation) => "vanished",
        (Source::List { .. }, Some(_)) => "inserted",
    }
}

/// Whether its place is where one page ends and the next begins.
fn between_pages(read: &Read<'_>, pages: &[usize], seq: u64) -> bool {
    let mut start = 0;
    let ends: HashSet<usize> = pages
        .iter()
        .map(|length| {
            start += length;
            start
        })
        .collect();
    let place = read.events.iter().position(|event| event.seq > seq);
    place.is_some_and(|place| place > 0 && ends.contains(&place))
}

fn stops_short(view: &View<'_>, docket: &mut Docket) {
    for read in &view.reads {
        let Call::Stream {
            until: Until::Seq(awaited),
            ..
        } = read.operation.call
        else {
            continue;
        };
        let Some(Seen::Blocks { end, .. }) = read.operation.seen else {
            continue;
        };
        // A connection may end at any time; one that stays open has to deliver.
        let gave_up = end == StreamEnd::Deadline;
        let sighting = view.logs.get(read.session).and_then(|log| log.get(&awaited));
        let Some(list) = sighting
            .and_then(|sighting| sighting.list)
            .filter(|_| gave_up && read.head < awaited)
        else {
            continue;
        };
        docket.find(
            "stream-stops-short",
            format!("{} seq {awaited}", read.session),
            &[list, read.operation],
            format!(
                "the stream after {} to reach seq {awaited}, which a list showed",
                read.after
            ),
            format!("its last event is {}", read.head),
        );
    }
}

fn decide(read: &Read<'_>, docket: &mut Docket) {
    if read.events.is_empty() || read.operation.phase == Phase::Fail {
        return;
    }
    match &read.source {
        Source::List { pages, .. } => {
            if pages.len() > 1 {
                docket.decide(Property::Paging);
            }
        }
        Source::Stream { previews, blocks } => {
            docket.decide(Property::ListIsStream);
            if read.after > 0 {
                docket.decide(Property::Resume);
            }
            if *previews && blocks.iter().any(|block| block.preview.is_some()) {
                docket.decide(Property::PreviewErasure);
            }
        }
    }
}
