use std::{collections::HashMap, sync::Mutex};

use serde_json::Value;

use super::forks::Forks;
use crate::prove::{
    lock::locked,
    mutant::Mutant,
    traffic::{Answer, Edit},
};

/// Servers that lose count where a log grows or is long.
pub(super) fn mutants() -> Vec<Mutant> {
    [walks(), forks(), streams()].into_iter().flatten().collect()
}

fn walks() -> Vec<Mutant> {
    vec![
        grown("growth-loses-one", |answer| {
            answer.edit_events(|events| drop(events.drain(..events.len().min(1))));
        })
        .kills("srv.list.pages-while-it-grows", "the walk while the log grew"),
        grown("growth-repeats-one", |answer| {
            answer.edit_events(|events| {
                if let Some(first) = events.first().cloned() {
                    events.insert(0, first);
                }
            });
        })
        .kills("srv.list.pages-while-it-grows", "the walk while the log grew"),
        grown("growth-ends-the-walk", |answer| {
            answer.edit(|page| page.put("/next_page", Value::Null));
        })
        .kills("srv.list.pages-while-it-grows", "a walk over the"),
    ]
}

fn forks() -> Vec<Mutant> {
    vec![
        of_forks("fork-copies-one-page", |events| {
            events.retain(|event| seq(event) <= 100 || is_own(event));
        })
        .kills("srv.fork.of-a-long-log", "event 101 of the fork"),
        of_forks("fork-of-many-loses-the-501st", |events| {
            events.retain(|event| seq(event) != 501);
        })
        .kills("srv.fork.of-a-long-log", "event 501 of the fork"),
        Mutant::new("deep-forks-copy-everything")
            .request(|call| {
                if call.is_fork() {
                    call.body = b"{}".to_vec();
                }
            })
            .kills("srv.fork.of-a-long-log", "no event of the source behind"),
    ]
}

fn streams() -> Vec<Mutant> {
    let ids = |name, concerns: fn(u64) -> bool| {
        Mutant::new(name).frame(move |_, _, mut frame| {
            let seq = frame.seq();
            if concerns(seq) {
                frame.edit(|event| event.put("/id", format!("evt_{seq:032x}").into()));
            }
            vec![frame]
        })
    };
    vec![
        ids("streams-begin-with-one-id", |seq| seq == 1)
            .kills("srv.stream.ids-are-global", "to be the id of one event"),
        ids("streamed-ids-are-seqs", |seq| seq > 0)
            .kills("srv.stream.ids-are-global", "to be the id of one event"),
    ]
}

/// Changes a page that a token asks for where something was appended since the page before.
fn grown(name: &'static str, change: fn(&mut Answer)) -> Mutant {
    let grown = Mutex::new(HashMap::<String, bool>::new());
    Mutant::new(name).answer(move |call, answer| {
        let Some(session) = call.session() else { return };
        let mut grown = locked(&grown);
        if call.is_append() && answer.status == 202 {
            grown.insert(session.to_owned(), true);
        } else if call.is_list() && call.parameter("limit") == Some("2") {
            let before = grown.insert(session.to_owned(), false);
            if before == Some(true) && call.parameter("page").is_some() {
                change(answer);
            }
        }
    })
}

/// Changes the lists of forks.
fn of_forks(name: &'static str, change: fn(&mut Vec<Value>)) -> Mutant {
    let forks = Forks::default();
    Mutant::new(name).answer(move |call, answer| {
        forks.learn(call, answer);
        let fork = call
            .session()
            .is_some_and(|session| forks.source_of(session).is_some());
        if fork && call.is_list() && answer.status == 200 {
            answer.edit_events(change);
        }
    })
}

fn seq(event: &Value) -> u64 {
    event["seq"].as_u64().unwrap_or_default()
}

/// Whether a fork wrote it itself.
fn is_own(event: &Value) -> bool {
    event["type"] == "session.forked" || event["type"] == "session.status_idle"
}
