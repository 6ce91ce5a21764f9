use std::{
    collections::{HashMap, HashSet},
    sync::{Arc, Mutex},
};

use serde_json::{Value, json};

use super::edit::{each, pages};
use crate::prove::{
    lock::locked,
    mutant::Mutant,
    traffic::{Answer, Call, Edit},
};

pub(super) fn mutants() -> Vec<Mutant> {
    [lists(), resources()].into_iter().flatten().collect()
}

fn lists() -> Vec<Mutant> {
    let posted = Arc::new(Mutex::new(HashSet::new()));
    vec![
        threads("no-primary-thread", |threads| {
            each(threads, |thread| thread.put("/parent_thread_id", "sthr_1".into()))
        })
        .kills("srv.thread.list", "one thread without a parent"),
        threads("two-primary-threads", add_a_twin).kills("srv.thread.list", "one thread without a parent"),
        Mutant::new("thread-pages-repeat")
            .answer(|call, answer| {
                if call.is_thread_list() && answer.status == 200 {
                    answer.edit(|page| page.put("/next_page", "again".into()));
                }
            })
            .request(|call| {
                if call.is_thread_list() {
                    call.drop_parameter("page");
                }
            })
            .kills("srv.thread.list", "a walk of threads that ends"),
        threads("lists-the-youngest-first", |threads| threads.reverse())
            .kills("srv.thread.spawn-order", "the first thread"),
        threads("younger-children-are-older", |threads| {
            if let Some(last) = threads
                .last_mut()
                .filter(|thread| !thread["parent_thread_id"].is_null())
            {
                last.put("/created_at", "1999-12-31T00:00:00.000Z".into());
            }
        })
        .kills("srv.thread.spawn-order", "children by spawn"),
        threads("child-of-another-parent", |threads| {
            let children = threads
                .iter_mut()
                .filter(|thread| !thread["parent_thread_id"].is_null());
            children.for_each(|child| child.put("/parent_thread_id", "sthr_1".into()));
        })
        .kills("srv.thread.spawn-order", "the parent of a child"),
        Mutant::new("thread-pages-lose-one")
            .answer(|call, answer| {
                if call.is_thread_list()
                    && call.parameter("limit") == Some("1")
                    && call.parameter("page").is_some()
                {
                    answer.edit_events(Vec::clear);
                }
            })
            .kills("srv.thread.spawn-order", "the threads in pages of one"),
        Mutant::new("takes-threads-of-clients")
            .answer(|call, answer| {
                if call.method == "POST" && call.path.ends_with("/threads") {
                    answer.status = 201;
                }
            })
            .kills("srv.thread.not-creatable", "4xx"),
        Mutant::new("refuses-a-thread-and-makes-it")
            .answer(move |call, answer| {
                let mut posted = locked(&posted);
                if call.method == "POST" && call.path.ends_with("/threads") {
                    posted.insert(call.path.clone());
                } else if call.is_thread_list() && posted.contains(&call.path) {
                    answer.edit_events(add_a_twin);
                }
            })
            .kills("srv.thread.not-creatable", "no thread more than before"),
        Mutant::new("thread-list-ignores-limit")
            .request(|call| {
                if call.is_thread_list() {
                    call.drop_parameter("limit");
                }
            })
            .kills("srv.thread.bad-parameters", "status 400"),
    ]
}

fn resources() -> Vec<Mutant> {
    let homes = Arc::new(Mutex::new(HashMap::new()));
    let seen = Arc::clone(&homes);
    vec![
        Mutant::new("threads-know-no-session")
            .answer(move |call, answer| {
                if call.is_thread_list() {
                    for thread in answer.json()["data"].as_array().into_iter().flatten() {
                        if let (Some(id), Some(home)) = (thread["id"].as_str(), call.session()) {
                            locked(&seen).insert(id.to_owned(), home.to_owned());
                        }
                    }
                }
            })
            .request(move |call| {
                let home = call
                    .thread()
                    .and_then(|thread| locked(&homes).get(thread).cloned());
                if let (Some(home), Some(asked), true) = (home, call.session(), call.is_thread()) {
                    call.path = call.path.replace(asked, &home);
                }
            })
            .kills("srv.thread.fenced-by-session", "status 404"),
        Mutant::new("foreign-thread-is-forbidden")
            .answer(|call, answer| {
                let known = call
                    .thread()
                    .is_some_and(|thread| !thread.ends_with("0000000000"));
                if call.is_thread() && known && answer.status == 404 {
                    answer.status = 403;
                }
            })
            .kills("srv.thread.fenced-by-session", "status 404"),
        Mutant::new("foreign-thread-has-no-events")
            .answer(|call, answer| {
                if call.is_thread_events() && answer.status == 404 {
                    *answer = Answer::new(200, "application/json", r#"{"data":[],"next_page":null}"#);
                }
            })
            .kills("srv.thread.fenced-everywhere", "status 404"),
        Mutant::new("unknown-thread-is-archived")
            .answer(|call, answer| {
                if call.is_archive() && answer.status == 404 {
                    answer.status = 200;
                }
            })
            .kills("srv.thread.fenced-everywhere", "status 404"),
        threads("thread-with-a-fifth-status", |threads| {
            each(threads, |thread| thread.put("/status", "sleeping".into()))
        })
        .kills("srv.thread.shape", "four statuses"),
        threads("thread-with-multiagent", |threads| {
            each(threads, |thread| {
                thread.put("/agent/draft/multiagent", json!({"roster": []}))
            })
        })
        .kills("srv.thread.shape", "without a multiagent part"),
        threads("thread-without-a-parent-member", |threads| {
            each(threads, |thread| thread.drop_at("/parent_thread_id"))
        })
        .kills("srv.thread.shape", "/parent_thread_id"),
        threads("thread-stats-as-text", |threads| {
            each(threads, |thread| thread.put("/stats", "long".into()))
        })
        .kills("srv.thread.shape", "/stats"),
        threads("stale-thread-entry", |threads| {
            each(threads, |thread| {
                thread.put("/updated_at", thread["created_at"].clone())
            })
        })
        .kills("srv.thread.entry-is-resource", "the retrieved thread"),
        Mutant::new("retrieved-thread-is-older")
            .answer(|call, answer| {
                if call.is_thread() && answer.status == 200 {
                    answer.edit(|thread| thread.put("/created_at", "1999-12-31T00:00:00.000Z".into()));
                }
            })
            .kills("srv.thread.entry-is-resource", "the retrieved thread"),
    ]
}

/// Changes the entries of every list of threads.
fn threads(name: &'static str, change: impl Fn(&mut Vec<Value>) + Send + Sync + 'static) -> Mutant {
    pages(name, Call::is_thread_list, change)
}

fn add_a_twin(threads: &mut Vec<Value>) {
    if let Some(mut twin) = threads.first().cloned() {
        twin.put("/id", "sthr_1".into());
        threads.push(twin);
    }
}
