use serde_json::Value;

use crate::{
    mutant::Mutant,
    traffic::{Answer, Call},
};

pub(super) fn mutants() -> Vec<Mutant> {
    vec![
        Mutant::new("session-id-without-prefix")
            .answer(|call, answer| {
                if call.is_creation() {
                    answer.edit(|session| {
                        session["id"] = session["id"].as_str().unwrap().replace("sess_", "").into()
                    });
                }
            })
            .kills("srv.session.create", "sess_"),
        Mutant::new("forgets-the-session")
            .answer(|call, answer| {
                if call.is_creation() {
                    answer.edit(|session| session["id"] = "sess_f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0".into());
                }
            })
            .kills("srv.session.create", ""),
        Mutant::new("born-idle")
            .answer(|call, answer| edit_session(call, answer, |session| session["status"] = "idle".into()))
            .kills("srv.session.birth", "/status"),
        Mutant::new("forgets-the-title")
            .answer(|call, answer| edit_session(call, answer, |session| session["title"] = Value::Null))
            .kills("srv.session.birth", "/title"),
        Mutant::new("pins-another-revision")
            .answer(|call, answer| {
                edit_session(call, answer, |session| {
                    let pinned = session["agent_deployment_revision_number"].as_u64().unwrap();
                    session["agent_deployment_revision_number"] = (pinned + 1).into();
                });
            })
            .kills("srv.session.pins-current-revision", "the pinned revision"),
        Mutant::new("stale-list-entry")
            .answer(|call, answer| {
                if call.method == "GET" && call.path == "/v1/sessions" {
                    answer.edit_events(|sessions| {
                        sessions.iter_mut().for_each(|entry| entry["last_seq"] = 1.into())
                    });
                }
            })
            .kills("srv.session.list-entry", "the entry of the list"),
        Mutant::new("head-off-by-one")
            .answer(|call, answer| {
                edit_session(call, answer, |session| {
                    session["last_seq"] = (session["last_seq"].as_u64().unwrap() + 1).into();
                });
            })
            .kills("srv.session.head", "/last_seq"),
        Mutant::new("stop-reason-forgotten")
            .answer(|call, answer| edit_session(call, answer, |session| session["stop_reason"] = Value::Null))
            .kills("srv.session.head", "/stop_reason"),
        Mutant::new("session-without-principal")
            .answer(|call, answer| {
                if call.is_retrieval() && answer.status == 200 {
                    answer.edit(|session| {
                        session.as_object_mut().unwrap().remove("principal_id");
                    });
                }
            })
            .kills("srv.contract.bodies", "fits the contract"),
    ]
}

fn edit_session(call: &Call, answer: &mut Answer, change: impl FnOnce(&mut Value)) {
    if (call.is_creation() || call.is_retrieval()) && (200..300).contains(&answer.status) {
        answer.edit(change);
    }
}
