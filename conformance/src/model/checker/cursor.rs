//! P11, and what P10 says of what comes below a cursor.

use std::collections::BTreeMap;

use super::{
    finding::Docket,
    order::shown,
    view::{Read, Sighting, Source, View},
};
use crate::model::{anomaly::Property, history::Block};

pub(super) fn judge(view: &View<'_>, docket: &mut Docket) {
    for read in &view.reads {
        if let Some(event) = read.events.iter().find(|event| event.seq <= read.after) {
            docket.find(
                "below-cursor",
                format!("{} operation {}", read.session, read.operation.number),
                &[read.operation],
                format!("only events above the cursor {}", read.after),
                shown(event),
            );
        }
        if let (Source::Stream { blocks, .. }, Some(log)) = (&read.source, view.logs.get(read.session)) {
            announced(view, read, blocks, log, docket);
        }
    }
}

/// Cutting a stream behind any byte leaves whole blocks, so the last cursor of each is what a reader would resume from.
fn announced(
    view: &View<'_>,
    read: &Read<'_>,
    blocks: &[Block],
    log: &BTreeMap<u64, Sighting<'_>>,
    docket: &mut Docket,
) {
    let mut delivered = read.after;
    for block in blocks {
        let event = block.event.as_ref().and_then(|name| view.history.event(name));
        delivered = delivered.max(event.map_or(0, |event| event.seq));
        let Some(cursor) = block.id.as_ref().and_then(|id| id.parse::<u64>().ok()) else {
            continue;
        };
        docket.decide(Property::CursorBehindData);
        if cursor <= delivered {
            continue;
        }
        if let Some((_, skipped)) = log.range(delivered + 1..=cursor).next() {
            docket.find(
                "cursor-ahead",
                format!("{} operation {} id {cursor}", read.session, read.operation.number),
                &[read.operation, skipped.first],
                format!("no id above {delivered}, the last seq that had come"),
                format!("id {cursor}: resuming there loses {}", shown(skipped.event)),
            );
        }
    }
}
