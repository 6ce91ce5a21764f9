use crate::prove::{
    mutant::Mutant,
    traffic::{Answer, Call},
};

/// Servers that forget at one operation what holds for all.
pub(super) fn mutants(key: &str) -> Vec<Mutant> {
    let mut mutants = keys(&format!("Bearer {key}"));
    mutants.extend(versions());
    mutants.extend(sessions());
    mutants
}

fn keys(bearer: &str) -> Vec<Mutant> {
    vec![
        with_any_key("forks-with-any-key", bearer, Call::is_fork)
            .kills("srv.auth.wrong-key-refused", "a 4xx status"),
        with_any_key("streams-threads-with-any-key", bearer, Call::is_thread_stream)
            .kills("srv.auth.wrong-key-refused", "a refusal")
            .kills("srv.auth.wrong-key-reads-nothing", "a refusal"),
        with_any_key("completes-with-any-key", bearer, |call| {
            call.path.ends_with("/complete")
        })
        .kills("srv.auth.wrong-key-refused", "a 4xx status"),
        with_any_key("archives-with-any-key", bearer, Call::is_archive)
            .kills("srv.errors.key-by-name", "status 401"),
        without_a_key("cancels-without-a-key", bearer, |call| {
            call.path.ends_with("/cancel")
        })
        .kills("srv.auth.missing-key-refused", "a 4xx status"),
        without_a_key("lists-threads-without-a-key", bearer, Call::is_thread_list)
            .kills("srv.auth.missing-key-reads-nothing", "a 4xx status"),
        without_a_key("reads-a-run-without-a-key", bearer, Call::is_run)
            .kills("srv.errors.key-by-name", "status 401"),
        without_a_key("tells-capabilities-without-a-key", bearer, |call| {
            call.path == "/v1/capabilities"
        })
        .kills("srv.errors.key-by-name", "status 401"),
    ]
}

fn versions() -> Vec<Mutant> {
    vec![
        for_any_version("archives-for-any-version", Call::is_archive)
            .kills("srv.version.unknown-refused", "status 400"),
        for_any_version("creates-for-any-version", Call::is_creation)
            .kills("srv.version.unknown-refused", "status 400"),
        for_any_version("streams-threads-for-any-version", Call::is_thread_stream)
            .kills("srv.version.unknown-reads-nothing", "a refusal"),
    ]
}

fn sessions() -> Vec<Mutant> {
    let page = r#"{"data":[],"next_page":null}"#;
    vec![
        answers("forks-an-unknown-session", 201, "{}", Call::is_fork)
            .kills("srv.errors.unknown-session", "a 4xx status"),
        answers("cancels-an-unknown-session", 200, "{}", |call| {
            call.path.ends_with("/cancel")
        })
        .kills("srv.errors.unknown-session", "a 4xx status"),
        answers("approvals-of-an-unknown-session", 200, page, |call| {
            call.path.ends_with("/action_approvals")
        })
        .kills("srv.errors.unknown-session-reads", "a 4xx status"),
        Mutant::new("streams-threads-of-an-unknown-session")
            .instead(|call| {
                let nothing = Answer::new(200, "text/event-stream; charset=utf-8", ": nothing\n\n");
                (is_unknown(call) && call.is_thread_stream()).then_some(nothing)
            })
            .kills("srv.errors.unknown-session-reads", "a refusal"),
        answers("unknown-session-cannot-be-completed", 409, "{}", |call| {
            call.path.ends_with("/complete")
        })
        .kills("srv.errors.unknown-session-by-name", "status 404"),
        answers("watches-an-unknown-session", 200, page, |call| {
            call.path.ends_with("/watches")
        })
        .kills("srv.errors.unknown-session-by-name", "status 404"),
    ]
}

type Concerns = fn(&Call) -> bool;

fn with_any_key(name: &'static str, bearer: &str, concerns: Concerns) -> Mutant {
    let bearer = bearer.to_owned();
    Mutant::new(name).request(move |call| {
        if concerns(call) && call.header("authorization").is_some() {
            call.set_header("authorization", &bearer);
        }
    })
}

fn without_a_key(name: &'static str, bearer: &str, concerns: Concerns) -> Mutant {
    let bearer = bearer.to_owned();
    Mutant::new(name).request(move |call| {
        if concerns(call) && call.header("authorization").is_none() {
            call.set_header("authorization", &bearer);
        }
    })
}

fn for_any_version(name: &'static str, concerns: Concerns) -> Mutant {
    Mutant::new(name).request(move |call| {
        if concerns(call) {
            call.headers.remove("checkfu-version");
        }
    })
}

/// Answers so where the Session is unknown.
fn answers(name: &'static str, status: u16, body: &'static str, concerns: Concerns) -> Mutant {
    Mutant::new(name).instead(move |call| {
        (is_unknown(call) && concerns(call)).then(|| Answer::new(status, "application/json", body))
    })
}

fn is_unknown(call: &Call) -> bool {
    call.session()
        .is_some_and(|id| id.starts_with("sess_0000000000000000"))
}
