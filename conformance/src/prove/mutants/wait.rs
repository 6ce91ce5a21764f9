use std::{collections::HashSet, sync::Mutex};

use super::edit::{drop_kind, edit_behind_answer, edit_kind, is_answer, rename_kind};
use crate::prove::{
    lock::locked,
    mutant::Mutant,
    traffic::{Answer, Edit},
};

pub(super) fn mutants() -> Vec<Mutant> {
    vec![
        Mutant::new("wait-ends-the-turn")
            .answer(|call, answer| {
                edit_kind(call, answer, "session.status_idle", |event| {
                    event.put("/payload/stop_reason", "end_turn".into());
                });
            })
            .kills("srv.wait.tool-call-settles-nothing", "no settlement of the turn")
            .kills("srv.wait.approval-settles-nothing", "no settlement of the turn"),
        Mutant::new("wait-ends-the-run")
            .answer(|call, answer| rename_kind(call, answer, "run.waiting", "run.completed"))
            .kills("srv.wait.tool-call-settles-nothing", "no end of a Run")
            .kills("srv.wait.approval-settles-nothing", "no end of a Run")
            .kills("srv.wait.question-pauses", "no end of a Run"),
        Mutant::new("question-waits")
            .answer(|call, answer| {
                rename_kind(call, answer, "session.status_paused", "session.status_waiting")
            })
            .kills("srv.wait.question-pauses", "session.status_paused after"),
        Mutant::new("paused-session-reads-waiting")
            .answer(|call, answer| {
                if call.is_retrieval() {
                    answer.edit(|session| {
                        if session["status"] == "paused" {
                            session.put("/status", "waiting".into());
                        }
                    });
                }
            })
            .kills("srv.wait.question-pauses", "the status of a Session that asked"),
        Mutant::new("waits-unseen")
            .answer(|call, answer| drop_kind(call, answer, "run.waiting"))
            .kills("srv.wait.boundary", "run.waiting"),
        Mutant::new("boundary-without-event-ids")
            .answer(|call, answer| {
                edit_kind(call, answer, "session.status_idle", |event| {
                    event.put("/payload/event_ids", serde_json::json!([]));
                });
            })
            .kills("srv.wait.boundary", "event_ids of the boundary"),
        Mutant::new("waiting-session-reads-idle")
            .answer(|call, answer| {
                if call.is_retrieval() {
                    answer.edit(|session| session.put("/status", "idle".into()));
                }
            })
            .kills("srv.wait.boundary", "/status"),
        Mutant::new("takes-one-answer-only")
            .instead({
                let answered = Mutex::new(HashSet::new());
                move |call| {
                    let again = call.is_append()
                        && is_answer(&call.json())
                        && !locked(&answered).insert(call.path.clone());
                    again.then(|| Answer::new(409, "application/json", "{}"))
                }
            })
            .kills("srv.wait.several-take-their-answers", "a 2xx status"),
        Mutant::new("one-answer-is-enough")
            .answer(|call, answer| {
                edit_behind_answer(call, answer, |event| {
                    if event["type"] == "session.status_idle" {
                        event.put("/payload/stop_reason", "end_turn".into());
                    }
                });
            })
            .kills("srv.wait.several-take-their-answers", "no settlement of the turn"),
        Mutant::new("boundary-keeps-what-is-answered")
            .answer(|call, answer| {
                edit_behind_answer(call, answer, |event| {
                    if let Some(ids) = event["payload"]["event_ids"].as_array_mut() {
                        ids.insert(0, "evt_00000000000000000000000000000001".into());
                    }
                });
            })
            .kills("srv.wait.several-resume-together", "event_ids of the boundary"),
        Mutant::new("resumes-too-early")
            .answer(|call, answer| {
                edit_behind_answer(call, answer, |event| {
                    if event["type"] == "session.status_waiting" {
                        event.put("/type", "run.resumed".into());
                    }
                });
            })
            .kills("srv.wait.several-resume-together", "no run.resumed"),
        Mutant::new("waits-for-nothing-known")
            .answer(|call, answer| {
                edit_kind(call, answer, "run.waiting", |event| {
                    event.put("/payload/wait/kind", "something".into());
                });
            })
            .kills("srv.wait.names-its-kind", "what the Run waits for"),
    ]
}
