use serde_json::Value;

use super::edit::edit_kind;
use crate::prove::{
    mutant::Mutant,
    traffic::{Answer, Edit},
};

pub(super) fn mutants() -> Vec<Mutant> {
    vec![
        Mutant::new("answers-lose-their-author")
            .answer(|call, answer| {
                if call.is_list() {
                    answer.edit_events(|events| {
                        edit_answers(events, |payload| {
                            payload.put("/authored_by", "prin_another".into())
                        });
                    });
                }
            })
            .kills("srv.payload.authorship-kept", "authored_by of"),
        Mutant::new("answers-lose-their-cause")
            .answer(|call, answer| {
                if call.is_list() {
                    answer.edit_events(|events| {
                        edit_answers(events, |payload| payload.put("/caused_by", Value::Null));
                    });
                }
            })
            .kills("srv.payload.authorship-kept", "caused_by of"),
        Mutant::new("outcomes-lose-their-author")
            .answer(|call, answer| {
                edit_kind(call, answer, "user.define_outcome", |event| {
                    event.put("/payload/authored_by", "prin_another".into());
                });
            })
            .kills("srv.payload.outcome-authorship-kept", "authored_by of"),
        Mutant::new("outcomes-lose-their-cause")
            .answer(|call, answer| {
                edit_kind(call, answer, "user.define_outcome", |event| {
                    event.put("/payload/caused_by", Value::Null);
                });
            })
            .kills("srv.payload.outcome-authorship-kept", "caused_by of"),
        Mutant::new("results-must-be-objects")
            .instead(|call| {
                let result = call.json().pointer("/payload/result").cloned();
                let refused = call.is_append() && result.is_some_and(|result| !result.is_object());
                refused.then(|| Answer::new(400, "application/json", "{}"))
            })
            .kills("srv.payload.any-json", "a 2xx status"),
        Mutant::new("loses-empty-results")
            .answer(|call, answer| {
                if call.is_list() {
                    answer.edit_events(|events| {
                        edit_answers(events, |payload| {
                            if payload["result"] == "" {
                                payload.put("/result", Value::Null);
                            }
                        });
                    });
                }
            })
            .kills("srv.payload.any-json", "result of"),
        Mutant::new("numbers-through-floats")
            .answer(|call, answer| {
                if call.is_list() {
                    answer.edit_text(|text| {
                        text.replace(
                            "1234567890123456789012345678901234567890",
                            "1.2345678901234568e39",
                        )
                    });
                }
            })
            .kills("srv.payload.numbers-kept", "the result as it was sent"),
        Mutant::new("refuses-large-numbers")
            .instead(|call| {
                let unreadable = call.is_append() && call.json().is_null();
                unreadable.then(|| Answer::new(400, "application/json", "{}"))
            })
            .kills("srv.payload.numbers-kept", "a 2xx status"),
    ]
}

fn edit_answers(events: &mut [Value], change: impl Fn(&mut Value)) {
    let answers = events.iter_mut().filter(|event| {
        let kind = event["type"].as_str().unwrap_or_default();
        kind.starts_with("user.") && kind != "user.message"
    });
    answers
        .filter_map(|event| event.get_mut("payload"))
        .for_each(change);
}
