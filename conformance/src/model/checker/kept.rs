//! What P04 says of content: what was sent, what was acknowledged and what the log shows are one event.

use std::collections::HashMap;

use serde_json::Value;

use super::{
    finding::Docket,
    order::shown,
    view::{Message, View},
};
use crate::{
    model::{
        anomaly::Property,
        history::{Call, Operation, Seen},
    },
    stimulus::event::Event,
};

pub(super) fn judge(view: &View<'_>, docket: &mut Docket) {
    messages(view, docket);
    let mut by_id: HashMap<(&str, &str), (&Event, &Operation)> = HashMap::new();
    for (session, log) in &view.logs {
        for sighting in log.values() {
            by_id.insert((session, &sighting.event.id), (sighting.event, sighting.first));
        }
    }
    for operation in view.operations() {
        match (&operation.call, &operation.seen) {
            (Call::Append { session, .. } | Call::Input { session, .. }, Some(Seen::Unnamed { status })) => {
                docket.find(
                    "bare-acknowledgement",
                    format!("{session} operation {}", operation.number),
                    &[operation],
                    "the envelope of the accepted event",
                    format!("status {status} and a body that is none"),
                )
            }
            (Call::Append { session, .. } | Call::Input { session, .. }, Some(Seen::Accepted { event })) => {
                let acknowledged = view.history.event(event);
                let logged = acknowledged.and_then(|event| by_id.get(&(session, &event.id)));
                if let (Some(acknowledged), Some((event, read))) = (acknowledged, logged) {
                    compare(operation, acknowledged, event, read, docket);
                }
            }
            _ => {}
        }
    }
}

/// Whatever became of its acknowledgement, a message that is there is there as it was sent. Its copies in forks are the
/// matter of P13, and one that was refused that of P05.
fn messages(view: &View<'_>, docket: &mut Docket) {
    for (token, message) in &view.messages {
        if let Some((acknowledged, event, read)) = unmarked(view, message) {
            docket.decide(Property::NoLostWrite);
            let (expected, actual) = message
                .sent
                .first()
                .and_then(|sent| missing(sent, &event.raw))
                .unwrap_or_else(|| (format!("the text with ({token})"), event.raw.to_string()));
            let subject = format!("{} message {token}", message.session);
            let actual = format!("{actual} in {}", shown(event));
            docket.find("altered-write", subject, &[acknowledged, read], expected, actual);
            continue;
        }
        let Some(sent) = message.sent.first().filter(|_| !message.is_refused()) else {
            continue;
        };
        for (session, event, read) in &message.copies {
            if *session != message.session {
                continue;
            }
            docket.decide(Property::NoLostWrite);
            if message
                .sent
                .iter()
                .any(|sent| missing(sent, &event.raw).is_none())
            {
                continue;
            }
            if let Some((expected, actual)) = missing(sent, &event.raw) {
                let mut operations = message.attempts.clone();
                operations.push(read);
                let subject = format!("{session} message {token}");
                let actual = format!("{actual} in {}", shown(event));
                docket.find("altered-write", subject, &operations, expected, actual);
                break;
            }
        }
    }
}

/// A message of which the log has the event that was acknowledged, and not its token: the acknowledgement, the event and a
/// read that shows it.
pub(super) fn unmarked<'h>(
    view: &View<'h>,
    message: &Message<'h>,
) -> Option<(&'h Operation, &'h Event, &'h Operation)> {
    if message.is_there() {
        return None;
    }
    message.attempts.iter().find_map(|attempt| {
        let Some(Seen::Accepted { event }) = &attempt.seen else {
            return None;
        };
        let id = &view.history.event(event)?.id;
        let seq = view.number_of(message.session, id)?;
        let known = view.logs.get(message.session)?.get(&seq)?;
        Some((*attempt, known.event, known.first))
    })
}

