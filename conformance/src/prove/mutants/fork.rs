use serde_json::{Value, json};

use super::{edit::of_the_session, forks::Forks};
use crate::prove::{
    mutant::Mutant,
    traffic::{Call, Edit},
};

pub(super) fn mutants() -> Vec<Mutant> {
    [logs(), sides(), resources(), points(), threads()]
        .into_iter()
        .flatten()
        .collect()
}

fn logs() -> Vec<Mutant> {
    vec![
        of_forks("fork-gives-new-ids", 1, |events| {
            of_the_first(events, |event| event.put("/id", "evt_another".into()));
        })
        .kills("srv.fork.keeps-ids-and-seqs", "event 1 of the fork"),
        of_forks("fork-numbers-anew", 1, |events| {
            events.iter_mut().for_each(|event| event.add("/seq", 1));
        })
        .kills("srv.fork.keeps-ids-and-seqs", "event 1 of the fork"),
        of_forks("fork-loses-the-first", 1, |events| {
            drop(events.drain(..events.len().min(1)))
        })
        .kills("srv.fork.keeps-ids-and-seqs", "event 1 of the fork"),
        of_forks("fork-without-a-mark", 1, |events| {
            events.retain(|event| !is_mark(event))
        })
        .kills("srv.fork.keeps-ids-and-seqs", "session.forked behind"),
        of_forks("fork-dates-copies-anew", 1, |events| {
            of_the_first(events, |event| {
                event.put("/created_at", "2026-09-01T00:00:00.000Z".into());
            });
        })
        .kills(
            "srv.fork.copies-are-the-same-events",
            "the copies on the fork's list",
        ),
        Mutant::new("fork-copies-name-the-source")
            .frame(|_, _, mut frame| {
                if frame.seq() == 1 {
                    frame.edit(|event| event.put("/session_id", "sess_another".into()));
                }
                vec![frame]
            })
            .kills(
                "srv.fork.copies-are-the-same-events",
                "the copies on the fork's stream",
            ),
        of_forks("second-fork-gives-new-ids", 2, |events| {
            of_the_first(events, |event| event.put("/id", "evt_another".into()));
        })
        .kills("srv.fork.of-a-fork", "event 1 of the fork"),
        of_forks("second-fork-forgets-the-first-mark", 2, |events| {
            if let Some(first) = events.iter().position(is_mark) {
                events.remove(first);
            }
        })
        .kills("srv.fork.of-a-fork", "of the fork to be"),
    ]
}

fn sides() -> Vec<Mutant> {
    let (up, down) = (Forks::default(), Forks::default());
    let (known_up, known_down) = (up.clone(), down.clone());
    vec![
        Mutant::new("fork-writes-into-its-source")
            .answer(move |call, answer| known_up.learn(call, answer))
            .also(move |call, status| also_to(call, status, up.source_of(call.session()?)?))
            .kills("srv.fork.sides-live-apart", "the source after a turn of its fork"),
        Mutant::new("source-writes-into-its-forks")
            .answer(move |call, answer| known_down.learn(call, answer))
            .also(move |call, status| also_to(call, status, down.fork_of(call.session()?)?))
            .kills("srv.fork.sides-live-apart", "the fork after a turn of its source"),
    ]
}

fn resources() -> Vec<Mutant> {
    let known = Forks::default();
    let forks = known.clone();
    vec![
        made("fork-pins-another-revision", |fork| {
            fork.put("/agent_deployment_revision_number", 99.into())
        })
        .kills("srv.fork.resource", "/agent_deployment_revision_number"),
        made("fork-without-an-origin", |fork| {
            fork.put("/forked_from", Value::Null)
        })
        .kills("srv.fork.resource", "/forked_from"),
        Mutant::new("fork-answers-200")
            .answer(|call, answer| {
                if call.is_fork() && answer.status == 201 {
                    answer.status = 200;
                }
            })
            .kills("srv.fork.resource", "status 201"),
        Mutant::new("fork-carries-runs-over")
            .answer(move |call, answer| {
                known.learn(call, answer);
                let fork = call
                    .session()
                    .is_some_and(|session| forks.source_of(session).is_some());
                if fork && call.path.ends_with("/runs") {
                    answer.edit_events(|runs| runs.push(json!({"id": "run_another"})));
                }
            })
            .kills("srv.fork.starts-clean", "the Runs of a new fork"),
    ]
}

