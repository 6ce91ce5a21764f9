use serde_json::{Value, json};

use super::edit::each;
use crate::prove::{
    mutant::Mutant,
    traffic::{Answer, Call, Edit},
};

const LONG_AGO: &str = "1999-12-31T00:00:00.000Z";

/// Servers whose resources are not what their logs say.
pub(super) fn mutants() -> Vec<Mutant> {
    [runs(), run_pages(), sessions(), session_lists(), threads()]
        .into_iter()
        .flatten()
        .collect()
}

fn runs() -> Vec<Mutant> {
    let of = |name, status: &'static str, change: fn(&mut Value)| {
        let concerned = move |run: &mut Value| {
            if run["status"] == status {
                change(run);
            }
        };
        Mutant::new(name).answer(move |call, answer| {
            if is_run_list(call) {
                answer.edit_events(|runs| each(runs, concerned));
            } else if call.is_run() {
                answer.edit(concerned);
            }
        })
    };
    vec![
        of("failed-run-listed-as-completed", "failed", |run| {
            run.put("/status", "completed".into())
        })
        .kills("srv.run.failed-as-logged", "status of run_"),
        of("failed-run-costs-nothing", "failed", |run| {
            run.put("/cost", Value::Null)
        })
        .kills("srv.run.failed-as-logged", "cost of run_"),
        of("failed-run-without-its-error", "failed", |run| {
            run.put("/error", Value::Null)
        })
        .kills("srv.run.failed-as-logged", "error of run_"),
        of("canceled-run-listed-as-waiting", "canceled", |run| {
            run.put("/status", "waiting".into())
        })
        .kills("srv.run.canceled-as-logged", "status of run_"),
        of("canceled-run-costs-more", "canceled", |run| {
            run.put("/cost", json!({"amount": "12.5", "currency": "USD"}))
        })
        .kills("srv.run.canceled-as-logged", "cost of run_"),
        of("canceled-run-of-another-trigger", "canceled", |run| {
            run.put("/trigger/event_id", "evt_ffffffffffffffffffffffffffffffff".into())
        })
        .kills("srv.run.canceled-as-logged", "trigger of run_"),
    ]
}

