//! P14: a refused call changes nothing.

use super::{
    finding::Docket,
    order::shown,
    view::{Read, View},
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
    for operation in view
        .operations()
        .filter(|operation| operation.phase == Phase::Fail)
    {
        let Some(session) = operation.call.session() else {
            continue;
        };
        let before = view
            .whole_lists(session)
            .rfind(|read| read.operation.is_before(operation));
        let after = view
            .whole_lists(session)
            .find(|read| operation.is_before(read.operation));
        let (Some(before), Some(after)) = (before, after) else {
            continue;
        };
        let log: Vec<&Event> = before.events.clone();
        if !at_rest(&log) || others_wrote(view, session, before, after) {
            continue;
        }
        docket.decide(Property::PureRefusal);
        let new = after
            .events
            .iter()
            .find(|event| event.seq > before.head && starts(event) && !has_token(view, event));
        if let Some(event) = new {
            docket.find(
                "refusal-had-effect",
                format!("{session} operation {}", operation.number),
                &[before.operation, operation, after.operation],
                format!("nothing put in or started above {}", before.head),
                shown(event),
            );
        }
    }
}

/// A server may write by itself, but not what a caller puts in or what starts work.
fn starts(event: &Event) -> bool {
    event.kind.starts_with("user.") || event.kind == "run.created" || event.kind == "session.forked"
}

/// A refused message is the matter of P05.
fn has_token(view: &View<'_>, event: &Event) -> bool {
    let mut copies = view.messages.values().flat_map(|message| &message.copies);
    copies.any(|(_, copy, _)| copy.id == event.id)
}

fn others_wrote(view: &View<'_>, session: &str, before: &Read<'_>, after: &Read<'_>) -> bool {
    let overlaps = |operation: &Operation| {
        let begins = after
            .operation
            .completed
            .is_none_or(|end| operation.invoked < end);
        let unknown = operation.phase == Phase::Info && !is_seen(view, operation, before);
        let ends = unknown
            || operation
                .completed
                .is_none_or(|end| end > before.operation.invoked);
        begins && ends
    };
    view.operations().any(|operation| {
        operation.call.session() == Some(session) && operation.may_write() && overlaps(operation)
    })
}

/// Whether the effect of a message whose fate was unknown is in this list already.
fn is_seen(view: &View<'_>, operation: &Operation, list: &Read<'_>) -> bool {
    let Call::Append { token, .. } = &operation.call else {
        return false;
    };
    let message = view.messages.get(token.as_str());
    message.is_some_and(|message| {
        let mut copies = message.copies.iter();
        copies.any(|(session, event, _)| *session == list.session && event.seq <= list.head)
    })
}
