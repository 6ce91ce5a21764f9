use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex},
};

use crate::{mutant::Mutant, traffic::Answer};

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
            .kills("srv.idempotency.other-body", "status 422"),
        Mutant::new("replays-for-any-body")
            .instead({
                let stored = Arc::clone(&stored);
                move |call| stored.lock().unwrap().get(call.header(KEY)?).cloned()
            })
            .answer(move |call, answer| {
                if let Some(key) = call.header(KEY) {
                    stored.lock().unwrap().insert(key.to_owned(), answer.clone());
                }
            })
            .kills("srv.idempotency.other-body", "status 422"),
        Mutant::new("refusal-takes-the-key")
            .instead({
                let taken = Arc::clone(&taken);
                move |call| {
                    let used = taken.lock().unwrap().contains(call.header(KEY)?);
                    used.then(|| Answer::new(422, "application/json", "{}"))
                }
            })
            .answer(move |call, answer| {
                if let Some(key) = call.header(KEY).filter(|_| answer.status >= 400) {
                    taken.lock().unwrap().insert(key.to_owned());
                }
            })
            .kills("srv.idempotency.refusal-frees-the-key", "a 2xx status"),
    ]
}
