//! P13: forks begin as their sources did, and then live apart.

use std::collections::{BTreeMap, HashMap};

use serde_json::Value;

use super::{
    finding::Docket,
    order::shown,
    view::{Sighting, View, in_order},
    work,
};
use crate::{
    model::{
        anomaly::Property,
        history::{Call, Operation, Phase, Seen},
    },
    stimulus::event::Event,
};

/// How many differences of one fork are shown; the rest says no more, and many forks may have no event at all.
const SHOWN: usize = 50;

type Log<'h> = BTreeMap<u64, Sighting<'h>>;

/// A fork that was made, as far as it was read.
struct Fork<'v, 'h> {
    operation: &'h Operation,
    source: &'h str,
    id: &'h str,
    /// The lists that show both.
    lists: [&'h Operation; 2],
    from: &'v Log<'h>,
    to: &'v Log<'h>,
    /// The seq of the last event that both have.
    point: u64,
}

pub(super) fn judge(view: &View<'_>, docket: &mut Docket) {
    for operation in view.operations() {
        let Some(fork) = Fork::of(view, operation) else {
            continue;
        };
        docket.decide(Property::Fork);
        fork.begins_alike(docket);
        fork.lives_apart(view, docket);
    }
    messages_stay(view, docket);
}

impl<'v, 'h> Fork<'v, 'h> {
    fn of(view: &'v View<'h>, operation: &'h Operation) -> Option<Self> {
        let (Call::Fork { session, at }, Some(Seen::Session { id }), Phase::Ok) =
            (&operation.call, &operation.seen, operation.phase)
        else {
            return None;
        };
        let source = view.last_list_behind(session, operation)?;
        let copy = view.whole_lists(id).next_back()?;
        let (from, to) = (view.logs.get(session.as_str())?, view.logs.get(id.as_str())?);
        Some(Self {
            operation,
            source: session,
            id,
            lists: [source.operation, copy.operation],
            from,
            to,
            point: at.unwrap_or_else(|| head_point(view, session, to)),
        })
    }

    fn begins_alike(&self, docket: &mut Docket) {
        let seqs = self
            .from
            .range(..=self.point)
            .chain(self.to.range(..=self.point))
            .map(|(seq, _)| seq);
        let mut differences = 0;
        for seq in seqs {
            work::step();
            let (from, to) = (self.from.get(seq), self.to.get(seq));
            let subject = format!("{} seq {seq}", self.id);
            match (from.map(|known| known.event), to.map(|known| known.event)) {
                (Some(original), Some(copy)) if original.id == copy.id => {
                    if without_session(original) != without_session(copy) {
                        let (expected, actual) = (original.raw.to_string(), copy.raw.to_string());
                        docket.find("fork-copy-differs", subject, &self.witnesses(), expected, actual);
                    }
                }
                (original, copy) => {
                    differences += 1;
                    if differences > SHOWN {
                        break;
                    }
                    let told = |event: Option<&Event>| event.map_or("no event there".to_owned(), shown);
                    docket.find(
                        "fork-prefix",
                        subject,
                        &self.witnesses(),
                        told(original),
                        told(copy),
                    );
                }
            }
        }
    }

    fn lives_apart(&self, view: &View<'_>, docket: &mut Docket) {
        let Some(above) = self.point.checked_add(1) else {
            return;
        };
        for event in self.to.range(above..).map(|(_, known)| known.event) {
            work::step();
            let in_source = view.number_of(self.source, &event.id);
            if in_source.is_some_and(|seq| seq > self.point) {
                docket.find(
                    "fork-leak",
                    format!("{} id {}", self.id, event.id),
                    &self.witnesses(),
                    format!("no event of {} above the fork point {}", self.source, self.point),
                    shown(event),
                );
            }
        }
    }

    fn witnesses(&self) -> [&'h Operation; 3] {
        [self.operation, self.lists[0], self.lists[1]]
    }
}

/// Where a fork of the head was made: below the first event that the fork alone has.
fn head_point(view: &View<'_>, source: &str, to: &Log<'_>) -> u64 {
    let names_source = |event: &&Event| {
        event.kind == "session.forked" && event.payload("/source_session_id") == Some(&Value::from(source))
    };
    let mark = in_order(to).filter(names_source).last();
    let mark = mark.or_else(|| in_order(to).find(|event| view.number_of(source, &event.id).is_none()));
    let below = |event: &&Event| mark.is_none_or(|mark| event.seq < mark.seq);
    in_order(to).filter(below).last().map_or(0, |event| event.seq)
}

/// A message is where it was sent, and as a copy in the forks of that.
fn messages_stay(view: &View<'_>, docket: &mut Docket) {
    let mut sources: HashMap<&str, (&str, &Operation)> = HashMap::new();
    for operation in view.operations() {
        if let (Call::Fork { session, .. }, Some(Seen::Session { id })) = (&operation.call, &operation.seen) {
            sources.insert(id, (session, operation));
        }
    }
    for (token, message) in &view.messages {
        let own = message
            .copies
            .iter()
            .find(|(session, ..)| *session == message.session);
        for (session, event, read) in &message.copies {
            // A Session is not its own ancestor unless a server gives an id twice.
            let ancestors = std::iter::successors(Some(*session), |session| {
                sources.get(session).map(|(source, _)| *source)
            });
            let descends = ancestors
                .take(sources.len() + 1)
                .any(|ancestor| ancestor == message.session);
            let same =
                own.is_none_or(|(_, original, _)| original.id == event.id) || *session == message.session;
            if descends && same {
                continue;
            }
            let mut operations = vec![*read];
            operations.extend(message.attempts.first());
            operations.extend(sources.get(session).map(|(_, fork)| *fork));
            docket.find(
                "fork-leak",
                format!("{session} message {token}"),
                &operations,
                format!(
                    "the message ({token}) in {} and in forks made behind it alone",
                    message.session
                ),
                shown(event),
            );
        }
    }
}

fn without_session(event: &Event) -> Value {
    let mut raw = event.raw.clone();
    if let Some(members) = raw.as_object_mut() {
        members.remove("session_id");
    }
    raw
}
