use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use serde_json::{Value, json};

use super::edit::{edit_kind, of_the_session, rename_kind};
use crate::prove::{
    mutant::Mutant,
    traffic::{Answer, Edit},
};

pub(super) fn mutants() -> Vec<Mutant> {
    vec![
        later("forgets-the-last-event-later", |events| drop(events.pop()))
            .kills("srv.restart.keeps-the-session", "the log after the restart"),
        later("numbers-anew-later", |events| {
            events.iter_mut().for_each(|event| event.add("/seq", 1));
        })
        .kills("srv.restart.keeps-the-session", "the log after the restart"),
        Mutant::new("late-start-up-fails")
            .answer(|call, answer| rename_kind(call, answer, "run.requeued", "run.failed"))
            .kills("srv.deadline.start-up", "run.requeued of a Run"),
        Mutant::new("late-start-up-is-another-run")
            .answer(|call, answer| {
                edit_kind(call, answer, "run.started", |event| {
                    event.put("/run_id", super::edit::NO_RUN.into());
                });
            })
            .kills("srv.deadline.start-up", "the Run of the fresh attempt"),
        Mutant::new("overtime-completes")
            .answer(|call, answer| rename_kind(call, answer, "run.failed", "run.completed"))
            .kills("srv.deadline.passes", "run.failed"),
        Mutant::new("overtime-fails-for-another-reason")
            .answer(|call, answer| {
                edit_kind(call, answer, "run.failed", |event| {
                    event.put("/payload/error/code", "runtime.internal_error".into());
                });
            })
            .kills("srv.deadline.passes", "the reason of a Run past its deadline"),
        Mutant::new("trimmed-cursor-is-none")
            .answer(|_, answer| {
                if answer.status == 410 {
                    *answer = Answer::new(200, "application/json", r#"{"data":[],"next_page":null}"#);
                }
            })
            .kills("srv.resume.trimmed", "status 410"),
        Mutant::new("trimmed-without-what-is-left")
            .answer(|_, answer| {
                if answer.status == 410 {
                    answer.edit(|body| body.put("/error/details", json!({})));
                }
            })
            .kills("srv.resume.trimmed", "/error/details/first_seq"),
    ]
}

/// The settlement, and two looks at rest.
const READS_AT_REST: usize = 3;

/// Changes the list of a Session once it has been read so often at the same length that it was at rest before.
fn later(name: &'static str, change: impl Fn(&mut Vec<Value>) + Send + Sync + 'static) -> Mutant {
    let seen: Mutex<HashMap<String, (usize, usize)>> = Mutex::default();
    of_the_session(name, move |events| {
        let session = events.first().map(|event| event["session_id"].to_string());
        let mut seen = seen.lock().unwrap_or_else(PoisonError::into_inner);
        let (length, times) = seen.entry(session.unwrap_or_default()).or_default();
        *times = match *length == events.len() {
            true => *times + 1,
            false => 1,
        };
        *length = events.len();
        if *times > READS_AT_REST {
            change(events);
        }
    })
}
