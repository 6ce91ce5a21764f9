use std::{collections::HashSet, sync::Mutex};

use super::edit::{NO_RUN, edit_kind};
use crate::prove::{
    lock::locked,
    mutant::Mutant,
    traffic::{Answer, Edit},
};

pub(super) fn mutants() -> Vec<Mutant> {
    vec![
        Mutant::new("overlapping-run-ends-twice")
            .answer(|call, answer| {
                if call.is_list() {
                    answer.edit_events(|events| {
                        let ends = events.iter().filter(|event| event["type"] == "run.completed");
                        let first = ends.map(|event| event["run_id"].clone()).next();
                        for event in events.iter_mut().filter(|event| event["type"] == "run.completed") {
                            event.put("/run_id", first.clone().unwrap_or_default());
                        }
                    });
                }
            })
            .kills("srv.overlap.each-run-settles", "one end that names"),
        Mutant::new("overlapping-runs-end-nameless")
            .answer(|call, answer| {
                edit_kind(call, answer, "run.completed", |event| {
                    event.put("/run_id", NO_RUN.into())
                });
            })
            .kills("srv.overlap.each-run-settles", "one end that names"),
        Mutant::new("overlap-is-refused")
            .instead({
                let driven = Mutex::new(HashSet::new());
                move |call| {
                    let message = call.is_append() && call.json()["type"] == "user.message";
                    let again = message && !locked(&driven).insert(call.path.clone());
                    again.then(|| Answer::new(409, "application/json", "{}"))
                }
            })
            .kills("srv.overlap.parallel", "a 2xx status")
            .kills("srv.overlap.queue", "a 2xx status"),
        Mutant::new("one-run-for-all")
            .answer(|call, answer| {
                if call.is_list() {
                    answer.edit_events(|events| {
                        let mut messages = events.iter_mut().filter(|event| event["type"] == "user.message");
                        if let Some(first) = messages.next() {
                            messages.for_each(|event| event.put("/run_id", first["run_id"].clone()));
                        }
                    });
                }
            })
            .kills("srv.overlap.queue", "a Run of its own"),
        Mutant::new("idles-in-the-queue")
            .answer(|call, answer| {
                edit_kind(call, answer, "session.status_pending", |event| {
                    if event["seq"] != 1 {
                        event.put("/type", "session.status_idle".into());
                    }
                });
            })
            .kills("srv.overlap.queue", "no idle before"),
        Mutant::new("starts-name-the-latest")
            .answer(|call, answer| {
                if call.is_list() {
                    answer.edit_events(|events| {
                        let mut messages = events.iter().filter(|event| event["type"] == "user.message");
                        let Some(latest) = messages.next_back().map(|event| event["run_id"].clone()) else {
                            return;
                        };
                        let starts = events.iter_mut().filter(|event| event["type"] == "run.started");
                        starts.for_each(|start| start.put("/run_id", latest.clone()));
                    });
                }
            })
            .kills(
                "srv.overlap.first-come-first-served",
                "the queued Run that starts first",
            ),
    ]
}
