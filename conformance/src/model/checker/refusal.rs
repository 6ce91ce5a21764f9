//! P14: a refused call changes nothing.

use std::collections::{HashMap, HashSet};

use super::{
    finding::Docket,
    order::shown,
    view::{Read, View},
    work,
};
use crate::{
    model::{
        anomaly::Property,
        history::{Call, Operation, Phase},
        rest::at_rest,
    },
    stimulus::event::Event,
};

pub(super) fn judge(view: &View<'_>, docket: &mut Docket) {
    // A refused message is the matter of P05.
    let messages = view.messages.values().flat_map(|message| &message.copies);
    let messages: HashSet<&str> = messages.map(|(_, event, _)| event.id.as_str()).collect();
    let mut around: HashMap<&str, Around<'_, '_>> = HashMap::new();
    let writers = Writers::of(view);
    for operation in view.operations() {
        if operation.phase != Phase::Fail {
            continue;
        }
        let Some(session) = operation.call.session() else {
            continue;
        };
        let lists = around
            .entry(session)
            .or_insert_with(|| Around::of(view, session, &messages));
        let Some((before, after)) = lists.of_call(operation) else {
            continue;
        };
        let writes = writers.get(session);
        if !before.rests || writes.is_some_and(|writers| writers.may_write(before.read, after.read)) {
            continue;
        }
        docket.decide(Property::PureRefusal);
        let new = after
            .starting
            .partition_point(|event| event.seq <= before.read.head);
        if let Some(event) = after.starting.get(new) {
            docket.find(
                "refusal-had-effect",
                format!("{session} operation {}", operation.number),
                &[before.read.operation, operation, after.read.operation],
                format!("nothing put in or started above {}", before.read.head),
                shown(event),
            );
        }
    }
}

/// A server may write by itself, but not what a caller puts in or what starts work.
fn starts(event: &Event) -> bool {
    event.kind.starts_with("user.") || event.kind == "run.created" || event.kind == "session.forked"
}

/// A whole list, as far as it says what a call did.
struct Look<'v, 'h> {
    read: &'v Read<'h>,
    rests: bool,
    /// What was put in or started, by its number.
    starting: Vec<&'h Event>,
}

/// The whole lists of a Session.
struct Around<'v, 'h> {
    /// In the order in which they began.
    looks: Vec<Look<'v, 'h>>,
    /// When they ended, and the last of those that had ended then.
    ended: Vec<(usize, usize)>,
}

impl<'v, 'h> Around<'v, 'h> {
    fn of(view: &'v View<'h>, session: &str, messages: &HashSet<&str>) -> Self {
        let look = |read: &'v Read<'h>| {
            let starting = read.events.iter().copied().filter(|event| {
                work::step();
                starts(event) && !messages.contains(event.id.as_str())
            });
            let mut starting: Vec<&Event> = starting.collect();
            starting.sort_by_key(|event| event.seq);
            Look {
                read,
                rests: at_rest(&read.events),
                starting,
            }
        };
        let looks: Vec<Look<'_, '_>> = view.whole_lists(session).map(look).collect();
        let ends = looks.iter().enumerate();
        let mut ended: Vec<(usize, usize)> = ends
            .filter_map(|(place, look)| Some((look.read.operation.completed?, place)))
            .collect();
        ended.sort_unstable();
        let mut last = 0;
        for (_, place) in &mut ended {
            last = last.max(*place);
            *place = last;
        }
        Self { looks, ended }
    }

    /// The last list before a call and the first one behind it.
    fn of_call(&self, call: &Operation) -> Option<(&Look<'v, 'h>, &Look<'v, 'h>)> {
        let before = self.ended.partition_point(|(end, _)| *end < call.invoked);
        let (_, before) = self.ended.get(before.checked_sub(1)?)?;
        let completed = call.completed?;
        let after = self
            .looks
            .partition_point(|look| look.read.operation.invoked <= completed);
        Some((self.looks.get(*before)?, self.looks.get(after)?))
    }
}

/// The calls that may have written to one Session, in the order in which they began.
#[derive(Default)]
struct Writers {
    invoked: Vec<usize>,
    /// The last end among the calls up to here.
    ended: Vec<usize>,
    /// The highest number under which one of them took effect, of those up to here whose fate is unknown.
    unknown: Vec<u64>,
}

impl Writers {
    fn of<'h>(view: &View<'h>) -> HashMap<&'h str, Self> {
        let mut writers: HashMap<&str, Self> = HashMap::new();
        let mut seen = HashMap::new();
        for operation in view.operations().filter(|operation| operation.may_write()) {
            let Some(session) = operation.call.session() else {
                continue;
            };
            let unknown = match operation.phase {
                Phase::Info => match &operation.call {
                    Call::Append { token, .. } => *seen
                        .entry((session, token.as_str()))
                        .or_insert_with(|| first_seen(view, session, token)),
                    _ => u64::MAX,
                },
                _ => 0,
            };
            let known: &mut Self = writers.entry(session).or_default();
            let ended = known.ended.last().copied().unwrap_or(0);
            let before = known.unknown.last().copied().unwrap_or(0);
            known.invoked.push(operation.invoked);
            known
                .ended
                .push(ended.max(operation.completed.unwrap_or(usize::MAX)));
            known.unknown.push(before.max(unknown));
        }
        writers
    }

    /// Whether one of them may have had an effect between two lists. What was unknown and is in the first list already has
    /// none any more.
    fn may_write(&self, before: &Read<'_>, after: &Read<'_>) -> bool {
        let end = after.operation.completed.unwrap_or(usize::MAX);
        let begun = self.invoked.partition_point(|invoked| *invoked < end);
        let Some(last) = begun.checked_sub(1) else {
            return false;
        };
        let ended = self.ended.get(last).copied().unwrap_or(usize::MAX);
        let unknown = self.unknown.get(last).copied().unwrap_or(u64::MAX);
        ended > before.operation.invoked || unknown > before.head
    }
}

/// The lowest number under which a Session shows this message; beyond all numbers if none does.
fn first_seen(view: &View<'_>, session: &str, token: &str) -> u64 {
    let copies = view.messages.get(token).map(|message| &message.copies);
    let own = copies
        .into_iter()
        .flatten()
        .filter(|(known, ..)| *known == session);
    own.map(|(_, event, _)| event.seq).min().unwrap_or(u64::MAX)
}
