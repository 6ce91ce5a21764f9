//! What P03, P09, P10, P12 and P17 say of an event that is missing from the middle of a read.

use std::collections::{BTreeMap, HashSet};

use super::{
    finding::Docket,
    gaps::{Gap, Gaps, Kind},
    order::shown,
    view::{Read, Sighting, Source, View},
    work,
};
use crate::model::{
    anomaly::Property,
    history::{Call, Phase, Seen, StreamEnd, Until},
};

pub(super) fn judge(view: &View<'_>, docket: &mut Docket) {
    let mut unfound: BTreeMap<&str, Gaps> = BTreeMap::new();
    for read in &view.reads {
        decide(read, docket);
        let Some(log) = view.logs.get(read.session) else {
            continue;
        };
        let unfound = unfound.entry(read.session).or_insert_with(|| Gaps::of(log));
        unfound.begin(read.operation.invoked);
        let seqs: HashSet<u64> = read.events.iter().map(|event| event.seq).collect();
        let ids: HashSet<&str> = read.events.iter().map(|event| event.id.as_str()).collect();
        for gap in gaps(read) {
            // Under another number: the matter of P02.
            let misses = |seq: &u64| {
                work::step();
                let known = log.get(seq);
                let under_another = known.is_some_and(|known| ids.contains(known.event.id.as_str()));
                !seqs.contains(seq) && !under_another
            };
            for seq in unfound.take(&gap, misses) {
                let Some(sighting) = log.get(&seq) else {
                    continue;
                };
                docket.find(
                    name(read, gap.kind, sighting),
                    format!("{} seq {seq}", read.session),
                    &[read.operation, sighting.list.unwrap_or(sighting.first)],
                    format!(
                        "between {} and {}: {}",
                        read.after,
                        read.head,
                        shown(sighting.event)
                    ),
                    "it is not there",
                );
            }
        }
    }
    stops_short(view, docket);
}

fn name(read: &Read<'_>, kind: Kind, missing: &Sighting<'_>) -> &'static str {
    match (kind, missing.list) {
        (Kind::Resumed { previews: true } | Kind::Streamed { previews: true }, _) if missing.plain_stream => {
            "preview-hides-event"
        }
        (Kind::Resumed { .. }, _) => "resume-gap",
        (Kind::Streamed { .. }, _) => "missing-in-stream",
        (Kind::BetweenPages, _) => "page-gap",
        (Kind::InPage, None) => "missing-in-list",
        (Kind::InPage, Some(list)) if list.is_before(read.operation) => "vanished",
        (Kind::InPage, Some(_)) => "inserted",
    }
}

/// The stretches in which a read may miss something; together they are what it covers.
fn gaps(read: &Read<'_>) -> Vec<Gap> {
    let pages = match &read.source {
        Source::Stream { previews, .. } => {
            let previews = *previews;
            let lowest = read.events.iter().map(|event| event.seq).min();
            let Some(lowest) = lowest.filter(|lowest| read.after > 0 && *lowest > read.after) else {
                return vec![Gap::new(
                    Kind::Streamed { previews },
                    read.after,
                    read.head.saturating_add(1),
                )];
            };
            return vec![
                Gap::new(Kind::Resumed { previews }, read.after, lowest),
                Gap::new(Kind::Streamed { previews }, lowest, read.head.saturating_add(1)),
            ];
        }
        Source::List { pages, .. } => pages,
    };
    let mut start = 0;
    let ends: HashSet<usize> = pages
        .iter()
        .map(|length| {
            start += length;
            start
        })
        .collect();
    let mut highest = read.after;
    let mut gaps = Vec::new();
    for (place, event) in read.events.iter().enumerate() {
        work::step();
        // Its place is where one page ends and the next begins.
        let kind = match place > 0 && ends.contains(&place) {
            true => Kind::BetweenPages,
            false => Kind::InPage,
        };
        if event.seq > highest {
            gaps.push(Gap::new(kind, highest, event.seq));
            highest = event.seq;
        }
    }
    gaps
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

#[cfg(test)]
mod tests;