fn run_pages() -> Vec<Mutant> {
    vec![
        Mutant::new("run-pages-lose-one")
            .answer(|call, answer| {
                if is_run_list(call) && call.parameter("page").is_some() && answer.status == 200 {
                    answer.edit_events(Vec::clear);
                }
            })
            .kills("srv.run.pages", "the Runs in pages of one"),
        Mutant::new("run-list-ignores-limit")
            .request(|call| {
                if is_run_list(call) {
                    call.drop_parameter("limit");
                }
            })
            .kills("srv.run.pages", "at most 1 items"),
        Mutant::new("run-list-takes-any-token")
            .answer(|call, answer| {
                if is_run_list(call) && answer.json()["error"]["param"] == "page" {
                    *answer = Answer::new(200, "application/json", r#"{"data":[],"next_page":null}"#);
                }
            })
            .kills("srv.run.pages", "status 400"),
    ]
}

fn sessions() -> Vec<Mutant> {
    let shown = |name, change: fn(&mut Value)| {
        Mutant::new(name).answer(move |call, answer| {
            if call.is_retrieval() && answer.status == 200 {
                answer.edit(change);
            }
        })
    };
    vec![
        shown("session-updated-before-its-time", |session| {
            session.put("/updated_at", LONG_AGO.into())
        })
        .kills("srv.session.times", "updated_at not before created_at"),
        shown("session-never-updated", |session| {
            session.put("/updated_at", session["created_at"].clone())
        })
        .kills("srv.session.times", "the moment of the latest event"),
        shown("ended-session-loses-its-head", |session| {
            if session["status"] == "completed" || session["status"] == "canceled" {
                session.put("/last_seq", 1.into());
            }
        })
        .kills("srv.ending.complete", "/last_seq of the ended Session")
        .kills("srv.ending.cancel", "/last_seq of the ended Session"),
    ]
}

fn session_lists() -> Vec<Mutant> {
    let ignores = |name, parameter: &'static str| {
        Mutant::new(name).request(move |call| {
            if is_session_list(call) {
                call.drop_parameter(parameter);
            }
        })
    };
    vec![
        ignores("lists-any-status", "status").kills("srv.session.list-filtered", "no Session but those"),
        Mutant::new("lists-any-deployment")
            .answer(|call, answer| {
                if is_session_list(call) && call.parameter("agent_deployment_id").is_some() {
                    answer.edit_events(|sessions| {
                        let mut other = sessions.first().cloned().unwrap_or_default();
                        other.put("/agent_deployment_id", "adep_another".into());
                        sessions.push(other);
                    });
                }
            })
            .kills("srv.session.list-filtered", "no Session but those"),
        Mutant::new("hides-canceled-sessions")
            .answer(|call, answer| {
                if is_session_list(call) {
                    answer.edit_events(|sessions| sessions.retain(|session| session["status"] != "canceled"));
                }
            })
            .kills(
                "srv.session.list-filtered",
                "among the Sessions whose status is canceled",
            ),
        Mutant::new("takes-any-status")
            .answer(|call, answer| {
                if is_session_list(call) && answer.json()["error"]["param"] == "status" {
                    *answer = Answer::new(200, "application/json", r#"{"data":[],"next_page":null}"#);
                }
            })
            .kills("srv.session.list-filtered", "status 400"),
    ]
}

fn threads() -> Vec<Mutant> {
    vec![
        listed("threads-updated-before-their-time", |thread| {
            thread.put("/updated_at", LONG_AGO.into())
        })
        .kills("srv.thread.times", "updated_at not before created_at"),
        retrieved("retrieved-thread-updated-before-its-time", |thread| {
            thread.put("/updated_at", LONG_AGO.into())
        })
        .kills("srv.thread.times", "updated_at not before created_at"),
        retrieved("retrieved-child-of-another-agent", |thread| {
            thread.put("/agent/id", "agnt_ffffffffffffffffffffffffffffffff".into())
        })
        .kills("srv.thread.child-entry-is-resource", "the retrieved child"),
        listed("listed-child-used-nothing", |thread| {
            thread.put("/usage", Value::Null)
        })
        .kills("srv.thread.child-entry-is-resource", "the retrieved child"),
        children("children-of-one-agent", |child| {
            child.put("/agent/id", "agnt_ffffffffffffffffffffffffffffffff".into())
        })
        .kills("srv.thread.one-agent-a-version", "the Agent of sthr_"),
        Mutant::new("children-have-the-agent-of-the-primary")
            .answer(|call, answer| {
                if call.is_thread_list() {
                    answer.edit_events(|threads| {
                        let first = threads
                            .first()
                            .map(|thread| thread["agent"].clone())
                            .unwrap_or_default();
                        let named = |thread: &mut Value| {
                            thread.put("/agent/id", first["id"].clone());
                            thread.put("/agent/version", first["version"].clone());
                        };
                        each(threads, named);
                    });
                }
            })
            .kills("srv.thread.one-agent-a-version", "the Agent of sthr_"),
        children("children-always-terminated", |child| {
            child.put("/status", "terminated".into())
        })
        .kills("srv.thread.child-as-logged", "/status of sthr_"),
        children("children-stop-for-no-reason", |child| {
            child.put("/stop_reason", Value::Null)
        })
        .kills("srv.thread.child-as-logged", "/stop_reason of sthr_"),
        children("children-use-nothing", |child| child.put("/usage", Value::Null))
            .kills("srv.thread.child-as-logged", "/usage/input_tokens of sthr_"),
        children("children-of-one-name", |child| {
            child.put("/agent/draft/name", "somebody".into())
        })
        .kills("srv.thread.child-as-logged", "/agent/draft/name of sthr_"),
    ]
}

/// Changes every thread of a list.
fn listed(name: &'static str, change: fn(&mut Value)) -> Mutant {
    Mutant::new(name).answer(move |call, answer| {
        if call.is_thread_list() {
            answer.edit_events(|threads| each(threads, change));
        }
    })
}

/// Changes every thread that is retrieved.
fn retrieved(name: &'static str, change: fn(&mut Value)) -> Mutant {
    Mutant::new(name).answer(move |call, answer| {
        if call.is_thread() && answer.status == 200 {
            answer.edit(change);
        }
    })
}

/// Changes every child, listed and retrieved.
fn children(name: &'static str, change: fn(&mut Value)) -> Mutant {
    let of_children = move |thread: &mut Value| {
        if thread["parent_thread_id"].is_string() {
            change(thread);
        }
    };
    Mutant::new(name).answer(move |call, answer| {
        if call.is_thread_list() {
            answer.edit_events(|threads| each(threads, of_children));
        } else if call.is_thread() && answer.status == 200 {
            answer.edit(of_children);
        }
    })
}

fn is_run_list(call: &Call) -> bool {
    call.path.ends_with("/runs")
}

fn is_session_list(call: &Call) -> bool {
    call.method == "GET" && call.path == "/v1/sessions"
}
