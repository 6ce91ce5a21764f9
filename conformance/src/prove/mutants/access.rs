use crate::prove::{
    mutant::Mutant,
    traffic::{Answer, Edit},
};

pub(super) fn mutants(key: &str) -> Vec<Mutant> {
    let bearer = format!("Bearer {key}");
    let (any, none, open) = (bearer.clone(), bearer.clone(), bearer.clone());
    vec![
        Mutant::new("accepts-any-key")
            .request(move |call| {
                if call.header("authorization").is_some() {
                    call.set_header("authorization", &any);
                }
            })
            .kills("srv.auth.wrong-key-refused", "4xx"),
        Mutant::new("wrong-key-is-retryable")
            .answer(|_, answer| {
                if answer.status == 401 {
                    answer.edit(|body| body.put("/error/retryable", true.into()));
                }
            })
            .kills("srv.auth.wrong-key-refused", "not retryable")
            .kills("srv.auth.wrong-key-reads-nothing", "not retryable"),
        Mutant::new("accepts-no-key")
            .request(move |call| {
                if call.header("authorization").is_none() {
                    call.set_header("authorization", &none);
                }
            })
            .kills("srv.auth.missing-key-refused", "4xx"),
        Mutant::new("missing-key-is-retryable")
            .answer(|call, answer| {
                if answer.status == 401 && call.header("authorization").is_none() {
                    answer.edit(|body| body.put("/error/retryable", true.into()));
                }
            })
            .kills("srv.auth.missing-key-refused", "not retryable")
            .kills("srv.auth.missing-key-reads-nothing", "not retryable"),
        Mutant::new("guards-the-log-alone")
            .request(move |call| {
                if !call.path.contains("/events") {
                    call.set_header("authorization", &open);
                }
            })
            .kills("srv.auth.wrong-key-refused", "4xx")
            .kills("srv.auth.missing-key-refused", "4xx")
            .kills("srv.auth.wrong-key-reads-nothing", "4xx")
            .kills("srv.auth.missing-key-reads-nothing", "4xx"),
        Mutant::new("ignores-the-version")
            .request(|call| {
                call.headers.remove("checkfu-version");
            })
            .kills("srv.version.unknown-refused", "status 400"),
        Mutant::new("demands-a-version")
            .instead(|call| {
                let missing = call.header("checkfu-version").is_none();
                missing.then(|| Answer::new(400, "application/json", "{}"))
            })
            .kills("srv.version.missing-is-published", "status 200"),
    ]
}
