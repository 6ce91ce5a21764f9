use serde_json::json;

use crate::prove::{
    mutant::Mutant,
    traffic::{Answer, Edit},
};

pub(super) fn mutants(principal: &str) -> Vec<Mutant> {
    let trace = super::trace::trace(principal);
    vec![
        Mutant::new("runs-what-is-disabled")
            .answer(|call, answer| {
                if answer.status == 403 && call.path.ends_with("/watches") {
                    *answer = Answer::new(201, "application/json", "{}");
                }
            })
            .kills("srv.capability.disabled-is-refused", "4xx"),
        Mutant::new("refuses-and-runs")
            .also(move |call, status| {
                let mut done = call.clone();
                done.method = "POST".to_owned();
                done.path = call.path.replace("/watches", "/events");
                done.headers.remove("idempotency-key");
                done.set_json(&trace);
                (status == 403 && call.path.ends_with("/watches")).then_some(done)
            })
            .kills(
                "srv.capability.disabled-is-refused",
                "the log after watches was refused",
            ),
        Mutant::new("capability-refusal-is-404")
            .answer(|_, answer| {
                if answer.status == 403 {
                    answer.status = 404;
                }
            })
            .kills("srv.capability.refusal-names-it", "status 403"),
        Mutant::new("capability-refusal-is-nameless")
            .answer(|_, answer| {
                if answer.status == 403 {
                    answer.edit(|body| body.put("/error/details", json!({})));
                }
            })
            .kills("srv.capability.refusal-names-it", "in the details"),
    ]
}
