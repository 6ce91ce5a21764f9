use serde_json::Value;

use crate::prove::{
    mutant::Mutant,
    traffic::{Answer, Call, Edit},
};

pub(super) fn mutants() -> Vec<Mutant> {
    vec![
        Mutant::new("session-id-without-prefix")
            .answer(|call, answer| {
                if call.is_creation() {
                    answer.edit(|session| {
                        if let Some(id) = session["id"].as_str() {
                            session.put("/id", id.replace("sess_", "").into());
                        }
                    });
                }
            })
            .kills("srv.session.create", "sess_"),
        Mutant::new("forgets-the-session")
            .answer(|call, answer| {
                if call.is_creation() {
                    answer.edit(|session| session.put("/id", "sess_f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0".into()));
                }
            })
            .kills("srv.session.create", "a Session of its own each time"),
        Mutant::new("born-idle")
            .answer(|call, answer| {
                edit_session(call, answer, |session| session.put("/status", "idle".into()))
            })
            .kills("srv.session.birth", "/status"),
        Mutant::new("forgets-the-title")
            .answer(|call, answer| edit_session(call, answer, |session| session.put("/title", Value::Null)))
            .kills("srv.session.birth", "/title"),
        Mutant::new("pins-another-revision")
            .answer(|call, answer| {
                edit_session(call, answer, |session| {
                    session.add("/agent_deployment_revision_number", 1);
                });
            })
            .kills("srv.session.pins-current-revision", "the pinned revision"),
        Mutant::new("session-hides-its-revision")
            .answer(|call, answer| {
                edit_session(call, answer, |session| {
                    session.drop_at("/agent_deployment_revision_number");
                });
            })
            .kills(
                "srv.session.pins-current-revision",
                "/agent_deployment_revision_number",
            ),
        Mutant::new("stale-list-entry")
            .answer(|call, answer| {
                if call.method == "GET" && call.path == "/v1/sessions" {
                    answer.edit_events(|sessions| {
                        sessions
                            .iter_mut()
                            .for_each(|entry| entry.put("/last_seq", 1.into()))
                    });
                }
            })
            .kills("srv.session.list-entry", "the entry of the list"),
        Mutant::new("head-off-by-one")
            .answer(|call, answer| {
                edit_session(call, answer, |session| {
                    session.add("/last_seq", 1);
                });
            })
            .kills("srv.session.head", "/last_seq"),
        Mutant::new("stop-reason-forgotten")
            .answer(|call, answer| {
                edit_session(call, answer, |session| session.put("/stop_reason", Value::Null))
            })
            .kills("srv.session.head", "/stop_reason"),
        Mutant::new("session-without-principal")
            .answer(|call, answer| {
                if call.is_retrieval() && answer.status == 200 {
                    answer.edit(|session| {
                        session.drop_at("/principal_id");
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
