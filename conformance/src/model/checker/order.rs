//! P01, P02 and what P03 says of single events.

use std::collections::HashMap;

use super::{finding::Docket, view::View};
use crate::{
    model::{
        anomaly::Property,
        history::{Operation, Seen},
    },
    stimulus::event::Event,
};

pub(super) fn judge(view: &View<'_>, docket: &mut Docket) {
    rising(view, docket);
    one_to_one(view, docket);
}

fn rising(view: &View<'_>, docket: &mut Docket) {
    for read in &view.reads {
        let mut seen: HashMap<u64, &Event> = HashMap::new();
        let mut highest: Option<&Event> = None;
        for event in read.events.iter().copied().filter(|event| event.seq > read.after) {
            // Once more the same number: a repeat, or the matter of P02 and P03.
            if seen.insert(event.seq, event).is_some() {
                continue;
            }
            if let Some(highest) = highest {
                docket.decide(Property::Monotone);
                if event.seq < highest.seq {
                    docket.find(
                        "nonmonotonic",
                        format!("{} operation {}", read.session, read.operation.number),
                        &[read.operation],
                        format!("behind {} an event above it", shown(highest)),
                        shown(event),
                    );
                    continue;
                }
            }
            highest = Some(event);
        }
    }
}

fn one_to_one(view: &View<'_>, docket: &mut Docket) {
    let mut by_seq: HashMap<(&str, u64), (&Event, &Operation)> = HashMap::new();
    let mut by_id: HashMap<(&str, &str), (&Event, &Operation)> = HashMap::new();
    for (session, event, operation) in observations(view) {
        let entry = by_seq.entry((session, event.seq)).or_insert((event, operation));
        let (known, by) = *entry;
        if !is_envelope(by) && is_envelope(operation) {
            *entry = (event, operation);
        }
        let again = by.number != operation.number;
        if known.id != event.id {
            docket.find(
                "inconsistent-seq",
                format!("{session} seq {}", event.seq),
                &[by, operation],
                shown(known),
                shown(event),
            );
        } else if again && is_envelope(operation) {
            docket.decide(Property::Immutable);
            if is_envelope(by) && known.raw != event.raw {
                docket.find(
                    "rewritten",
                    format!("{session} seq {}", event.seq),
                    &[by, operation],
                    known.raw.to_string(),
                    event.raw.to_string(),
                );
            }
        }
        if again {
            docket.decide(Property::Key);
        }
        let (known, by) = *by_id.entry((session, &event.id)).or_insert((event, operation));
        if known.seq != event.seq {
            docket.find(
                "inconsistent-id",
                format!("{session} id {}", event.id),
                &[by, operation],
                shown(known),
                shown(event),
            );
        }
    }
}

/// Every event that was read or acknowledged, in the order of the operations.
fn observations<'h>(view: &View<'h>) -> Vec<(&'h str, &'h Event, &'h Operation)> {
    let read = view.reads.iter().flat_map(|read| {
        read.events
            .iter()
            .map(|event| (read.session, *event, read.operation))
    });
    let accepted = view.operations().filter_map(|operation| {
        let Some(Seen::Accepted { event }) = &operation.seen else {
            return None;
        };
        Some((
            operation.call.session()?,
            view.history.event(event)?.as_ref(),
            operation,
        ))
    });
    let mut observations: Vec<_> = read.chain(accepted).collect();
    observations.sort_by_key(|(_, _, operation)| operation.invoked);
    observations
}

/// Whether what it shows is the persisted envelope; an acknowledgement need not be all of it.
fn is_envelope(operation: &Operation) -> bool {
    !matches!(operation.seen, Some(Seen::Accepted { .. }))
}

pub(super) fn shown(event: &Event) -> String {
    format!("seq {} id {} ({})", event.seq, event.id, event.kind)
}
