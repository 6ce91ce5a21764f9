//! The same Run goes on after a wait (WAIT-3, A-CONT).

use std::time::Duration;

use super::rest;
use crate::core::batch::Batch;
use crate::core::event::EventData;
use crate::core::id::RunId;
use crate::core::moment::Moment;
use crate::core::payload::{Empty, RunResumed, ThreadStatusChange, Wait};
use crate::core::refusal::Refusal;

/// What a Runner has to make the harness ready (DLN-1).
pub(super) const STARTUP_ALLOWANCE: Duration = Duration::from_secs(60);

/// A wait of the Run is resolved: with others still open the boundary is written again (A-PARK), else the Run resumes.
pub(super) fn proceed(batch: &mut Batch<'_>, id: &RunId, wait: Wait) -> Result<(), Refusal> {
    let Some(run) = batch.session().run(id).cloned() else {
        return Err(Refusal::StaleStep);
    };
    let primary = batch.session().is_primary(&run.thread_id);
    if batch.session().waits.open_of(id).next().is_some() {
        return if primary {
            rest::boundary(batch, Some(id))
        } else {
            rest::child_wait_ended(batch, id)
        };
    }
    let question = matches!(wait, Wait::Question { .. });
    let resumed = EventData::RunResumed(RunResumed {
        wait,
        continuation: run.continuation + 1,
        deadline_at: Some(deadline(batch, batch.now())),
    });
    batch.of_run(&run, resumed);
    if primary {
        let status = if question {
            EventData::StatusProvisioning(Empty {})
        } else {
            EventData::StatusRunning(Empty {})
        };
        return batch.become_status(Some(id), status);
    }
    let running = EventData::ThreadRunning(ThreadStatusChange {
        session_thread_id: run.thread_id.clone(),
        agent_name: rest::agent_name(batch, &run.thread_id),
    });
    batch.of_run(&run, running);
    rest::child_wait_ended(batch, id)
}

/// A-DLN: the claim, the startup allowance and what the sandbox profile allows.
pub(super) fn deadline(batch: &Batch<'_>, claimed_at: Moment) -> Moment {
    let max_duration = Duration::from_secs(batch.session().admission.max_duration_seconds);
    claimed_at.plus(STARTUP_ALLOWANCE).plus(max_duration)
}
