use serde_json::json;

use super::{
    children::Children,
    edit::{of_the_session, pages},
};
use crate::prove::{
    mutant::Mutant,
    traffic::{Answer, Call, Edit},
};

pub(super) fn mutants() -> Vec<Mutant> {
    let (first, both) = (Children::default(), Children::default());
    let (firsts, boths) = (first.clone(), both.clone());
    vec![
        Mutant::new("session-hides-calls-of-children")
            .answer(|call, answer| {
                if call.is_list() && call.thread().is_none() {
                    answer.edit_events(|events| events.retain(|event| event["type"] != "agent.tool_use"));
                }
            })
            .kills("srv.child.call-on-the-session", "on the Session's list"),
        Mutant::new("stream-hides-calls-of-children")
            .frame(|_, _, frame| match frame.kind() {
                "agent.tool_use" => Vec::new(),
                _ => vec![frame],
            })
            .kills("srv.child.call-on-the-session", "on the Session's stream"),
        Mutant::new("answer-reaches-nobody")
            .instead(|call| is_result(call).then(|| Answer::new(202, "application/json", "{}")))
            .kills("srv.child.call-on-the-session", "a settled Run of each"),
        Mutant::new("takes-answers-at-threads")
            .answer(|call, answer| {
                if call.method == "POST" && call.thread().is_some() && call.path.ends_with("/events") {
                    answer.status = 202;
                }
            })
            .kills("srv.child.no-endpoint-of-its-own", "4xx"),
        Mutant::new("refuses-answers-at-threads-and-takes-them")
            .also(|call, status| {
                let mut taken = call.clone();
                taken.path = format!("/v1/sessions/{}/events", call.session()?);
                (call.method == "POST" && call.thread().is_some() && status >= 400).then_some(taken)
            })
            .kills(
                "srv.child.no-endpoint-of-its-own",
                "the log after answers at a thread",
            ),
        Mutant::new("answers-the-first-of-two")
            .answer(move |call, answer| firsts.learn(call, answer))
            .request(move |call| {
                let mut body = call.json();
                let children = call.session().map(|session| first.of(session));
                if is_result(call) && body["payload"]["session_thread_id"].is_null() {
                    let first = children.and_then(|children| children.into_iter().next());
                    body.put("/payload/session_thread_id", json!(first));
                    call.set_json(&body);
                }
            })
            .kills("srv.child.shared-id-needs-a-thread", "4xx"),
        Mutant::new("answers-both-of-two")
            .answer(move |call, answer| boths.learn(call, answer))
            .also(move |call, status| {
                let mut again = call.clone();
                let mut body = call.json();
                let named = body["payload"]["session_thread_id"].clone();
                let others = both.of(call.session()?);
                let other = others.iter().find(|child| named != child.as_str());
                body.put("/payload/session_thread_id", json!(other));
                again.set_json(&body);
                again.headers.remove("idempotency-key");
                (is_result(call) && status == 202).then_some(again)
            })
            .kills("srv.child.shared-id-needs-a-thread", "still waiting"),
        Mutant::new("ambiguity-without-candidates")
            .answer(|_, answer| {
                if answer.status == 409 {
                    answer.edit(|body| body.put("/error/details", json!({})));
                }
            })
            .kills("srv.child.ambiguity-names-the-threads", "in the details"),
        of_the_session("spawning-parks", |events| {
            if let Some(started) = events.iter_mut().find(|event| event["type"] == "run.started") {
                started.put("/type", "run.waiting".into());
            }
        })
        .kills("srv.child.spawn-does-not-park", "never parked"),
        of_the_session("reports-wake-nobody", |events| {
            let run = events.iter().find(|event| event["type"] == "user.message");
            let Some(run) = run.map(|event| event["run_id"].clone()) else {
                return;
            };
            let named = events.iter_mut().filter(|event| !event["run_id"].is_null());
            named.for_each(|event| event.put("/run_id", run.clone()));
        })
        .kills("srv.child.spawn-does-not-park", "another Run of the primary"),
        Mutant::new("reschedules-in-silence")
            .answer(|call, answer| {
                if call.is_list() {
                    answer.edit_events(|events| {
                        events.retain(|event| event["type"] != "session.thread_status_rescheduled");
                    });
                }
            })
            .kills("srv.child.retries-exhausted", "session.thread_status_rescheduled"),
        Mutant::new("exhausted-child-is-terminated")
            .answer(|call, answer| {
                if call.is_thread_list() {
                    answer.edit_events(|threads| {
                        let children = threads
                            .iter_mut()
                            .filter(|thread| !thread["parent_thread_id"].is_null());
                        let idle = children.filter(|child| child["status"] == "idle");
                        idle.for_each(|child| child.put("/status", "terminated".into()));
                    });
                }
            })
            .kills("srv.child.retries-exhausted", "the status of the exhausted child"),
        pages("attempts-start-at-two", Call::is_thread_events, |events| {
            let starts = events.iter_mut().filter(|event| event["type"] == "run.started");
            starts.for_each(|start| start.add("/payload/attempt", 1));
        })
        .kills("srv.child.attempts-count", "the attempts of"),
        Mutant::new("exhausted-for-another-reason")
            .answer(|_, answer| {
                answer.edit_text(|text| text.replace(r#""retries_exhausted""#, r#""end_turn""#));
            })
            .kills("srv.child.retries-exhausted", "stop_reason"),
    ]
}

/// A post of the result of an application-executed tool.
fn is_result(call: &Call) -> bool {
    call.is_append() && call.json()["type"] == "user.custom_tool_result"
}
