use std::{
    collections::HashMap,
    sync::{Arc, Mutex},
};

use serde_json::Value;

use super::{
    edit::{each, is_answer},
    forks::Forks,
};
use crate::prove::{
    lock::locked,
    mutant::Mutant,
    traffic::{Answer, Call, Edit},
};

/// Servers whose forks depend on what the source does, or the other way round.
pub(super) fn mutants() -> Vec<Mutant> {
    [statuses(), acts(), threads()].into_iter().flatten().collect()
}

fn statuses() -> Vec<Mutant> {
    vec![
        refuses("forks-nothing-that-runs", "running").kills("srv.fork.of-a-running-session", "a 2xx status"),
        passes_on("fork-of-what-runs-runs", "running")
            .kills("srv.fork.of-a-running-session", "/status of the fork"),
        passes_on("fork-waits-too", "waiting").kills("srv.fork.of-a-waiting-session", "/status of the fork"),
        Mutant::new("copied-waits-take-answers")
            .answer(|call, answer| {
                if call.is_append() && answer.status == 409 && is_answer(&call.json()) {
                    answer.status = 202;
                }
            })
            .kills("srv.fork.of-a-waiting-session", "status 409"),
        refuses("forks-nothing-that-ended", "canceled").kills("srv.fork.of-an-ended-session", "a 2xx status"),
        passes_on("fork-of-what-ended-has-ended", "canceled")
            .kills("srv.fork.of-an-ended-session", "/status of the fork"),
    ]
}

fn acts() -> Vec<Mutant> {
    let says = |call: &Call| call.is_append() && call.json()["type"] == "user.message";
    let interrupts = |call: &Call| call.is_append() && call.json()["type"] == "user.interrupt";
    let cancels = |call: &Call| call.path.ends_with("/cancel");
    vec![
        reaches("fork-drives-its-source", Forks::source_of, says)
            .kills("srv.fork.acts-stay-apart", "after a turn of its fork"),
        reaches("fork-interrupts-its-source", Forks::source_of, interrupts)
            .kills("srv.fork.acts-stay-apart", "after an interrupt of its fork"),
        reaches("fork-cancels-its-source", Forks::source_of, cancels)
            .kills("srv.fork.acts-stay-apart", "after the cancel of its fork"),
        reaches("source-interrupts-its-forks", Forks::fork_of, interrupts)
            .kills("srv.fork.end-stays-apart", "after an interrupt of its source"),
        reaches("source-cancels-its-forks", Forks::fork_of, cancels)
            .kills("srv.fork.end-stays-apart", "after the cancel of its source"),
    ]
}

fn threads() -> Vec<Mutant> {
    let known = Forks::default();
    let streamed = known.clone();
    vec![
        of_forked_threads("forked-primary-has-no-mark", |events| {
            events.retain(|event| event["type"] != "session.forked");
        })
        .kills("srv.fork.thread-events", "the list of sthr_"),
        of_forked_threads("forked-child-has-no-events", |events| {
            if events.iter().all(|event| event["type"] != "session.forked") {
                events.clear();
            }
        })
        .kills("srv.fork.thread-events", "the list of sthr_"),
        of_forked_threads("forked-child-names-the-source", |events| {
            if events.iter().all(|event| event["type"] != "session.forked") {
                each(events, |event| event.put("/session_id", "sess_another".into()));
            }
        })
        .kills("srv.fork.thread-events", "the list of sthr_"),
        Mutant::new("forked-child-streams-without-its-birth")
            .answer(move |call, answer| known.learn(call, answer))
            .frame(move |call, _, frame| {
                let fork = is_fork(&streamed, call);
                match fork && call.is_thread_stream() && frame.kind() == "session.thread_created" {
                    true => Vec::new(),
                    false => vec![frame],
                }
            })
            .kills("srv.fork.thread-events", "the stream of sthr_"),
    ]
}

/// The newest status that each Session's list showed.
#[derive(Debug, Clone, Default)]
struct Statuses(Arc<Mutex<HashMap<String, String>>>);

impl Statuses {
    fn learn(&self, call: &Call, answer: &Answer) {
        if !call.is_list() || call.thread().is_some() {
            return;
        }
        let page = answer.json();
        let events = page["data"].as_array().into_iter().flatten();
        let mut kinds = events.filter_map(|event| event["type"].as_str()?.strip_prefix("session.status_"));
        if let (Some(session), Some(status)) = (call.session(), kinds.next_back()) {
            locked(&self.0).insert(session.to_owned(), status.to_owned());
        }
    }

    fn says(&self, call: &Call, status: &str) -> bool {
        let known = locked(&self.0);
        call.session()
            .and_then(|session| known.get(session))
            .map(String::as_str)
            == Some(status)
    }
}

/// Forks nothing that has this status.
fn refuses(name: &'static str, status: &'static str) -> Mutant {
    let statuses = Statuses::default();
    let known = statuses.clone();
    Mutant::new(name)
        .answer(move |call, answer| known.learn(call, answer))
        .instead(move |call| {
            let refused = call.is_fork() && statuses.says(call, status);
            refused.then(|| Answer::new(409, "application/json", "{}"))
        })
}

/// Gives a fork the status of its source, where it is this one.
fn passes_on(name: &'static str, status: &'static str) -> Mutant {
    let statuses = Statuses::default();
    Mutant::new(name).answer(move |call, answer| {
        statuses.learn(call, answer);
        if call.is_fork() && answer.status == 201 && statuses.says(call, status) {
            answer.edit(|fork| fork.put("/status", status.into()));
        }
    })
}

/// Does the same to the Session that is found for the one that it is done to.
fn reaches(
    name: &'static str,
    other: fn(&Forks, &str) -> Option<String>,
    concerns: fn(&Call) -> bool,
) -> Mutant {
    let forks = Forks::default();
    let known = forks.clone();
    Mutant::new(name)
        .answer(move |call, answer| known.learn(call, answer))
        .also(move |call, status| {
            let session = call.session()?;
            let reached = other(&forks, session)?;
            let mut again = call.clone();
            again.path = call.path.replace(session, &reached);
            again.headers.remove("idempotency-key");
            (concerns(call) && (200..300).contains(&status)).then_some(again)
        })
}

/// Changes the lists of the threads of forks.
fn of_forked_threads(name: &'static str, change: fn(&mut Vec<Value>)) -> Mutant {
    let forks = Forks::default();
    Mutant::new(name).answer(move |call, answer| {
        forks.learn(call, answer);
        if is_fork(&forks, call) && call.is_thread_events() && answer.status == 200 {
            answer.edit_events(change);
        }
    })
}

fn is_fork(forks: &Forks, call: &Call) -> bool {
    let session = call.session();
    session.is_some_and(|session| forks.source_of(session).is_some())
}
