use super::edit::{NO_RUN, drop_kind, edit_behind_answer, edit_kind};
use crate::prove::{
    mutant::Mutant,
    traffic::{Answer, Edit},
};

pub(super) fn mutants() -> Vec<Mutant> {
    vec![
        Mutant::new("another-run-goes-on")
            .answer(|call, answer| {
                edit_kind(call, answer, "run.completed", |event| {
                    event.put("/run_id", NO_RUN.into())
                });
            })
            .kills("srv.continuation.question", "one end after the answer")
            .kills("srv.continuation.allowed", "one end after the answer")
            .kills("srv.continuation.denied", "one end after the answer")
            .kills("srv.continuation.tool-result", "one end after the answer"),
        Mutant::new("an-answer-starts-a-run")
            .answer(|call, answer| {
                edit_kind(call, answer, "run.resumed", |event| {
                    event.put("/type", "run.created".into());
                    event.put("/run_id", NO_RUN.into());
                });
            })
            .kills("srv.continuation.question", "no Run in the place of")
            .kills("srv.continuation.allowed", "no Run in the place of")
            .kills("srv.continuation.denied", "no Run in the place of")
            .kills("srv.continuation.tool-result", "no Run in the place of"),
        Mutant::new("allowed-is-done")
            .answer(|call, answer| {
                edit_behind_answer(call, answer, |event| {
                    if event["type"] == "run.waiting" {
                        event.put("/type", "run.completed".into());
                    }
                });
            })
            .kills("srv.continuation.allowed-needs-its-result", "no end of a Run"),
        Mutant::new("allowed-takes-no-result")
            .instead(|call| {
                let result = call.is_append() && call.json()["type"] == "user.custom_tool_result";
                result.then(|| Answer::new(409, "application/json", "{}"))
            })
            .kills("srv.continuation.allowed-needs-its-result", "a 2xx status"),
        Mutant::new("continues-under-another-id")
            .answer(|call, answer| {
                edit_behind_answer(call, answer, |event| {
                    if event["type"] == "run.resumed" {
                        event.put("/type", "run.created".into());
                        event.put("/payload/continues_run_id", event["run_id"].clone());
                    }
                    event.put("/run_id", NO_RUN.into());
                });
            })
            .kills("srv.continuation.keeps-the-run", "the Run of"),
        Mutant::new("decides-unseen")
            .answer(|call, answer| drop_kind(call, answer, "action_approval.decided"))
            .kills("srv.continuation.order", "action_approval.decided"),
        Mutant::new("counts-no-continuation")
            .answer(|call, answer| {
                edit_kind(call, answer, "run.resumed", |event| {
                    event.put("/payload/continuation", 0.into());
                });
            })
            .kills("srv.continuation.order", "continuation of run.resumed"),
        Mutant::new("continuation-is-an-attempt")
            .answer(|call, answer| {
                if call.is_run() {
                    answer.edit(|run| {
                        if run["continuation"] == 1 {
                            run.put("/attempt", 2.into());
                        }
                    });
                }
            })
            .kills("srv.continuation.order", "/attempt"),
    ]
}
