use serde_json::json;

use super::{edit::is_answer, trace::trace};
use crate::prove::{
    mutant::Mutant,
    traffic::{Answer, Call, Edit},
};

pub(super) fn mutants(principal: &str) -> Vec<Mutant> {
    let (trace, author) = (trace(principal), principal.to_owned());
    vec![
        Mutant::new("replay-is-a-new-event")
            .answer(|call, answer| {
                if is_replay(call, answer) {
                    answer.edit(|event| event.add("/seq", 1));
                }
            })
            .kills("srv.answer.replay", "the original event's seq")
            .kills("srv.answer.child-replay", "the original event's seq"),
        Mutant::new("replay-is-refused")
            .answer(|call, answer| {
                if is_replay(call, answer) {
                    answer.status = 409;
                }
            })
            .kills("srv.answer.replay", "a 2xx status")
            .kills("srv.answer.child-replay", "a 2xx status"),
        Mutant::new("replay-is-written")
            .also({
                let trace = trace.clone();
                move |call, status| {
                    let replay = call.is_append() && is_answer(&call.json()) && status == 200;
                    replay.then(|| with_body(call, &trace))
                }
            })
            .kills("srv.answer.replay", "the log after a replay"),
        Mutant::new("replay-answers-202")
            .answer(|call, answer| {
                if is_replay(call, answer) {
                    answer.status = 202;
                }
            })
            .kills("srv.answer.replay-status", "status 200")
            .kills("srv.stale.old-generation", "status 200"),
        Mutant::new("takes-a-second-answer")
            .answer(|call, answer| {
                if call.is_append() && is_answer(&call.json()) && answer.status == 409 {
                    answer.status = 202;
                }
            })
            .kills("srv.answer.child-other-refused", "a 4xx status")
            .kills("srv.stale.unfitting-refused", "a 4xx status"),
        Mutant::new("second-answer-is-written")
            .answer(|call, answer| {
                if call.is_list() {
                    answer.edit_events(|events| {
                        let again = events.iter().find(|event| is_answer(event)).cloned();
                        if let Some((last, mut again)) = events.last().cloned().zip(again) {
                            again.put("/seq", last["seq"].clone());
                            again.add("/seq", 1);
                            again.put("/id", "evt_ffffffffffffffffffffffffffffffff".into());
                            events.push(again);
                        }
                    });
                }
            })
            .kills("srv.answer.child-other-refused", "one answer to the child"),
        Mutant::new("refusal-closes-the-wait")
            .also(move |call, status| {
                let interrupt = json!({
                    "type": "user.interrupt",
                    "payload": {"authored_by": author, "caused_by": {"kind": "api"}},
                });
                let refused = call.is_append() && is_answer(&call.json()) && status == 409;
                refused.then(|| with_body(call, &interrupt))
            })
            .kills("srv.stale.unfitting-refused", "the log after the refusals"),
        Mutant::new("stale-wait-is-nameless")
            .answer(|call, answer| {
                if call.is_append() && answer.status == 409 {
                    answer.edit(|body| body.put("/error/code", "runtime.conflict".into()));
                }
            })
            .kills("srv.stale.codes", "runtime.stale_wait")
            .kills("srv.stale.old-generation", "runtime.stale_wait"),
        Mutant::new("unknown-action-is-stale")
            .answer(|call, answer| {
                if call.is_append() && answer.status == 404 {
                    answer.status = 409;
                }
            })
            .kills("srv.stale.codes", "status 404"),
    ]
}

fn is_replay(call: &Call, answer: &Answer) -> bool {
    call.is_append() && is_answer(&call.json()) && answer.status == 200
}

fn with_body(call: &Call, body: &serde_json::Value) -> Call {
    let mut sent = call.clone();
    sent.headers.remove("idempotency-key");
    sent.set_json(body);
    sent
}
