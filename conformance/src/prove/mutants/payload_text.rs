use serde_json::Value;

use crate::prove::{
    mutant::Mutant,
    traffic::{Call, Edit},
};

/// How much of a result is left; no other result of the suite comes so far.
const LONGEST: usize = 32 << 10;

pub(super) fn mutants() -> Vec<Mutant> {
    vec![
        taking("cuts-results", "user.custom_tool_result", |payload| {
            if let Some(text) = payload.pointer("/result/1/text").and_then(Value::as_str) {
                let cut: String = text.chars().take(LONGEST).collect();
                payload.put("/result/1/text", cut.into());
            }
        })
        .kills(
            "srv.payload.text-kept",
            "result of user.custom_tool_result at /1/text",
        ),
        taking(
            "failed-results-are-results",
            "user.custom_tool_result",
            |payload| {
                payload.drop_at("/is_error");
            },
        )
        .kills("srv.payload.text-kept", "is_error of user.custom_tool_result"),
        taking("trims-answers", "user.question_answer", |payload| {
            trim(payload, "/answer")
        })
        .kills("srv.payload.text-kept", "answer of user.question_answer"),
        taking("forgets-the-denial", "user.tool_confirmation", |payload| {
            payload.drop_at("/deny_message");
        })
        .kills("srv.payload.words-kept", "deny_message of user.tool_confirmation"),
        taking("trims-outcomes", "user.define_outcome", |payload| {
            trim(payload, "/rubric/content");
        })
        .kills("srv.payload.words-kept", "rubric of user.define_outcome"),
        taking("three-tries-for-all", "user.define_outcome", |payload| {
            payload.drop_at("/max_iterations");
        })
        .kills("srv.payload.words-kept", "max_iterations of user.define_outcome"),
    ]
}

/// Takes events of this type with their payload changed in this way.
fn taking(name: &'static str, kind: &'static str, change: fn(&mut Value)) -> Mutant {
    Mutant::new(name).request(move |call| edit_payload(call, kind, change))
}

fn edit_payload(call: &mut Call, kind: &str, change: fn(&mut Value)) {
    let mut body = call.json();
    if call.is_append() && body["type"] == kind {
        body.get_mut("payload").into_iter().for_each(change);
        call.set_json(&body);
    }
}

fn trim(payload: &mut Value, pointer: &str) {
    if let Some(text) = payload.pointer(pointer).and_then(Value::as_str) {
        let trimmed = text.trim().to_owned();
        payload.put(pointer, trimmed.into());
    }
}
