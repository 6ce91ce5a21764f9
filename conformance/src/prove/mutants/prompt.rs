use serde_json::{Value, json};

use crate::prove::{
    mutant::Mutant,
    traffic::{Answer, Call, Edit},
};

const LETTER: char = '\u{430}';
const CONTROLS: [char; 2] = ['\u{202e}', '\u{202c}'];

pub(super) fn mutants(principal: &str) -> Vec<Mutant> {
    [undecided(principal), clean(), decisions()]
        .into_iter()
        .flatten()
        .collect()
}

fn undecided(principal: &str) -> Vec<Mutant> {
    let trace = super::trace::trace(principal);
    vec![
        rewritten("accepts-lookalikes", "user.message", |text| {
            text.replace(LETTER, "a")
        })
        .kills(
            "srv.prompt.undecided-is-refused",
            "a refusal of look-alike letters",
        ),
        rewritten("accepts-bidirectional-controls", "user.message", |text| {
            text.replace(CONTROLS, "")
        })
        .kills(
            "srv.prompt.undecided-is-refused",
            "a refusal of bidirectional controls",
        ),
        Mutant::new("refuses-lookalikes-and-writes-them")
            .also(move |call, status| {
                let mut written = call.clone();
                written.headers.remove("idempotency-key");
                written.set_json(&trace);
                (call.is_append() && status == 409).then_some(written)
            })
            .kills(
                "srv.prompt.undecided-is-refused",
                "the log after an undecided message",
            ),
    ]
}

fn clean() -> Vec<Mutant> {
    vec![
        refusing("judges-tool-results", |body| {
            body["type"] == "user.custom_tool_result" && body.to_string().contains(LETTER)
        })
        .kills("srv.prompt.only-authored-text", "a 2xx status"),
        rewritten("corrects-tool-results", "user.custom_tool_result", |text| {
            text.replace(LETTER, "a")
        })
        .kills("srv.prompt.only-authored-text", "the result as it was sent"),
        refusing("judges-words-of-two-languages", |body| {
            body.to_string().contains("means hello")
        })
        .kills("srv.prompt.clean-text", "a 2xx status"),
        refusing("judges-documents", |body| {
            body["payload"]["content"][0]["type"] == "document"
        })
        .kills("srv.prompt.clean-text", "a 2xx status"),
    ]
}

fn decisions() -> Vec<Mutant> {
    vec![
        detailed("findings-elsewhere", |details| {
            details.put("/findings/0/start", 7.into())
        })
        .kills("srv.prompt.findings", "the findings"),
        detailed("no-correction", |details| {
            details.put("/corrected_content", Value::Null)
        })
        .kills("srv.prompt.findings", "the corrected content"),
        detailed("no-challenge", |details| details.put("/challenge", Value::Null))
            .kills("srv.prompt.findings", "/challenge"),
        Mutant::new("prompt-refused-by-another-code")
            .answer(|call, answer| {
                if is_refused(call, answer) {
                    answer.edit(|body| body.put("/error/code", "request.invalid_body".into()));
                }
            })
            .kills("srv.prompt.findings", "prompt_integrity.decision_required"),
        decided("corrects-what-is-preserved", "use_corrected")
            .kills("srv.prompt.preserve-original", "the content stored"),
        Mutant::new("decision-is-forgotten")
            .answer(|call, answer| {
                if call.is_list() {
                    answer.edit_events(|events| {
                        for event in events.iter_mut().filter(|event| event["type"] == "user.message") {
                            event.drop_at("/payload/prompt_integrity");
                        }
                    });
                }
            })
            .kills("srv.prompt.preserve-original", "the decision stored"),
        decided("preserves-what-is-corrected", "preserve_original")
            .kills("srv.prompt.use-corrected", "the content stored"),
        detailed("one-challenge-for-all", |details| {
            details.put("/challenge", "pic_one".into())
        })
        .kills("srv.prompt.challenge-binds", "a fresh challenge"),
        Mutant::new("takes-any-challenge")
            .answer(|call, answer| {
                if is_refused(call, answer) && !call.json()["payload"]["prompt_integrity"].is_null() {
                    answer.status = 202;
                }
            })
            .kills("srv.prompt.challenge-binds", "status 409"),
    ]
}

fn is_refused(call: &Call, answer: &Answer) -> bool {
    call.is_append() && answer.status == 409
}

/// Rewrites the text of an input of this kind on its way in.
pub(super) fn rewritten(name: &'static str, kind: &'static str, change: fn(&str) -> String) -> Mutant {
    Mutant::new(name).request(move |call| {
        let body = call.json();
        if call.is_append() && body["type"] == kind {
            call.body = change(&body.to_string()).into_bytes();
        }
    })
}

/// Asks for a decision on inputs that need none.
fn refusing(name: &'static str, judged: fn(&Value) -> bool) -> Mutant {
    Mutant::new(name).instead(move |call| {
        let judged = call.is_append() && judged(&call.json());
        judged.then(|| Answer::new(409, "application/json", "{}"))
    })
}

/// Changes the details of a refusal that asks for a decision.
pub(super) fn detailed(name: &'static str, change: impl Fn(&mut Value) + Send + Sync + 'static) -> Mutant {
    Mutant::new(name).answer(move |call, answer| {
        if is_refused(call, answer) {
            answer.edit(|body| {
                if let Some(details) = body.pointer_mut("/error/details") {
                    change(details);
                }
            });
        }
    })
}

/// Takes every decision for this one.
fn decided(name: &'static str, choice: &'static str) -> Mutant {
    Mutant::new(name).request(move |call| {
        let mut body = call.json();
        if call.is_append() && body["payload"]["prompt_integrity"].is_object() {
            body.put("/payload/prompt_integrity/decision", json!(choice));
            call.set_json(&body);
        }
    })
}