/// An input that was acknowledged by its envelope, and any acknowledgement beside the log.
fn compare(
    operation: &Operation,
    acknowledged: &Event,
    logged: &Event,
    read: &Operation,
    docket: &mut Docket,
) {
    let session = operation.call.session().unwrap_or_default();
    let subject = format!("{session} id {}", logged.id);
    if let Call::Input { sent: Some(sent), .. } = &operation.call {
        docket.decide(Property::NoLostWrite);
        if let Some((expected, actual)) = missing(sent, &logged.raw) {
            let actual = format!("{actual} in {}", shown(logged));
            docket.find(
                "altered-write",
                subject.clone(),
                &[operation, read],
                expected,
                actual,
            );
        }
    }
    // An acknowledgement need not show what the log does. Two numbers for one id are the matter of P02.
    if acknowledged.seq != logged.seq {
        return;
    }
    docket.decide(Property::NoLostWrite);
    if let Some((expected, actual)) = contradicting(&acknowledged.raw, &logged.raw) {
        let actual = format!("{actual} in {}", shown(logged));
        docket.find(
            "acknowledged-otherwise",
            subject,
            &[operation, read],
            expected,
            actual,
        );
    }
}

/// What has to be found of an object.
#[derive(Clone, Copy, PartialEq)]
enum Members {
    All,
    /// Those that both have.
    Common,
}

/// The first value that is not kept, and what is there instead. Members may be added, elements may not.
fn missing(sent: &Value, found: &Value) -> Option<(String, String)> {
    differs(sent, Some(found), Members::All, &mut String::new())
}

/// The first value that both have and not alike.
fn contradicting(one: &Value, other: &Value) -> Option<(String, String)> {
    differs(one, Some(other), Members::Common, &mut String::new())
}

fn differs(
    sent: &Value,
    found: Option<&Value>,
    members: Members,
    path: &mut String,
) -> Option<(String, String)> {
    if found.is_none() && members == Members::Common {
        return None;
    }
    let mut below = |name: &str, sent: &Value, found: Option<&Value>| {
        let length = path.len();
        path.push('/');
        path.push_str(name);
        let difference = differs(sent, found, members, path);
        path.truncate(length);
        difference
    };
    match (sent, found) {
        (Value::Object(sent), Some(Value::Object(found))) => sent
            .iter()
            .find_map(|(name, value)| below(name, value, found.get(name))),
        (Value::Array(sent), Some(Value::Array(found))) if sent.len() == found.len() => {
            let mut pairs = sent.iter().zip(found).enumerate();
            pairs.find_map(|(place, (value, found))| below(&place.to_string(), value, Some(found)))
        }
        (Value::Number(sent), Some(Value::Number(found))) if sent.as_f64() == found.as_f64() => None,
        _ if Some(sent) == found => None,
        _ => {
            let told = found.map_or("nothing".to_owned(), Value::to_string);
            Some((format!("{path} as it was: {sent}"), told))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn members_may_be_added_and_nothing_else_changes() {
        let sent = json!({"type": "t", "payload": {"a": [{"b": 1}, null], "c": "é"}});
        let kept =
            json!({"seq": 4, "type": "t", "payload": {"a": [{"b": 1.0, "new": 2}, null], "c": "é", "d": []}});
        assert_eq!(missing(&sent, &kept), None);
        for (pointer, value, told) in [
            ("/type", json!("u"), "/type"),
            ("/payload/c", json!("e"), "/payload/c"),
            ("/payload/a/1", json!(0), "/payload/a/1"),
            ("/payload/a", json!([{"b": 1}, null, null]), "/payload/a"),
            ("/payload/a/0", json!({"new": 2}), "/payload/a/0/b"),
            ("/payload", json!(null), "/payload"),
        ] {
            let mut changed = kept.clone();
            *changed.pointer_mut(pointer).unwrap() = value;
            let (expected, _) = missing(&sent, &changed).unwrap();
            assert!(expected.starts_with(&format!("{told} as it was")), "{expected}");
            assert_eq!(
                contradicting(&sent, &changed).is_none(),
                told.ends_with("/b"),
                "{told}"
            );
        }
    }
}
