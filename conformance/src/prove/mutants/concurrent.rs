use std::sync::{
    Mutex,
    atomic::{AtomicUsize, Ordering},
};

use serde_json::Value;

use crate::prove::{
    lock::locked,
    mutant::Mutant,
    traffic::{Answer, Call, Edit},
};

pub(super) fn mutants() -> Vec<Mutant> {
    vec![
        // What it acknowledged before, once more.
        losing("loses-what-comes-at-once", "user.interrupt").kills(
            "srv.append.concurrent-kept",
            "acknowledged interrupts in the list",
        ),
        Mutant::new("doubles-what-comes-at-once")
            .also({
                let count = AtomicUsize::new(0);
                move |call, status| {
                    let interrupt = status == 202 && is(call, "user.interrupt");
                    let chosen = interrupt && count.fetch_add(1, Ordering::Relaxed) % 9 == 8;
                    let mut again = call.clone();
                    again.headers.remove("idempotency-key");
                    chosen.then_some(again)
                }
            })
            .kills(
                "srv.append.concurrent-kept",
                "acknowledged interrupts in the list",
            ),
        losing("loses-messages-at-once", "user.message")
            .kills("srv.append.concurrent-kept", "at once, once in the list"),
        Mutant::new("answers-interrupts-with-another-seq")
            .answer(|call, answer| {
                if answer.status == 202 && is(call, "user.interrupt") {
                    answer.edit(|event| event.add("/seq", 1));
                }
            })
            .kills("srv.append.concurrent-answers", "which no other answer has"),
        Mutant::new("answers-at-once-alike")
            .answer({
                let first = Mutex::new(None);
                move |call, answer| {
                    if answer.status == 202 && is(call, "user.interrupt") {
                        let body = locked(&first).get_or_insert_with(|| answer.body.clone()).clone();
                        answer.body = body;
                    }
                }
            })
            .kills("srv.append.concurrent-answers", "which no other answer has"),
    ]
}

fn is(call: &Call, kind: &str) -> bool {
    call.is_append() && call.json()["type"] == kind
}

/// Acknowledges each ninth of a kind and keeps nothing of it.
fn losing(name: &'static str, kind: &'static str) -> Mutant {
    let count = AtomicUsize::new(0);
    Mutant::new(name).instead(move |call| {
        let chosen = is(call, kind) && count.fetch_add(1, Ordering::Relaxed) % 9 == 8;
        let mut event: Value = call.json();
        event.put("/id", "evt_00000000000000000000000000000009".into());
        event.put("/seq", 9.into());
        event.put("/created_at", "2026-01-01T00:00:00Z".into());
        chosen.then(|| Answer::new(202, "application/json", event.to_string()))
    })
}
