use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex},
};

use serde_json::json;

use crate::prove::{lock::locked, mutant::Mutant, traffic::Answer};

const KEY: &str = "idempotency-key";

pub(super) fn mutants() -> Vec<Mutant> {
    let stored: Arc<Mutex<HashMap<String, Answer>>> = Arc::default();
    let taken: Arc<Mutex<HashSet<String>>> = Arc::default();
    vec![
        Mutant::new("ignores-idempotency-keys")
            .request(|call| {
                call.headers.remove(KEY);
            })
            .kills("srv.idempotency.replay", "the replayed creation")
            .kills("srv.idempotency.other-body", "status 422")
            .kills("srv.idempotency.in-progress", "the answer under one key"),
        busy("in-progress-without-a-time", 503)
            .kills("srv.idempotency.in-progress", "Retry-After in seconds"),
        busy("in-progress-is-a-conflict", 409).kills("srv.idempotency.in-progress", "status 202"),
        Mutant::new("replays-for-any-body")
            .instead({
                let stored = Arc::clone(&stored);
                move |call| locked(&stored).get(call.header(KEY)?).cloned()
            })
            .answer(move |call, answer| {
                if let Some(key) = call.header(KEY) {
                    locked(&stored).insert(key.to_owned(), answer.clone());
                }
            })
            .kills("srv.idempotency.other-body", "status 422"),
        Mutant::new("refusal-takes-the-key")
            .instead({
                let taken = Arc::clone(&taken);
                move |call| {
                    let used = locked(&taken).contains(call.header(KEY)?);
                    used.then(|| Answer::new(422, "application/json", "{}"))
                }
            })
            .answer(move |call, answer| {
                if let Some(key) = call.header(KEY).filter(|_| answer.status >= 400) {
                    locked(&taken).insert(key.to_owned());
                }
            })
            .kills("srv.idempotency.refusal-frees-the-key", "a 2xx status"),
    ]
}

/// Answers the second and the third call under a key in this way.
fn busy(name: &'static str, status: u16) -> Mutant {
    let calls: Mutex<HashMap<String, usize>> = Mutex::default();
    Mutant::new(name).instead(move |call| {
        let mut calls = locked(&calls);
        let count = calls.entry(call.header(KEY)?.to_owned()).or_default();
        *count += 1;
        let error = json!({"code": "idempotency.in_progress", "retryable": true});
        let body = json!({"type": "error", "error": error}).to_string();
        matches!(count, 2 | 3).then(|| Answer::new(status, "application/json", body))
    })
}
