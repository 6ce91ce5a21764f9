use std::{collections::HashSet, sync::Mutex};

use serde_json::Value;

use crate::{
    mutant::Mutant,
    traffic::{Answer, Call},
};

pub(super) fn mutants() -> Vec<Mutant> {
    vec![
        Mutant::new("never-settles")
            .answer(|call, answer| drop_kind(call, answer, "session.status_idle"))
            .kills("srv.turn.settles", "a Session settlement"),
        Mutant::new("not-drivable-again")
            .instead({
                let driven = Mutex::new(HashSet::new());
                move |call| {
                    let again = call.is_append() && !driven.lock().unwrap().insert(call.path.clone());
                    again.then(|| Answer::new(409, "application/json", "{}"))
                }
            })
            .kills("srv.turn.settles", "a 2xx status"),
        Mutant::new("completes-by-itself")
            .answer(|call, answer| {
                rename_kind(call, answer, "session.status_idle", "session.status_completed")
            })
            .kills("srv.turn.settles", "an idle after a plain turn"),
        Mutant::new("run-without-an-end")
            .answer(|call, answer| drop_kind(call, answer, "run.completed"))
            .kills("srv.turn.run-settles", "one settlement of"),
        Mutant::new("another-run-ends")
            .answer(|call, answer| {
                edit_kind(call, answer, "run.completed", |event| {
                    event["run_id"] = "run_ffffffffffffffffffffffffffffffff".into();
                });
            })
            .kills("srv.turn.run-settles", "one settlement of"),
        Mutant::new("run-starts-unseen")
            .answer(|call, answer| drop_kind(call, answer, "run.started"))
            .kills("srv.turn.order", "run.started"),
        Mutant::new("idles-for-another-reason")
            .answer(|call, answer| {
                edit_kind(call, answer, "session.status_idle", |event| {
                    event["payload"]["stop_reason"] = "refusal".into();
                });
            })
            .kills("srv.turn.order", "the stop reason"),
        Mutant::new("an-eleventh-status")
            .answer(|call, answer| rename_kind(call, answer, "session.status_running", "session.status_busy"))
            .kills("srv.turn.ten-statuses", "one of the ten"),
    ]
}

fn drop_kind(call: &Call, answer: &mut Answer, kind: &str) {
    if call.is_list() {
        answer.edit_events(|events| events.retain(|event| event["type"] != kind));
    }
}

fn rename_kind(call: &Call, answer: &mut Answer, kind: &str, name: &str) {
    edit_kind(call, answer, kind, |event| event["type"] = name.into());
}

fn edit_kind(call: &Call, answer: &mut Answer, kind: &str, change: impl Fn(&mut Value)) {
    if call.is_list() {
        answer.edit_events(|events| {
            events
                .iter_mut()
                .filter(|event| event["type"] == kind)
                .for_each(change)
        });
    }
}
