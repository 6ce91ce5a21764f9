use std::{
    collections::HashMap,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

use serde_json::{Value, json};

use crate::prove::{
    lock::locked,
    mutant::Mutant,
    traffic::{Answer, Call, Edit},
};

pub(super) fn mutants() -> Vec<Mutant> {
    [deployments(), pins(), parts(), capabilities(), runs()]
        .into_iter()
        .flatten()
        .collect()
}

fn deployments() -> Vec<Mutant> {
    vec![
        Mutant::new("deployment-pages-lose-one")
            .answer(|call, answer| {
                if is_deployment_list(call)
                    && call.parameter("limit") == Some("1")
                    && call.parameter("page").is_some()
                {
                    answer.edit_events(Vec::clear);
                }
            })
            .kills(
                "srv.deployment.list-and-retrieve",
                "the deployments in pages of one",
            ),
        edited("stale-deployment-entry", is_deployment, |deployment| {
            deployment.put("/name", "another".into())
        })
        .kills("srv.deployment.list-and-retrieve", "the retrieved deployment"),
        Mutant::new("deployment-without-its-current-revision")
            .answer(|call, answer| {
                let change = |deployment: &mut Value| deployment.put("/current_revision_number", 99.into());
                if is_deployment_list(call) {
                    answer.edit_events(|deployments| deployments.iter_mut().for_each(change));
                } else if is_deployment(call) && answer.status == 200 {
                    answer.edit(change);
                }
            })
            .kills("srv.deployment.list-and-retrieve", "the current revision among"),
        found("unknown-deployment-is-there", is_deployment)
            .kills("srv.deployment.list-and-retrieve", "status 404"),
    ]
}

fn pins() -> Vec<Mutant> {
    let (driven, forgets) = (AtomicBool::new(false), AtomicBool::new(false));
    vec![
        edited("session-of-another-release", Call::is_creation, |session| {
            session.put("/agent/release", json!({}))
        })
        .kills("srv.deployment.session-pins-a-revision", "the pinned release"),
        Mutant::new("pins-the-current-anyway")
            .request(|call| {
                let mut body = call.json();
                if call.is_creation() && body.is_object() {
                    body.drop_at("/agent_deployment_revision_number");
                    call.set_json(&body);
                }
            })
            .kills("srv.deployment.session-pins-a-revision", "the pinned number"),
        Mutant::new("pin-moves-with-a-turn")
            .answer(move |call, answer| {
                let before = driven.fetch_or(call.is_append(), Ordering::Relaxed);
                if before && call.is_retrieval() {
                    answer.edit(|session| session.put("/agent_deployment_revision_number", 99.into()));
                }
            })
            .kills("srv.deployment.session-pins-a-revision", "after a turn")
            .kills("srv.session.pin-holds", "the pin behind two turns"),
        Mutant::new("pin-is-forgotten")
            .answer(move |call, answer| {
                let before = forgets.fetch_or(call.is_append(), Ordering::Relaxed);
                if before && call.is_retrieval() {
                    answer.edit(|session| session.drop_at("/agent_deployment_revision_number"));
                }
            })
            .kills("srv.session.pin-holds", "/agent_deployment_revision_number"),
    ]
}

fn parts() -> Vec<Mutant> {
    vec![
        moves("sandbox-moves-with-a-turn", 1, |session| {
            session.put("/agent/sandbox_profile/max_duration_seconds", 1.into())
        })
        .kills("srv.session.pinned-parts-hold", "sandbox_profile behind"),
        moves("routing-moves-with-a-second-turn", 2, |session| {
            session.put("/agent/model_routing/version", 99.into())
        })
        .kills("srv.session.pinned-parts-hold", "model_routing behind"),
        moves("harness-moves-with-a-second-turn", 2, |session| {
            session.put("/agent/harness_profile/version", 99.into())
        })
        .kills("srv.session.pinned-parts-hold", "harness_profile behind"),
        moves("skills-move-with-a-second-turn", 2, |session| {
            session.put("/agent/skills", json!([{"name": "another", "version": 1}]))
        })
        .kills("srv.session.pinned-parts-hold", "skills behind"),
    ]
}

/// Shows a Session so once as many events were appended to it.
fn moves(name: &'static str, appends: usize, change: fn(&mut Value)) -> Mutant {
    let appended = Mutex::new(HashMap::<String, usize>::new());
    Mutant::new(name).answer(move |call, answer| {
        let Some(session) = call.session() else { return };
        let mut appended = locked(&appended);
        if call.is_append() && answer.status == 202 {
            *appended.entry(session.to_owned()).or_default() += 1;
        } else if call.is_retrieval() && appended.get(session).is_some_and(|count| *count >= appends) {
            answer.edit(change);
        }
    })
}

fn capabilities() -> Vec<Mutant> {
    let flipped = AtomicBool::new(false);
    let listed = |name, change: fn(&mut Vec<Value>)| {
        Mutant::new(name).answer(move |call, answer| {
            if call.path == "/v1/capabilities" {
                answer.edit_events(change);
            }
        })
    };
    vec![
        listed("capability-listed-twice", |capabilities| {
            capabilities.extend(capabilities.first().cloned())
        })
        .kills("srv.capability.listed", "each capability once"),
        listed("capability-neither-on-nor-off", |capabilities| {
            of_the_first(capabilities, "perhaps".into())
        })
        .kills("srv.capability.listed", "enabled or not"),
        Mutant::new("capability-flips")
            .answer(move |call, answer| {
                if call.path == "/v1/capabilities" {
                    let on = flipped.fetch_xor(true, Ordering::Relaxed);
                    answer.edit_events(|capabilities| of_the_first(capabilities, on.into()));
                }
            })
            .kills("srv.capability.listed", "at a second look"),
    ]
}

fn runs() -> Vec<Mutant> {
    let recorded = |name, change: fn(&mut Value)| {
        Mutant::new(name).answer(move |call, answer| {
            if call.path.ends_with("/runs") {
                answer.edit_events(|runs| runs.iter_mut().for_each(change));
            }
        })
    };
    vec![
        recorded("run-of-another-trigger", |run| {
            run.put("/trigger/kind", "watch".into())
        })
        .kills("srv.run.records", "/trigger"),
        recorded("run-never-completed", |run| run.put("/status", "running".into()))
            .kills("srv.run.records", "/status"),
        recorded("run-without-cost", |run| run.put("/cost", Value::Null)).kills("srv.run.records", "/cost"),
        recorded("stale-run-entry", |run| run.put("/settled_at", Value::Null))
            .kills("srv.run.records", "the retrieved Run"),
        found("unknown-run-is-there", |call| call.path.contains("/runs/"))
            .kills("srv.run.records", "status 404"),
        started("deadline-too-late", |start| {
            start.put("/payload/deadline_at", "2999-01-01T00:00:00.000Z".into())
        })
        .kills("srv.run.deadline", "a deadline"),
        started("deadline-at-the-start", |start| {
            start.put("/payload/deadline_at", start["created_at"].clone())
        })
        .kills("srv.run.deadline", "a deadline"),
        started("start-without-versions", |start| {
            start.put("/payload/resolved", json!({}))
        })
        .kills("srv.run.records-what-it-read", "resolved"),
        started("start-without-memory-access", |start| {
            start.drop_at("/payload/resolved/memory_access")
        })
        .kills("srv.run.records-what-it-read", "resolved memory_access"),
    ]
}

/// Changes every start of a Run in every list.
fn started(name: &'static str, change: fn(&mut Value)) -> Mutant {
    Mutant::new(name).answer(move |call, answer| {
        if call.is_list() {
            answer.edit_events(|events| {
                let starts = events.iter_mut().filter(|event| event["type"] == "run.started");
                starts.for_each(change);
            });
        }
    })
}

fn is_deployment_list(call: &Call) -> bool {
    call.path == "/v1/agent_deployments"
}

fn is_deployment(call: &Call) -> bool {
    call.path.starts_with("/v1/agent_deployments/")
}

fn edited(name: &'static str, concerns: fn(&Call) -> bool, change: fn(&mut Value)) -> Mutant {
    Mutant::new(name).answer(move |call, answer| {
        if concerns(call) && (200..300).contains(&answer.status) {
            answer.edit(change);
        }
    })
}

/// Finds what is not there.
fn found(name: &'static str, concerns: fn(&Call) -> bool) -> Mutant {
    Mutant::new(name).answer(move |call, answer| {
        if concerns(call) && answer.status == 404 {
            *answer = Answer::new(200, "application/json", "{}");
        }
    })
}

fn of_the_first(capabilities: &mut [Value], enabled: Value) {
    if let Some(first) = capabilities.first_mut() {
        first.put("/enabled", enabled);
    }
}
