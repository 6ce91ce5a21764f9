//! P04 of inputs without a text of their own: by the event that their acknowledgement names, or by their number.

use std::collections::{BTreeMap, HashMap, HashSet};

use serde_json::{Value, json};

use super::{
    finding::Docket,
    order::shown,
    view::{Read, View},
};
use crate::{
    model::{
        anomaly::Property,
        history::{Call, Operation, Phase, Seen},
    },
    stimulus::event::Event,
};

/// What one answers; the same answer once more is answered with the first event.
const ANSWERS: [&str; 3] = [
    "user.question_answer",
    "user.tool_confirmation",
    "user.custom_tool_result",
];

/// The inputs that nothing tells apart but their order: of one kind, to one thing, by one author. Where what was sent is
/// not written down, all of one kind.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Alike<'h> {
    session: &'h str,
    kind: &'h str,
    about: Option<String>,
}

/// An input, however often it was sent.
#[derive(Clone, Copy)]
struct Input<'h> {
    first: &'h Operation,
    acknowledged: &'h Operation,
}

pub(super) fn judge(view: &View<'_>, docket: &mut Docket) {
    let named = named(view, docket);
    let acknowledged = unnamed(view);
    let events = candidates(view, &named, acknowledged.keys());
    let floors = Floors::of(view);
    for (alike, inputs) in acknowledged {
        let seqs = events.get(&alike).map_or(&[][..], Vec::as_slice);
        count(view, docket, &floors, &alike, &inputs, seqs);
    }
}

/// The inputs whose acknowledgement says which events they are, and the ids of all events that any acknowledgement names.
fn named<'h>(view: &View<'h>, docket: &mut Docket) -> HashSet<(&'h str, &'h str)> {
    let logged: HashMap<&str, HashSet<&str>> = view
        .logs
        .iter()
        .map(|(session, log)| {
            (
                *session,
                log.values().map(|known| known.event.id.as_str()).collect(),
            )
        })
        .collect();
    let mut named = HashSet::new();
    for operation in view.operations() {
        let (Some(session), Some(Seen::Accepted { event })) = (operation.call.session(), &operation.seen)
        else {
            continue;
        };
        let Some(event) = view.history.event(event) else {
            continue;
        };
        named.insert((session, event.id.as_str()));
        if !matches!(operation.call, Call::Input { .. }) || operation.phase != Phase::Ok {
            continue;
        }
        let Some(list) = view.last_list_behind(session, operation) else {
            continue;
        };
        docket.decide(Property::NoLostWrite);
        let has_id = logged
            .get(session)
            .is_some_and(|ids| ids.contains(event.id.as_str()));
        let has_seq = view
            .logs
            .get(session)
            .is_some_and(|log| log.contains_key(&event.seq));
        if !has_id && !has_seq {
            docket.find(
                "lost-write",
                format!("{session} id {}", event.id),
                &[operation, list.operation],
                format!("the acknowledged {} in the log", shown(event)),
                format!("no read shows it; the last list ends at {}", list.head),
            );
        }
    }
    named
}

