use serde_json::json;

use super::edit::{NO_RUN, drop_kind, edit_kind, is_answer, rename_kind};
use crate::prove::{
    mutant::Mutant,
    traffic::{Call, Edit},
};

pub(super) fn mutants() -> Vec<Mutant> {
    vec![
        Mutant::new("failure-looks-like-success")
            .answer(|call, answer| rename_kind(call, answer, "run.failed", "run.completed"))
            .kills("srv.ending.failure-names-its-run", "run.failed of"),
        Mutant::new("another-run-fails")
            .answer(|call, answer| {
                edit_kind(call, answer, "run.failed", |event| {
                    event.put("/run_id", NO_RUN.into())
                });
            })
            .kills("srv.ending.failure-names-its-run", "run.failed of"),
        Mutant::new("fails-without-a-reason")
            .answer(|call, answer| {
                edit_kind(call, answer, "run.failed", |event| {
                    event.put("/payload/error", json!({}))
                });
            })
            .kills("srv.ending.failure-says-why", "an error code"),
        Mutant::new("failed-turn-ends-well")
            .answer(|call, answer| {
                edit_kind(call, answer, "session.status_idle", |event| {
                    event.put("/payload/stop_reason", "end_turn".into());
                });
            })
            .kills("srv.ending.failure-says-why", "the stop reason of a failed turn"),
        Mutant::new("stop-reason-is-an-object")
            .answer(|call, answer| {
                edit_kind(call, answer, "session.status_idle", |event| {
                    event.put("/payload/stop_reason", json!({"type": "end_turn"}));
                });
            })
            .kills("srv.ending.stop-reason", "a string for a stop reason"),
        Mutant::new("ends-and-leaves-the-run")
            .answer(|call, answer| drop_kind(call, answer, "run.canceled"))
            .kills("srv.ending.complete", "run.canceled")
            .kills("srv.ending.cancel", "run.canceled"),
        Mutant::new("ends-in-idle")
            .answer(|call, answer| {
                if ends(call) && answer.status == 200 {
                    answer.edit(|session| session.put("/status", "idle".into()));
                }
            })
            .kills("srv.ending.complete", "/status")
            .kills("srv.ending.cancel", "/status"),
        Mutant::new("ended-session-takes-answers")
            .answer(|call, answer| {
                if call.is_append() && is_answer(&call.json()) && answer.status == 409 {
                    answer.status = 202;
                }
            })
            .kills("srv.ending.complete", "a 4xx status")
            .kills("srv.ending.cancel", "a 4xx status"),
        Mutant::new("ends-twice")
            .answer(|call, answer| {
                if ends(call) && answer.status == 409 {
                    answer.status = 200;
                }
            })
            .kills("srv.ending.is-final", "status 409"),
        Mutant::new("runs-without-provisioning")
            .answer(|call, answer| drop_kind(call, answer, "session.status_provisioning"))
            .kills("srv.transition.legal", "may follow pending"),
        Mutant::new("works-after-the-end")
            .answer(|call, answer| {
                if call.is_list() {
                    answer.edit_events(|events| {
                        let last = events.last().cloned().unwrap_or_default();
                        if last["type"] == "session.status_canceled" {
                            let mut more =
                                json!({"id": "evt_1", "seq": last["seq"], "type": "session.status_running"});
                            more.add("/seq", 1);
                            events.push(more);
                        }
                    });
                }
            })
            .kills("srv.transition.legal", "may follow canceled"),
    ]
}

fn ends(call: &Call) -> bool {
    call.path.ends_with("/complete") || call.path.ends_with("/cancel")
}
