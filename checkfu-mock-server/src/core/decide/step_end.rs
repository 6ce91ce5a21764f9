//! How Runs end by themselves: well, for good, or for another attempt.

use super::{end, rest};
use crate::core::batch::Batch;
use crate::core::event::EventData;
use crate::core::payload::{
    CancelReason, Cost, Failure, RequeueReason, RunCompleted, RunFailed, RunRequeued, SessionUsage,
    StatusFailed, ThreadStatusChange, ThreadTerminated, Usage,
};
use crate::core::refusal::Refusal;
use crate::core::run::Run;

/// RUN-3: the Run settles, and what it spent is counted.
pub(super) fn complete(
    batch: &mut Batch<'_>,
    run: &Run,
    usage: Usage,
    cost: Cost,
    stop_reason: &str,
) -> Result<(), Refusal> {
    batch.of_run(run, EventData::RunCompleted(RunCompleted { usage, cost }));
    count(batch, run, usage);
    settle(batch, run, stop_reason)
}

/// The Run fails for good. With `terminates` the child ends too, or the whole Session does.
pub(super) fn fail(
    batch: &mut Batch<'_>,
    run: &Run,
    error: Failure,
    spent: Option<(Usage, Cost)>,
    terminates: bool,
) -> Result<(), Refusal> {
    let stop_reason = if error.code == "runtime.retries_exhausted" || error.code == "runtime.startup_failed" {
        "retries_exhausted"
    } else {
        "run_failed"
    };
    let (usage, cost) = spent.unzip();
    let failed = RunFailed {
        error: error.clone(),
        usage,
        cost,
    };
    batch.of_run(run, EventData::RunFailed(failed));
    if let Some(usage) = usage {
        count(batch, run, usage);
    }
    if !terminates {
        return settle(batch, run, stop_reason);
    }
    if batch.session().is_primary(&run.thread_id) {
        let failed = EventData::StatusFailed(StatusFailed { error });
        return end::end(batch, failed, CancelReason::SessionFailed);
    }
    terminate(batch, run, error);
    Ok(())
}

/// THR-11: the same Run gets a fresh attempt, a bounded number of times.
pub(super) fn lose_runner(batch: &mut Batch<'_>, run: &Run) -> Result<(), Refusal> {
    if run.lost_attempts >= batch.session().admission.behaviour.max_retries {
        let error = Failure {
            code: "runtime.retries_exhausted".to_owned(),
            message: format!("the Runner was lost {} times", run.lost_attempts + 1),
            retryable: Some(false),
        };
        return fail(batch, run, error, None, false);
    }
    requeue(batch, run, run.attempt, RequeueReason::RunnerLost)
}

/// DLN-1: a start-up that takes too long gets a fresh attempt, a bounded number of times.
pub(super) fn startup_timed_out(batch: &mut Batch<'_>, run: &Run) -> Result<(), Refusal> {
    if run.startup_timeouts >= batch.session().admission.behaviour.max_startups {
        let error = Failure {
            code: "runtime.startup_failed".to_owned(),
            message: format!(
                "the harness was not ready in time, {} times",
                run.startup_timeouts + 1
            ),
            retryable: Some(false),
        };
        return fail(batch, run, error, None, false);
    }
    let attempt = if run.needs_start {
        run.attempt + 1
    } else {
        run.attempt
    };
    requeue(batch, run, attempt, RequeueReason::StartupTimeout)
}

fn requeue(batch: &mut Batch<'_>, run: &Run, attempt: u32, reason: RequeueReason) -> Result<(), Refusal> {
    batch.of_run(run, EventData::RunRequeued(RunRequeued { attempt, reason }));
    if batch.session().is_primary(&run.thread_id) {
        return batch.become_pending(&run.id);
    }
    let rescheduled = EventData::ThreadRescheduled(ThreadStatusChange {
        session_thread_id: run.thread_id.clone(),
        agent_name: rest::agent_name(batch, &run.thread_id),
    });
    batch.of_run(run, rescheduled);
    Ok(())
}

fn count(batch: &mut Batch<'_>, run: &Run, usage: Usage) {
    let total = batch.session().head.usage.unwrap_or_default().plus(usage);
    batch.on_session(
        Some(&run.id),
        EventData::SessionUsage(SessionUsage { usage: total }),
    );
}

fn settle(batch: &mut Batch<'_>, run: &Run, stop_reason: &str) -> Result<(), Refusal> {
    if batch.session().is_primary(&run.thread_id) {
        return rest::rest(batch, &run.id, stop_reason);
    }
    let more = batch.session().runs_of(&run.thread_id).next().is_some();
    if more && stop_reason == "end_turn" {
        return Ok(());
    }
    rest::rest_child(batch, &run.thread_id, &run.id, stop_reason)
}

/// THR-11: an error that nothing mends ends the child; what was queued for it is canceled.
fn terminate(batch: &mut Batch<'_>, run: &Run, error: Failure) {
    let queued: Vec<Run> = batch.session().runs_of(&run.thread_id).cloned().collect();
    for queued in queued {
        let failed = RunFailed {
            error: error.clone(),
            usage: None,
            cost: None,
        };
        batch.of_run(&queued, EventData::RunFailed(failed));
    }
    let terminated = ThreadTerminated {
        session_thread_id: run.thread_id.clone(),
        agent_name: rest::agent_name(batch, &run.thread_id),
        error: Some(error),
    };
    batch.of_run(run, EventData::ThreadTerminated(terminated));
}
