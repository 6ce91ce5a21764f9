use serde_json::Value;

use crate::prove::{
    mutant::Mutant,
    traffic::{Answer, Call, Edit},
};

/// Leaves the events of this type out of a list.
pub(super) fn drop_kind(call: &Call, answer: &mut Answer, kind: &str) {
    if call.is_list() {
        answer.edit_events(|events| events.retain(|event| event["type"] != kind));
    }
}

/// Gives the events of this type in a list another one.
pub(super) fn rename_kind(call: &Call, answer: &mut Answer, kind: &str, name: &str) {
    edit_kind(call, answer, kind, |event| event.put("/type", name.into()));
}

/// Changes the events of this type in a list.
pub(super) fn edit_kind(call: &Call, answer: &mut Answer, kind: &str, change: impl Fn(&mut Value)) {
    if call.is_list() {
        answer.edit_events(|events| {
            events
                .iter_mut()
                .filter(|event| event["type"] == kind)
                .for_each(change)
        });
    }
}

/// Leaves all events of this type but the first out of a list.
pub(super) fn drop_behind_first(call: &Call, answer: &mut Answer, kind: &str) {
    if call.is_list() {
        let mut count = 0;
        answer.edit_events(|events| {
            events.retain(|event| {
                count += usize::from(event["type"] == kind);
                event["type"] != kind || count == 1
            });
        });
    }
}

/// Changes the events of a list that stand behind the first answer to a call or a Question.
pub(super) fn edit_behind_answer(call: &Call, answer: &mut Answer, change: impl Fn(&mut Value)) {
    if call.is_list() {
        answer.edit_events(|events| {
            events
                .iter_mut()
                .skip_while(|event| !is_answer(event))
                .for_each(change)
        });
    }
}

/// Whether this event, or a body of one, answers a call or a Question.
pub(super) fn is_answer(event: &Value) -> bool {
    let answers = [
        "user.custom_tool_result",
        "user.tool_confirmation",
        "user.question_answer",
    ];
    answers.iter().any(|kind| event["type"] == *kind)
}

/// The id of a Run that there never was.
pub(super) const NO_RUN: &str = "run_ffffffffffffffffffffffffffffffff";

/// Changes the items of every page that `concerns` picks.
pub(super) fn pages(
    name: &'static str,
    concerns: impl Fn(&Call) -> bool + Send + Sync + 'static,
    change: impl Fn(&mut Vec<Value>) + Send + Sync + 'static,
) -> Mutant {
    Mutant::new(name).answer(move |call, answer| {
        if concerns(call) && answer.status == 200 {
            answer.edit_events(&change);
        }
    })
}

/// Changes the events of every list of a Session.
pub(super) fn of_the_session(
    name: &'static str,
    change: impl Fn(&mut Vec<Value>) + Send + Sync + 'static,
) -> Mutant {
    pages(name, |call| call.is_list() && call.thread().is_none(), change)
}

pub(super) fn each(items: &mut [Value], change: impl Fn(&mut Value)) {
    items.iter_mut().for_each(change);
}
