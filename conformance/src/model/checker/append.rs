//! P04 to P07: messages and what became of them.

use std::collections::{BTreeMap, HashSet};

use super::{
    finding::Docket,
    kept,
    order::shown,
    view::{Message, View},
};
use crate::{
    model::{
        anomaly::Property,
        history::{Operation, Phase, Seen},
    },
    stimulus::event::Event,
};

pub(super) fn judge(view: &View<'_>, docket: &mut Docket) {
    for (token, message) in &view.messages {
        lost(view, docket, token, message);
        ghost(view, docket, token, message);
        twice(docket, token, message);
        replayed(view, docket, token, message);
    }
    in_real_time(view, docket);
}

fn lost(view: &View<'_>, docket: &mut Docket, token: &str, message: &Message<'_>) {
    let Some(acknowledged) = message.attempts.iter().find(|attempt| attempt.phase == Phase::Ok) else {
        return;
    };
    let Some(list) = view.last_list_behind(message.session, acknowledged) else {
        return;
    };
    docket.decide(Property::NoLostWrite);
    // What is there and bears no mark of it was altered.
    if !message.is_there() && kept::unmarked(view, message).is_none() {
        docket.find(
            "lost-write",
            format!("{} message {token}", message.session),
            &[acknowledged, list.operation],
            format!("the acknowledged message ({token}) in the log"),
            format!("no read shows it; the last list ends at {}", list.head),
        );
    }
}

fn ghost(view: &View<'_>, docket: &mut Docket, token: &str, message: &Message<'_>) {
    if !message.is_refused() {
        return;
    }
    let read_behind = |attempt: &&Operation| view.last_list_behind(message.session, attempt).is_some();
    if message.attempts.iter().all(read_behind) {
        docket.decide(Property::NoGhost);
    }
    if let Some((session, event, read)) = message.copies.first() {
        let mut operations = message.attempts.clone();
        operations.push(read);
        docket.find(
            "aborted-read",
            format!("{session} message {token}"),
            &operations,
            format!("no message ({token}), which was refused"),
            shown(event),
        );
    }
}

fn twice(docket: &mut Docket, token: &str, message: &Message<'_>) {
    let sent = message.attempts.len();
    if !message.copies.is_empty() {
        docket.decide(Property::NoDuplicate);
    }
    let name = if sent > 1 {
        "duplicate-on-retry"
    } else {
        "duplicate"
    };
    let mut per_session: BTreeMap<&str, Vec<_>> = BTreeMap::new();
    for copy in &message.copies {
        per_session.entry(copy.0).or_default().push(copy);
    }
    for (session, copies) in per_session.into_iter().filter(|(_, copies)| copies.len() > 1) {
        let ids: HashSet<&str> = copies.iter().map(|(_, event, _)| event.id.as_str()).collect();
        // One id under two numbers is the matter of P02.
        if ids.len() < copies.len() {
            continue;
        }
        let mut operations = message.attempts.clone();
        operations.extend(copies.iter().map(|(_, _, read)| *read));
        docket.find(
            name,
            format!("{session} message {token}"),
            &operations,
            format!("one message ({token}), which was sent {sent} times under one key"),
            copies
                .iter()
                .map(|(_, event, _)| shown(event))
                .collect::<Vec<_>>()
                .join(" and "),
        );
    }
}

fn replayed(view: &View<'_>, docket: &mut Docket, token: &str, message: &Message<'_>) {
    let mut answers = message.attempts.iter().filter_map(|attempt| match &attempt.seen {
        Some(Seen::Accepted { event }) => Some((*attempt, view.history.event(event)?.as_ref())),
        _ => None,
    });
    let Some((first, original)) = answers.next() else {
        return;
    };
    for (again, event) in answers {
        docket.decide(Property::NoDuplicate);
        if event.id != original.id || event.seq != original.seq {
            docket.find(
                "replay-differs",
                format!("{} message {token}", message.session),
                &[first, again],
                shown(original),
                shown(event),
            );
        }
    }
}

fn in_real_time(view: &View<'_>, docket: &mut Docket) {
    let messages = view.messages_by_session();
    for session in view.logs.keys() {
        let mut sent: Vec<(&Operation, Option<&Operation>, &Event)> = messages
            .get(session)
            .into_iter()
            .flatten()
            .filter_map(|message| {
                let mut own = message.copies.iter().filter(|(known, ..)| known == session);
                let (Some((_, event, _)), None) = (own.next(), own.next()) else {
                    return None;
                };
                let acknowledged = message
                    .attempts
                    .iter()
                    .filter(|attempt| attempt.phase == Phase::Ok);
                let first = acknowledged.min_by_key(|attempt| attempt.completed).copied();
                Some((*message.attempts.first()?, first, *event))
            })
            .collect();
        let mut acknowledged: Vec<_> = sent
            .iter()
            .filter_map(|(_, ok, event)| Some(((*ok)?, *event)))
            .collect();
        acknowledged.sort_by_key(|(operation, _)| operation.completed);
        sent.sort_by_key(|(operation, ..)| operation.invoked);
        let (mut earlier, mut highest) = (acknowledged.into_iter().peekable(), None::<(&Operation, &Event)>);
        for (invoked, _, event) in sent {
            while let Some((operation, known)) =
                earlier.next_if(|(operation, _)| operation.is_before(invoked))
            {
                if highest.is_none_or(|(_, highest)| known.seq > highest.seq) {
                    highest = Some((operation, known));
                }
            }
            let Some((before, known)) = highest else {
                continue;
            };
            docket.decide(Property::RealTime);
            if known.seq > event.seq {
                docket.find(
                    "realtime-order",
                    format!("{session} seq {}", event.seq),
                    &[before, invoked],
                    format!(
                        "a message sent after {} was acknowledged to be above it",
                        shown(known)
                    ),
                    shown(event),
                );
            }
        }
    }
}

#[cfg(test)]
mod tests;
