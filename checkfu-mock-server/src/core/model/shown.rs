//! What a Session shows, in roles: the same of the model and of the core.

use super::names::Names;
use super::specification::Model;
use crate::core::decide::next_due;
use crate::core::moment::Moment;
use crate::core::session::Session;
use crate::core::status::{RunStatus, SessionStatus, ThreadStatus};

/// The state, as far as both sides have it.
#[derive(Debug, PartialEq)]
pub(super) struct Shown {
    status: SessionStatus,
    stop_reason: Option<String>,
    /// Status, and whether it is archived.
    threads: Vec<(ThreadStatus, bool)>,
    /// Of what is open: thread, generation, the `seq` of the blocker.
    waits: Vec<(usize, u32, u64)>,
    /// Of what has not settled: thread, status, attempt, continuation, position, deadline.
    runs: Vec<(usize, RunStatus, u32, u32, u32, Option<i64>)>,
    last_seq: u64,
    due: Option<i64>,
}

/// Of a Session as the specification has it.
pub(super) fn of_model(model: &Model) -> Shown {
    let threads = (0..model.threads.len())
        .map(|place| {
            (
                model.thread_status(place),
                model.threads[place].archived.is_some(),
            )
        })
        .collect();
    let waits = model
        .open_waits()
        .map(|wait| (wait.thread, wait.generation, wait.blocker))
        .collect();
    let runs = (0..model.runs.len())
        .filter(|&run| !model.is_settled(run))
        .map(|number| {
            let run = &model.runs[number];
            let deadline = run.deadline.filter(|_| is_executing(run.status));
            (
                run.thread,
                run.status,
                run.attempt,
                run.continuation,
                run.position,
                deadline,
            )
        })
        .collect();
    Shown {
        status: model.status,
        stop_reason: model.stop_reason.clone(),
        threads,
        waits,
        runs,
        last_seq: model.last_seq(),
        due: model.next_due(),
    }
}

/// Of a Session as the core has it.
pub(super) fn of_session(session: &Session, names: &Names) -> Shown {
    let place = |id| session.ordinal(id).unwrap();
    let threads = session
        .threads
        .iter()
        .map(|thread| (session.thread_status(thread), thread.archived_at.is_some()))
        .collect();
    let waits = session
        .waits
        .open()
        .map(|record| {
            (
                place(&record.thread),
                record.wait.generation(),
                names.seq(&record.blocker),
            )
        })
        .collect();
    let runs = session
        .unfinished
        .iter()
        .map(|run| {
            let deadline = run
                .deadline_at
                .filter(|_| is_executing(run.status))
                .map(Moment::milliseconds);
            (
                place(&run.thread_id),
                run.status,
                run.attempt,
                run.continuation,
                run.position,
                deadline,
            )
        })
        .collect();
    Shown {
        status: session.head.status,
        stop_reason: session.head.stop_reason.clone(),
        threads,
        waits,
        runs,
        last_seq: session.head.last_seq,
        due: next_due(session).map(Moment::milliseconds),
    }
}

/// A deadline counts, and is known from the log, from the start on.
fn is_executing(status: RunStatus) -> bool {
    matches!(status, RunStatus::Running | RunStatus::Reconciling)
}
