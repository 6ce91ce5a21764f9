//! The Run resource (RUN-1).

use serde::Serialize;

use crate::core::id::{RunId, SessionId, ThreadId};
use crate::core::moment::Moment;
use crate::core::payload::{Cost, Failure, Resolved, Trigger, Usage};
use crate::core::run::Run;
use crate::core::status::RunStatus;

/// One execution attempt with its trigger, status, cost and the versions that it received.
#[derive(Debug, Serialize)]
pub(crate) struct RunResource<'a> {
    id: &'a RunId,
    r#type: &'static str,
    session_id: &'a SessionId,
    session_thread_id: &'a ThreadId,
    status: RunStatus,
    trigger: &'a Trigger,
    attempt: u32,
    continuation: u32,
    continues_run_id: Option<&'a RunId>,
    deadline_at: Option<Moment>,
    resolved: Option<&'a Resolved>,
    usage: Option<Usage>,
    cost: Option<&'a Cost>,
    error: Option<&'a Failure>,
    created_at: Moment,
    started_at: Option<Moment>,
    settled_at: Option<Moment>,
}

impl<'a> RunResource<'a> {
    pub(crate) fn new(session_id: &'a SessionId, run: &'a Run) -> Self {
        Self {
            id: &run.id,
            r#type: "run",
            session_id,
            session_thread_id: &run.thread_id,
            status: run.status,
            trigger: &run.trigger,
            attempt: run.attempt,
            continuation: run.continuation,
            continues_run_id: run.continues_run_id.as_ref(),
            deadline_at: run.deadline_at,
            resolved: run.resolved.as_ref(),
            usage: run.usage,
            cost: run.cost.as_ref(),
            error: run.error.as_ref(),
            created_at: run.created_at,
            started_at: run.started_at,
            settled_at: run.settled_at,
        }
    }
}
