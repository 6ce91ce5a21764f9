use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};

use crate::prove::{
    mutant::Mutant,
    traffic::{Answer, Call, Edit},
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
        Mutant::new("refuses-what-is-claimed")
            .instead(|call| call.is_thread_list().then(|| refusal("threads")))
            .kills(
                "srv.capability.claimed-but-refused",
                "threads to be offered as claimed",
            ),
        Mutant::new("lists-as-disabled-what-is-claimed")
            .answer(|call, answer| list(call, answer, |entry| entry["id"] == "threads", false))
            .kills(
                "srv.capability.claimed-but-refused",
                "threads not listed as disabled",
            ),
        Mutant::new("lists-what-it-refuses")
            .answer(|call, answer| list(call, answer, |_| true, true))
            .kills("srv.capability.advertised-is-offered", "to be offered as listed"),
        Mutant::new("half-open-watches")
            .answer(|call, answer| {
                if answer.status == 403 && call.path.contains("/watches/") {
                    *answer = Answer::new(200, "application/json", "{}");
                }
            })
            .kills(
                "srv.capability.refusal-is-stable",
                "the same refusal from every endpoint of watches",
            ),
        refuses_now_and_then(),
        Mutant::new("fences-what-it-lists")
            .instead(|call| {
                let interrupts = call.is_append() && call.json()["type"] == "user.interrupt";
                interrupts.then(|| refusal("interrupts"))
            })
            .kills(
                "srv.interrupt.running",
                "interrupts to be offered, as it is listed",
            ),
    ]
    .into_iter()
    .chain(reads())
    .collect()
}

/// Refuses a capability only the first time.
fn refuses_now_and_then() -> Mutant {
    let asked = AtomicUsize::new(0);
    let empty = || Answer::new(200, "application/json", r#"{"data":[],"next_page":null}"#);
    Mutant::new("refuses-now-and-then")
        .instead(move |call| {
            let again = call.path.ends_with("/checkpoints") && asked.fetch_add(1, Ordering::Relaxed) > 0;
            again.then(empty)
        })
        .kills(
            "srv.capability.refusal-is-stable",
            "the same refusal from every endpoint of checkpoints",
        )
}

/// Servers whose promises on reads alone are broken.
fn reads() -> [Mutant; 4] {
    let empty = || Answer::new(200, "application/json", r#"{"data":[],"next_page":null}"#);
    let to_read = |call: &Call, status: u16, refused: u16| call.method == "GET" && status == refused;
    [
        Mutant::new("reads-with-any-key")
            .answer(move |call, answer| {
                if to_read(call, answer.status, 401) && call.header("authorization").is_some() {
                    *answer = empty();
                }
            })
            .kills("srv.auth.wrong-key-reads-nothing", "4xx"),
        Mutant::new("reads-without-a-key")
            .answer(move |call, answer| {
                if to_read(call, answer.status, 401) && call.header("authorization").is_none() {
                    *answer = empty();
                }
            })
            .kills("srv.auth.missing-key-reads-nothing", "4xx"),
        Mutant::new("reads-for-any-version")
            .request(|call| {
                if call.method == "GET" {
                    call.headers.remove("checkfu-version");
                }
            })
            .kills("srv.version.unknown-reads-nothing", "status 400"),
        Mutant::new("unknown-session-streams-nothing")
            .instead(|call| {
                let unknown = call.is_stream() && call.path.contains("sess_0000000000000000");
                unknown.then(|| Answer::new(200, "text/event-stream", ": nothing\n\n"))
            })
            .kills("srv.errors.unknown-session-reads", "a refusal"),
    ]
}

fn refusal(capability: &str) -> Answer {
    let body = json!({
        "type": "error",
        "error": {
            "type": "permission_error",
            "code": "capability.disabled",
            "message": format!("the capability {capability} is not enabled on this server"),
            "retryable": false,
            "param": null,
            "details": {"capability": capability},
        },
        "request_id": "req_relay",
    });
    Answer::new(403, "application/json", body.to_string())
}

/// Lists some of the capabilities as enabled or not.
fn list(call: &Call, answer: &mut Answer, which: impl Fn(&Value) -> bool, enabled: bool) {
    if call.path == "/v1/capabilities" && answer.status == 200 {
        answer.edit_events(|entries| {
            for entry in entries.iter_mut().filter(|entry| which(entry)) {
                entry.put("/enabled", enabled.into());
            }
        });
    }
}