/// The other inputs that were acknowledged before the last list of their Session.
fn unnamed<'h>(view: &View<'h>) -> BTreeMap<Alike<'h>, Vec<Input<'h>>> {
    let mut keyed: BTreeMap<(Alike<'_>, String), (Vec<&Operation>, bool)> = BTreeMap::new();
    for operation in view.operations() {
        let Call::Input {
            session,
            kind,
            key,
            sent,
        } = &operation.call
        else {
            continue;
        };
        let about = sent.as_ref().and_then(|sent| sent.get("payload")).map(about);
        let alike = Alike { session, kind, about };
        let one = match key {
            _ if ANSWERS.contains(&kind.as_str()) => String::new(),
            Some(key) => format!("key {key}"),
            None => format!("operation {}", operation.number),
        };
        let (sent, named) = keyed.entry((alike, one)).or_default();
        sent.push(operation);
        *named |= matches!(operation.seen, Some(Seen::Accepted { .. }));
    }
    let mut inputs: BTreeMap<Alike<'_>, Vec<Input<'_>>> = BTreeMap::new();
    for ((alike, _), (sent, named)) in keyed {
        let acknowledged = sent.iter().find(|operation| operation.phase == Phase::Ok);
        let read = acknowledged.filter(|operation| view.last_list_behind(alike.session, operation).is_some());
        if let (Some(first), Some(acknowledged), false) = (sent.first(), read, named) {
            inputs
                .entry(alike)
                .or_default()
                .push(Input { first, acknowledged });
        }
    }
    inputs
}

/// What tells inputs of one kind apart.
fn about(payload: &Value) -> String {
    let members = ["authored_by", "session_thread_id", "question_id", "tool_use_id"];
    json!(members.map(|name| payload.get(name).unwrap_or(&Value::Null))).to_string()
}

/// The numbers of the events that these inputs may be, the highest first: no acknowledgement names them, and no source of a
/// fork has them.
fn candidates<'h, 'i>(
    view: &View<'h>,
    named: &HashSet<(&str, &str)>,
    wanted: impl Iterator<Item = &'i Alike<'h>>,
) -> BTreeMap<Alike<'h>, Vec<u64>>
where
    'h: 'i,
{
    let mut events: BTreeMap<Alike<'_>, Vec<u64>> = wanted.map(|alike| (alike.clone(), Vec::new())).collect();
    let kinds: HashSet<(&str, &str)> = events.keys().map(|alike| (alike.session, alike.kind)).collect();
    let sources: HashMap<&str, &str> = view
        .operations()
        .filter_map(|operation| match (&operation.call, &operation.seen) {
            (Call::Fork { session, .. }, Some(Seen::Session { id })) => Some((id.as_str(), session.as_str())),
            _ => None,
        })
        .collect();
    let everywhere: HashSet<(&str, &str)> = view
        .logs
        .iter()
        .flat_map(|(session, log)| log.values().map(|known| (*session, known.event.id.as_str())))
        .collect();
    let is_copy = |session: &str, event: &Event| {
        let source = sources.get(session);
        source.is_some_and(|source| everywhere.contains(&(*source, event.id.as_str())))
    };
    for (session, log) in &view.logs {
        for event in log.values().rev().map(|known| known.event) {
            if !kinds.contains(&(*session, event.kind.as_str()))
                || named.contains(&(*session, event.id.as_str()))
                || is_copy(session, event)
            {
                continue;
            }
            let kind = event.kind.as_str();
            for about in [None, Some(about(event.payload("").unwrap_or(&Value::Null)))] {
                let alike = Alike { session, kind, about };
                if let Some(seqs) = events.get_mut(&alike) {
                    seqs.push(event.seq);
                }
            }
        }
    }
    events
}

/// Each input is an event of its own above all that was read before it was sent.
fn count(
    view: &View<'_>,
    docket: &mut Docket,
    floors: &Floors<'_>,
    alike: &Alike<'_>,
    inputs: &[Input<'_>],
    seqs: &[u64],
) {
    let mut by_floor: Vec<(u64, Input<'_>)> = inputs
        .iter()
        .map(|input| (floors.below(alike.session, input.first), *input))
        .collect();
    by_floor.sort_by_key(|(floor, input)| std::cmp::Reverse((*floor, input.first.number)));
    let mut free = seqs.iter().peekable();
    let (mut wanted, mut there) = (0, 0);
    for (floor, input) in by_floor {
        let Some(list) = view.last_list_behind(alike.session, input.acknowledged) else {
            continue;
        };
        docket.decide(Property::NoLostWrite);
        wanted += 1;
        if free.next_if(|seq| **seq > floor).is_some() {
            there += 1;
            continue;
        }
        docket.find(
            "lost-write",
            format!("{} operation {}", alike.session, input.first.number),
            &[input.first, input.acknowledged, list.operation],
            format!(
                "an event for each acknowledged {} above {floor}: {wanted} at least",
                alike.kind
            ),
            format!("{there}; the last list ends at {}", list.head),
        );
    }
}

/// The highest number that had been read of a Session, by when the reads ended.
struct Floors<'h>(HashMap<&'h str, Vec<(usize, u64)>>);

impl<'h> Floors<'h> {
    fn of(view: &View<'h>) -> Self {
        let mut floors: HashMap<&str, Vec<(usize, u64)>> = HashMap::new();
        for read in &view.reads {
            if let (Some(completed), false) = (read.operation.completed, read.events.is_empty()) {
                let known = floors.entry(read.session).or_default();
                known.push((completed, highest(read)));
            }
        }
        for known in floors.values_mut() {
            known.sort_unstable();
            let mut floor = 0;
            for (_, head) in known {
                floor = floor.max(*head);
                *head = floor;
            }
        }
        Self(floors)
    }

    fn below(&self, session: &str, operation: &Operation) -> u64 {
        let known = self.0.get(session).map_or(&[][..], Vec::as_slice);
        let before = known.partition_point(|(completed, _)| *completed < operation.invoked);
        before
            .checked_sub(1)
            .and_then(|place| known.get(place))
            .map_or(0, |(_, floor)| *floor)
    }
}

/// A cursor that was asked for is no event that was read.
fn highest(read: &Read<'_>) -> u64 {
    read.events.iter().map(|event| event.seq).max().unwrap_or(0)
}

#[cfg(test)]
mod tests;
