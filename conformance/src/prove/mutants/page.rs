use std::{
    collections::HashSet,
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};

use crate::prove::{
    lock::locked,
    mutant::Mutant,
    traffic::{Answer, Call, Edit},
};

pub(super) fn mutants() -> Vec<Mutant> {
    let tokens = Arc::new(Mutex::new(HashSet::new()));
    let known = Arc::clone(&tokens);
    vec![
        limited("default-page-is-everything", 1000, |call| {
            call.is_list() && call.parameter("limit").is_none()
        })
        .kills("srv.list.default-page", "at most 100 events"),
        Mutant::new("default-page-has-no-next")
            .answer(|call, answer| {
                if call.is_list() && call.parameter("limit").is_none() {
                    answer.edit(|page| page.put("/next_page", Value::Null));
                }
            })
            .kills("srv.list.default-page", "a next_page"),
        limited("default-page-of-fifty", 50, |call| {
            call.is_list() && call.parameter("limit").is_none()
        })
        .kills("srv.list.page-bounds", "100 events and a next page"),
        limited("default-thread-page-of-fifty", 50, |call| {
            call.is_thread_events() && call.parameter("limit").is_none()
        })
        .kills("srv.list.page-bounds", "100 events and a next page"),
        limited("largest-page-of-999", 999, |call| {
            call.is_list() && call.parameter("limit") == Some("5000")
        })
        .kills("srv.list.page-bounds", "1000 events and a next page"),
        Mutant::new("largest-page-of-1001")
            .answer(|call, answer| {
                if call.is_list() && call.parameter("limit") == Some("1001") {
                    answer.edit_events(|events| events.extend(events.last().cloned()));
                }
            })
            .kills("srv.list.largest-page", "at most 1000 events"),
        Mutant::new("large-limit-is-refused")
            .instead(|call| {
                let large = call.is_list() && call.parameter("limit") == Some("5000");
                large.then(|| Answer::new(400, "application/json", "{}"))
            })
            .kills("srv.list.page-bounds", "status 200"),
        Mutant::new("token-of-any-list")
            .answer(move |_, answer| {
                if let Some(token) = answer.json()["next_page"].as_str() {
                    locked(&known).insert(token.to_owned());
                }
            })
            .request(move |call| {
                if call
                    .parameter("page")
                    .is_some_and(|page| locked(&tokens).contains(page))
                {
                    call.drop_parameter("page");
                }
            })
            .kills("srv.list.tokens-are-sealed", "status 400"),
        Mutant::new("token-of-any-letters")
            .answer(|call, answer| {
                if call.is_list() && call.parameter("page").is_some_and(|page| page.len() > 20) {
                    *answer = Answer::new(
                        200,
                        "application/json",
                        json!({"data": [], "next_page": null}).to_string(),
                    );
                }
            })
            .kills("srv.list.tokens-are-sealed", "status 400"),
    ]
}

/// Serves pages of this size where `concerns` picks the request.
fn limited(name: &'static str, limit: u64, concerns: fn(&Call) -> bool) -> Mutant {
    Mutant::new(name).request(move |call| {
        if concerns(call) {
            call.set_parameter("limit", limit);
        }
    })
}