fn points() -> Vec<Mutant> {
    vec![
        asked("forks-at-the-head-always", |body| *body = json!({}))
            .kills("srv.fork.at-any-event", "the tail of a fork"),
        asked("fork-copies-one-too-many", |body| {
            if let Some(seq) = body["from"]["seq"].as_u64() {
                body.put("/from/seq", (seq + 1).into());
            }
        })
        .kills("srv.fork.at-any-event", "the tail of a fork"),
        of_forks("mark-names-another-event", 1, |events| {
            if let Some(mark) = events.iter_mut().find(|event| is_mark(event)) {
                mark.put("/payload/source_event_id", "evt_another".into());
            }
        })
        .kills("srv.fork.at-any-event", "the tail of a fork"),
        Mutant::new("forks-from-what-is-not-there")
            .answer(|call, answer| {
                if call.is_fork() && answer.status == 409 {
                    answer.status = 201;
                }
            })
            .kills("srv.fork.refusals-are-pure", "status 409"),
        Mutant::new("refused-fork-is-made")
            .also(|call, status| {
                let mut made = call.clone();
                made.set_json(&json!({}));
                (call.is_fork() && status == 409).then_some(made)
            })
            .kills("srv.fork.refusals-are-pure", "the forks after refused ones"),
        asked("forks-without-the-checkpoint", |body| {
            body.drop_at("/checkpoint_id")
        })
        .kills("srv.fork.checkpoint-fails-closed", "4xx"),
        Mutant::new("refuses-the-checkpoint-and-forks")
            .also(|call, status| {
                let mut made = call.clone();
                made.set_json(&json!({}));
                let failed = (400..500).contains(&status) && !call.json()["checkpoint_id"].is_null();
                (call.is_fork() && failed).then_some(made)
            })
            .kills(
                "srv.fork.checkpoint-fails-closed",
                "the forks after one that failed closed",
            ),
    ]
}

fn threads() -> Vec<Mutant> {
    vec![
        of_forked_threads("forked-children-live-on", |threads| {
            let ended = threads
                .iter_mut()
                .filter(|thread| thread["status"] == "terminated");
            ended.for_each(|thread| thread.put("/status", "idle".into()));
        })
        .kills("srv.fork.threads-at-rest", "the threads of the fork"),
        of_forked_threads("fork-loses-its-children", |threads| threads.truncate(1))
            .kills("srv.fork.threads-at-rest", "the threads of the fork"),
    ]
}

fn of_the_first(events: &mut [Value], change: impl Fn(&mut Value)) {
    events.iter_mut().take(1).for_each(change);
}

fn is_mark(event: &Value) -> bool {
    event["type"] == "session.forked"
}

/// An accepted message once more, to another Session.
fn also_to(call: &Call, status: u16, session: String) -> Option<Call> {
    let mut again = call.clone();
    again.path = format!("/v1/sessions/{session}/events");
    again.headers.remove("idempotency-key");
    (call.is_append() && status == 202).then_some(again)
}

/// Changes the list of every Session that was forked at least so often.
fn of_forks(
    name: &'static str,
    marks: usize,
    change: impl Fn(&mut Vec<Value>) + Send + Sync + 'static,
) -> Mutant {
    of_the_session(name, move |events| {
        if events.iter().filter(|event| is_mark(event)).count() >= marks {
            change(events);
        }
    })
}

/// Changes the answer to every fork.
fn made(name: &'static str, change: impl Fn(&mut Value) + Send + Sync + 'static) -> Mutant {
    Mutant::new(name).answer(move |call, answer| {
        if call.is_fork() && answer.status == 201 {
            answer.edit(&change);
        }
    })
}

/// Changes what a fork is asked for with.
fn asked(name: &'static str, change: impl Fn(&mut Value) + Send + Sync + 'static) -> Mutant {
    Mutant::new(name).request(move |call| {
        if call.is_fork() {
            let mut body = call.json();
            change(&mut body);
            call.set_json(&body);
        }
    })
}

fn of_forked_threads(name: &'static str, change: impl Fn(&mut Vec<Value>) + Send + Sync + 'static) -> Mutant {
    let forks = Forks::default();
    Mutant::new(name).answer(move |call, answer| {
        forks.learn(call, answer);
        let fork = call
            .session()
            .is_some_and(|session| forks.source_of(session).is_some());
        if fork && call.is_thread_list() {
            answer.edit_events(&change);
        }
    })
}
