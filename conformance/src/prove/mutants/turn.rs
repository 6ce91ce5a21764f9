use std::{collections::HashSet, sync::Mutex};

use super::edit::{drop_kind, edit_kind, rename_kind};
use crate::prove::{
    lock::locked,
    mutant::Mutant,
    traffic::{Answer, Edit},
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
                    let again = call.is_append() && !locked(&driven).insert(call.path.clone());
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
                    event.put("/run_id", "run_ffffffffffffffffffffffffffffffff".into());
                });
            })
            .kills("srv.turn.run-settles", "one settlement of"),
        Mutant::new("run-starts-unseen")
            .answer(|call, answer| drop_kind(call, answer, "run.started"))
            .kills("srv.turn.order", "run.started"),
        Mutant::new("idles-for-another-reason")
            .answer(|call, answer| {
                edit_kind(call, answer, "session.status_idle", |event| {
                    event.put("/payload/stop_reason", "refusal".into());
                });
            })
            .kills("srv.turn.order", "the stop reason"),
        Mutant::new("an-eleventh-status")
            .answer(|call, answer| rename_kind(call, answer, "session.status_running", "session.status_busy"))
            .kills("srv.turn.ten-statuses", "one of the ten"),
        Mutant::new("provisioning-by-another-name")
            .answer(|call, answer| {
                edit_kind(call, answer, "session.status_provisioning", |event| {
                    event.put("/type", "session.status_starting".into());
                });
            })
            .kills("srv.turn.ten-statuses", "one of the ten"),
    ]
}
