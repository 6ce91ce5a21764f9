use axum::http::HeaderValue;

use crate::prove::{
    mutant::Mutant,
    traffic::{Answer, Edit},
};

pub(super) fn mutants() -> Vec<Mutant> {
    vec![
        Mutant::new("unknown-session-is-retryable")
            .answer(|_, answer| {
                if answer.status == 404 {
                    answer.status = 503;
                }
            })
            .kills("srv.errors.unknown-session", "4xx"),
        Mutant::new("unknown-session-is-empty")
            .instead(|call| {
                let empty = Answer::new(200, "application/json", r#"{"data":[],"next_page":null}"#);
                (call.is_list() && call.path.contains("sess_0000000000000000")).then_some(empty)
            })
            .kills("srv.errors.unknown-session", "4xx")
            .kills("srv.errors.unknown-session-reads", "4xx"),
        Mutant::new("error-type-of-another-status")
            .answer(|_, answer| {
                if answer.status == 404 {
                    answer.edit(|body| body.put("/error/type", "invalid_request_error".into()));
                }
            })
            .kills("srv.errors.envelope", "/error/type"),
        Mutant::new("error-without-a-code")
            .answer(|_, answer| {
                if answer.status == 400 {
                    answer.edit(|body| {
                        body.drop_at("/error/code");
                    });
                }
            })
            .kills("srv.errors.envelope", "/error/code"),
        Mutant::new("request-id-differs")
            .answer(|_, answer| {
                if answer.status >= 400 {
                    answer.edit(|body| body.put("/request_id", "req_another".into()));
                }
            })
            .kills("srv.errors.envelope", "/request_id"),
        Mutant::new("lists-without-request-id")
            .answer(|call, answer| {
                if call.is_list() {
                    answer.headers.remove("request-id");
                }
            })
            .kills("srv.errors.request-id", "a request-id header"),
        Mutant::new("one-request-id-for-all")
            .answer(|_, answer| {
                answer
                    .headers
                    .insert("request-id", HeaderValue::from_static("req_always"));
            })
            .kills("srv.errors.request-id", "of its own"),
        Mutant::new("asks-for-the-version-first")
            .answer(|call, answer| {
                if answer.status == 401 && call.header("checkfu-version") == Some("1999-12-31") {
                    answer.status = 400;
                }
            })
            .kills("srv.errors.order", "status 401"),
        Mutant::new("reads-the-body-before-the-path")
            .answer(|call, answer| {
                if answer.status == 404 && call.is_append() {
                    answer.status = 400;
                }
            })
            .kills("srv.errors.order", "status 404"),
        Mutant::new("judges-letters-before-the-state")
            .answer(|call, answer| {
                if answer.status == 409 && call.is_append() {
                    answer.edit(|body| body.put("/error/code", "prompt_integrity.decision_required".into()));
                }
            })
            .kills("srv.errors.order", "error code runtime.invalid_transition"),
        Mutant::new("conflicts-typed-as-requests")
            .answer(|_, answer| {
                if answer.status == 409 {
                    answer.edit(|body| body.put("/error/type", "invalid_request_error".into()));
                }
            })
            .kills("srv.contract.refusals", "/error/type"),
        Mutant::new("unknown-endpoint-in-plain-words")
            .answer(|call, answer| {
                if call.path == "/v1/no_such_endpoint" {
                    *answer = Answer::new(404, "text/plain", "no such thing");
                }
            })
            .kills("srv.contract.refusals", "a JSON body"),
        Mutant::new("unprocessable-is-retryable")
            .answer(|_, answer| {
                if answer.status == 422 {
                    answer.edit(|body| body.put("/error/retryable", true.into()));
                }
            })
            .kills("srv.contract.refusals", "/error/retryable"),
    ]
}
