use crate::{mutant::Mutant, traffic::Answer};

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
            .kills("srv.errors.unknown-session", "4xx"),
        Mutant::new("error-type-of-another-status")
            .answer(|_, answer| {
                if answer.status == 404 {
                    answer.edit(|body| body["error"]["type"] = "invalid_request_error".into());
                }
            })
            .kills("srv.errors.envelope", "/error/type"),
        Mutant::new("error-without-a-code")
            .answer(|_, answer| {
                if answer.status == 400 {
                    answer.edit(|body| {
                        body["error"].as_object_mut().unwrap().remove("code");
                    });
                }
            })
            .kills("srv.errors.envelope", "/error/code"),
        Mutant::new("request-id-differs")
            .answer(|_, answer| {
                if answer.status >= 400 {
                    answer.edit(|body| body["request_id"] = "req_another".into());
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
                answer.headers.insert("request-id", "req_always".parse().unwrap());
            })
            .kills("srv.errors.request-id", "of its own"),
    ]
}
