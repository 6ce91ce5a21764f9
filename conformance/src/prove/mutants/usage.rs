use serde_json::Value;

use super::edit::{NO_RUN, rename_kind};
use crate::prove::{mutant::Mutant, traffic::Edit};

pub(super) fn mutants() -> Vec<Mutant> {
    vec![
        Mutant::new("one-run-for-every-turn")
            .answer(|call, answer| {
                if call.is_list() {
                    answer.edit_events(|events| {
                        for event in events.iter_mut().filter(|event| event["run_id"].is_string()) {
                            event.put("/run_id", NO_RUN.into());
                        }
                    });
                }
            })
            .kills("srv.usage.a-run-per-turn", "a Run of its own"),
        Mutant::new("works-behind-its-end")
            .answer(|call, answer| rename_kind(call, answer, "session.usage", "agent.message"))
            .kills("srv.usage.a-run-per-turn", "no work of"),
        Mutant::new("forgets-the-trigger")
            .answer(|call, answer| {
                if call.is_run() {
                    answer.edit(|run| run.put("/trigger/event_id", "evt_another".into()));
                }
            })
            .kills("srv.usage.run-record", "/trigger/event_id"),
        Mutant::new("forgets-the-cost")
            .answer(|call, answer| {
                if call.is_run() {
                    answer.edit(|run| run.put("/cost", Value::Null));
                }
            })
            .kills("srv.usage.run-record", "/cost"),
        Mutant::new("lists-another-run")
            .answer(|call, answer| {
                if call.path.ends_with("/runs") {
                    answer.edit_events(|runs| runs.reverse());
                }
            })
            .kills("srv.usage.run-record", "of the list"),
        Mutant::new("usage-starts-over")
            .answer(|call, answer| {
                if call.is_list() {
                    answer.edit_events(|events| {
                        let mut last = Value::Null;
                        for event in events {
                            if event["type"] == "run.completed" {
                                last = event["payload"]["usage"].clone();
                            } else if event["type"] == "session.usage" {
                                event.put("/payload/usage", last.clone());
                            }
                        }
                    });
                }
            })
            .kills("srv.usage.adds-up", "session.usage of"),
        Mutant::new("resource-without-usage")
            .answer(|call, answer| {
                if call.is_retrieval() {
                    answer.edit(|session| session.put("/usage", Value::Null));
                }
            })
            .kills("srv.usage.adds-up", "/usage"),
    ]
}
