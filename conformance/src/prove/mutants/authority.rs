use serde_json::json;

use super::edit::edit_kind;
use crate::prove::{
    mutant::Mutant,
    traffic::{Call, Edit},
};

pub(super) fn mutants(principal: &str) -> Vec<Mutant> {
    let (deciding, signing, interrupting) =
        (principal.to_owned(), principal.to_owned(), principal.to_owned());
    vec![
        Mutant::new("anybody-may-decide")
            .request(move |call| {
                let mut body = call.json();
                if is_decision(call) {
                    body.put("/payload/authored_by", deciding.as_str().into());
                    call.set_json(&body);
                }
            })
            .kills("srv.authority.decision-needs-it", "a 4xx status"),
        Mutant::new("refused-decision-ends-the-wait")
            .also(move |call, status| {
                let payload = json!({"authored_by": interrupting, "caused_by": {"kind": "api"}});
                let mut sent = call.clone();
                sent.headers.remove("idempotency-key");
                sent.set_json(&json!({"type": "user.interrupt", "payload": payload}));
                (is_decision(call) && status == 403).then_some(sent)
            })
            .kills("srv.authority.decision-needs-it", "the log after the refusal"),
        Mutant::new("refuses-authority-without-a-name")
            .answer(|call, answer| {
                if is_decision(call) && answer.status == 403 {
                    answer.edit(|body| body.put("/error/code", "forbidden".into()));
                }
            })
            .kills("srv.authority.refusal", "runtime.insufficient_authority"),
        Mutant::new("signs-what-is-unsigned")
            .request(move |call| {
                let mut body = call.json();
                if call.is_append() && body["payload"].is_object() && body["payload"]["authored_by"].is_null()
                {
                    body.put("/payload/authored_by", signing.as_str().into());
                    call.set_json(&body);
                }
            })
            .kills("srv.authority.authorship-required", "status 400"),
        Mutant::new("deadline-without-the-allowance")
            .answer(|call, answer| {
                edit_kind(call, answer, "run.started", |event| {
                    event.put("/payload/deadline_at", event["created_at"].clone());
                });
            })
            .kills("srv.deadline.absolute", "a deadline"),
        Mutant::new("waits-against-a-deadline")
            .answer(|call, answer| {
                if call.is_run() {
                    answer.edit(|run| run.put("/deadline_at", run["created_at"].clone()));
                }
            })
            .kills("srv.deadline.absolute", "/deadline_at of a waiting Run"),
    ]
}

fn is_decision(call: &Call) -> bool {
    call.is_append() && call.json()["type"] == "user.tool_confirmation"
}
