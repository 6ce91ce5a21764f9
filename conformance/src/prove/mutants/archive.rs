use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::{Value, json};

use crate::prove::{
    mutant::Mutant,
    traffic::{Call, Edit},
};

pub(super) fn mutants() -> Vec<Mutant> {
    let counter = || {
        let count = AtomicU64::new(0);
        move || count.fetch_add(1, Ordering::Relaxed)
    };
    let (archived, shown, used) = (counter(), counter(), counter());
    vec![
        edited("archive-answers-idle", Call::is_archive, |thread| {
            thread.put("/status", "idle".into())
        })
        .kills("srv.archive.idle-child", "the status"),
        edited("archive-without-a-time", Call::is_archive, |thread| {
            thread.put("/archived_at", Value::Null)
        })
        .kills("srv.archive.idle-child", "/archived_at"),
        edited("archive-forgets", Call::is_thread, |thread| {
            thread.put("/status", "idle".into())
        })
        .kills("srv.archive.idle-child", "the retrieved archived thread"),
        edited("archive-again-at-another-time", Call::is_archive, move |thread| {
            thread.put(
                "/archived_at",
                format!("2026-09-01T00:00:{:02}.000Z", archived()).into(),
            );
        })
        .kills("srv.archive.idle-child", "the same terminated thread"),
        edited("archived-thread-grows-older", Call::is_thread, move |thread| {
            thread.put("/stats/duration_seconds", (100 + shown()).into());
        })
        .kills("srv.archive.freezes-stats", "the frozen stats"),
        edited("archived-thread-was-busier", Call::is_thread, move |thread| {
            thread.put("/stats/active_seconds", (100 + used()).into());
        })
        .kills("srv.archive.freezes-stats", "the frozen stats"),
        answered("primary-is-not-found-to-archive", 409, 404)
            .kills("srv.archive.not-the-primary", "status 409"),
        answered("archives-the-primary", 409, 200).kills("srv.archive.not-the-primary", "status 409"),
        coded("primary-refused-by-another-code", "runtime.invalid_transition")
            .kills("srv.archive.not-the-primary", "error code runtime.primary_thread"),
        answered("archives-what-waits", 409, 200).kills("srv.archive.not-while-waiting", "status 409"),
        coded("waiting-child-refused-by-another-code", "runtime.primary_thread").kills(
            "srv.archive.not-while-waiting",
            "error code runtime.invalid_transition",
        ),
        answered("never-archives-after-an-interrupt", 200, 409)
            .kills("srv.archive.not-while-waiting", "once its wait was interrupted"),
        Mutant::new("archived-stream-stays-open")
            .holds_open()
            .kills("srv.archive.stream-closes", "a stream that the server closes"),
        answered("broken-child-cannot-be-archived", 200, 409)
            .kills("srv.archive.ended-by-error", "status 200"),
    ]
}

fn edited(
    name: &'static str,
    concerns: fn(&Call) -> bool,
    change: impl Fn(&mut Value) + Send + Sync + 'static,
) -> Mutant {
    Mutant::new(name).answer(move |call, answer| {
        if concerns(call) && answer.status == 200 {
            answer.edit(&change);
        }
    })
}

/// Answers an archiving with another status.
fn answered(name: &'static str, from: u16, to: u16) -> Mutant {
    Mutant::new(name).answer(move |call, answer| {
        if call.is_archive() && answer.status == from {
            answer.status = to;
        }
    })
}

/// Refuses an archiving by another code.
fn coded(name: &'static str, code: &'static str) -> Mutant {
    Mutant::new(name).answer(move |call, answer| {
        if call.is_archive() && answer.status == 409 {
            answer.edit(|body| body.put("/error/code", json!(code)));
        }
    })
}
