use serde_json::{Value, json};

use crate::prove::{mutant::Mutant, traffic::Edit};

pub(super) fn mutants(principal: &str) -> Vec<Mutant> {
    let trace = super::trace::trace(principal);
    let author = principal.to_owned();
    vec![
        Mutant::new("loses-accepted-messages")
            .answer(|call, answer| {
                if call.is_list() {
                    answer.edit_events(|events| events.retain(|event| event["type"] != "user.message"));
                }
            })
            .kills("srv.append.accepted", "once in the list"),
        Mutant::new("doubles-messages")
            .also(|call, status| {
                let mut again = call.clone();
                again.headers.remove("idempotency-key");
                (call.is_append() && status == 202).then_some(again)
            })
            .kills("srv.append.accepted", "once in the list"),
        Mutant::new("empties-listed-texts")
            .answer(|call, answer| {
                if call.is_list() {
                    answer.edit_events(|events| edit_messages(events, "/payload/content/0/text", ""));
                }
            })
            .kills("srv.append.accepted", "once in the list"),
        Mutant::new("answers-another-seq")
            .answer(|call, answer| {
                if call.is_append() && answer.status == 202 {
                    answer.edit(|event| event.add("/seq", 1));
                }
            })
            .kills("srv.append.answer", "the answer to be"),
        Mutant::new("answers-200")
            .answer(|call, answer| {
                if call.is_append() && answer.status == 202 {
                    answer.status = 200;
                }
            })
            .kills("srv.append.answer", "status 202"),
        Mutant::new("rewrites-the-author")
            .answer(|call, answer| {
                if call.is_list() {
                    answer
                        .edit_events(|events| edit_messages(events, "/payload/authored_by", "prin_another"));
                }
            })
            .kills("srv.append.authorship-kept", "/authored_by"),
        Mutant::new("forgets-the-cause")
            .answer(|call, answer| {
                if call.is_list() {
                    answer.edit_events(|events| edit_messages(events, "/payload/caused_by/kind", "cli"));
                }
            })
            .kills("srv.append.authorship-kept", "/caused_by/kind"),
        Mutant::new("invents-the-author")
            .request(move |call| {
                let mut body = call.json();
                if call.is_append() && body["payload"].is_object() && body["payload"]["authored_by"].is_null()
                {
                    body.put("/payload/authored_by", author.as_str().into());
                    call.set_json(&body);
                }
            })
            .kills("srv.append.authorship-required", "status 400"),
        Mutant::new("takes-batches")
            .request(|call| {
                let body = call.json();
                if call.is_append() && body["events"].is_array() {
                    call.set_json(&body["events"][0]);
                }
            })
            .kills("srv.append.batch-refused", "status 400"),
        Mutant::new("batch-refused-without-a-word")
            .answer(|call, answer| {
                if call.is_append() && answer.status == 400 {
                    answer.edit(|body| {
                        body.put("/error/message", "no".into());
                        body.put("/error/param", Value::Null);
                        body.put("/error/details", json!({}));
                    });
                }
            })
            .kills("srv.append.batch-refused", "names the events member"),
        Mutant::new("refusal-leaves-a-trace")
            .also(move |call, status| {
                let mut sent = call.clone();
                sent.headers.remove("idempotency-key");
                sent.set_json(&trace);
                (call.is_append() && status == 400).then_some(sent)
            })
            .kills("srv.refusal.is-pure", "the log after the refusals"),
        Mutant::new("takes-anything")
            .answer(|call, answer| {
                if call.is_append() && answer.status == 400 {
                    answer.status = 202;
                }
            })
            .kills("srv.refusal.is-pure", "4xx"),
    ]
}

fn edit_messages(events: &mut [Value], pointer: &str, value: &str) {
    for event in events.iter_mut().filter(|event| event["type"] == "user.message") {
        if let Some(member) = event.pointer_mut(pointer) {
            *member = value.into();
        }
    }
}
