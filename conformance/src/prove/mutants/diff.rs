use serde_json::{Value, json};

use crate::prove::{
    mutant::Mutant,
    traffic::{Call, Edit},
};

pub(super) fn mutants() -> Vec<Mutant> {
    vec![
        edited("diff-guesses-an-event", |diff| {
            let events = diff.pointer_mut("/right/events").and_then(Value::as_array_mut);
            if let Some(events) = events {
                events.extend(events.first().cloned());
            }
        })
        .kills("srv.diff.tails", "the diff's right"),
        edited("diff-swaps-the-sides", |diff| {
            let left = diff["left"].clone();
            diff.put("/left", diff["right"].clone());
            diff.put("/right", left);
        })
        .kills("srv.diff.tails", "the diff's left"),
        edited("diff-from-another-base", another_base).kills("srv.diff.tails", "the diff's base"),
        edited("diff-invents-a-hole", |diff| {
            let hole = json!({"session_id": diff["base"]["session_id"], "from_seq": 1, "to_seq": 2, "reason": "expired"});
            diff.put("/unavailable", json!([hole]));
        })
        .kills("srv.diff.tails", "the diff's unavailable"),
        Mutant::new("diff-differs-from-itself")
            .answer(|call, answer| {
                if is_diff(call) && call.session() == call.parameter("other") {
                    answer.edit(|diff| diff.put("/right/truncated", true.into()));
                }
            })
            .kills("srv.diff.relatives", "the diff of a Session and itself"),
        edited("siblings-part-at-the-later-branch", another_base)
            .kills("srv.diff.relatives", "the base of siblings"),
        answered("diff-of-strangers", 409).kills("srv.diff.no-common-history", "status 409"),
        answered("diff-with-nobody-is-empty", 404).kills("srv.diff.no-common-history", "status 404"),
    ]
}

fn is_diff(call: &Call) -> bool {
    call.path.ends_with("/diff")
}

fn another_base(diff: &mut Value) {
    diff.add("/base/seq", 1);
}

fn edited(name: &'static str, change: impl Fn(&mut Value) + Send + Sync + 'static) -> Mutant {
    Mutant::new(name).answer(move |call, answer| {
        if is_diff(call) && answer.status == 200 {
            answer.edit(&change);
        }
    })
}

/// Compares what was to be refused with this status.
fn answered(name: &'static str, status: u16) -> Mutant {
    Mutant::new(name).answer(move |call, answer| {
        if is_diff(call) && answer.status == status {
            answer.status = 200;
        }
    })
}
