//! P15 and P16: what settles stays settled, and what is finished settles.

use std::collections::{BTreeMap, HashMap};

use super::{
    finding::Docket,
    order::shown,
    view::{Sighting, View},
    work,
};
use crate::model::{
    anomaly::Property,
    history::{Call, Seen, StreamEnd, Until},
};

pub(super) fn judge(view: &View<'_>, docket: &mut Docket) {
    for (session, log) in &view.logs {
        let mut settled: HashMap<&str, &Sighting<'_>> = HashMap::new();
        for sighting in log.values() {
            let event = sighting.event;
            let Some(run) = event.run_id() else {
                continue;
            };
            if let Some(settlement) = settled.get(run).filter(|_| is_work(&event.kind)) {
                docket.find(
                    "work-after-settlement",
                    format!("{session} seq {}", event.seq),
                    &[settlement.first, sighting.first],
                    format!("no more work of {run} behind {}", shown(settlement.event)),
                    shown(event),
                );
            } else if event.settles_run() {
                docket.decide(Property::SettlementSound);
                settled.insert(run, sighting);
            }
        }
    }
    complete(view, docket);
}

/// What a Run does or goes through; reports about it may come later.
fn is_work(kind: &str) -> bool {
    kind.starts_with("run.")
        || matches!(
            kind,
            "agent.message" | "agent.thinking" | "agent.tool_use" | "agent.question"
        )
}

fn complete(view: &View<'_>, docket: &mut Docket) {
    let mut ended: HashMap<&str, Option<Ended<'_>>> = HashMap::new();
    for operation in view.operations() {
        let Call::Stream {
            session,
            until: Until::Rest,
            ..
        } = &operation.call
        else {
            continue;
        };
        match operation.seen {
            Some(Seen::Blocks {
                end: StreamEnd::Cut, ..
            }) => docket.decide(Property::SettlementComplete),
            Some(Seen::Blocks {
                end: StreamEnd::Deadline,
                ..
            }) => {
                let of_log = || view.logs.get(session.as_str()).and_then(Ended::of);
                let Some(known) = ended.entry(session).or_insert_with(of_log) else {
                    continue;
                };
                docket.decide(Property::SettlementComplete);
                if !known.settles {
                    let last = known.last;
                    docket.find(
                        "unsettled",
                        format!("{session} seq {}", last.event.seq),
                        &[operation, last.first],
                        format!("a settlement of the Session behind {}", shown(last.event)),
                        "none came in time",
                    );
                }
            }
            _ => {}
        }
    }
}

/// A log all of whose Runs have settled.
struct Ended<'v> {
    last: &'v Sighting<'v>,
    /// Whether the Session settles behind the last of them.
    settles: bool,
}

impl<'v> Ended<'v> {
    fn of(log: &'v BTreeMap<u64, Sighting<'v>>) -> Option<Self> {
        let events = || {
            log.values().map(|sighting| {
                work::step();
                sighting.event
            })
        };
        let started = events().filter(|event| event.kind == "run.created").count();
        let ended = events().filter(|event| event.settles_run()).count();
        let last = log.values().rev().find(|sighting| sighting.event.settles_run());
        let last = last.filter(|_| ended >= started)?;
        let mut behind = log.range(last.event.seq..).map(|(_, sighting)| sighting.event);
        Some(Self {
            last,
            settles: behind.any(|event| event.settles_session()),
        })
    }
}
