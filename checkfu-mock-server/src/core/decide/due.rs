//! What happens when time goes by: start-ups and Runs that take too long, approvals that nobody decided (A-DLN, A-GEN).

use super::resume::{STARTUP_ALLOWANCE, proceed};
use super::step_end::{fail, startup_timed_out};
use crate::core::admission::OnDeadline;
use crate::core::batch::Batch;
use crate::core::event::EventData;
use crate::core::id::{ApprovalId, RunId};
use crate::core::moment::Moment;
use crate::core::payload::{ApprovalExpired, Failure};
use crate::core::refusal::Refusal;
use crate::core::session::Session;
use crate::core::status::RunStatus;
use crate::mutant::{self, Mutant};

/// When time changes something next, if it does.
pub(crate) fn next_due(session: &Session) -> Option<Moment> {
    earliest(session).map(|(at, _)| at)
}

/// Lets everything happen that is due, the oldest first.
pub(super) fn tick(batch: &mut Batch<'_>) -> Result<(), Refusal> {
    while let Some((at, due)) = earliest(batch.session())
        && at <= batch.now()
    {
        match due {
            Due::Startup(run) => {
                let run = batch.session().run(&run).cloned().ok_or(Refusal::StaleStep)?;
                startup_timed_out(batch, &run)?;
            }
            Due::Deadline(run) => cross_deadline(batch, &run)?,
            Due::Approval(run, approval) => expire(batch, &run, approval)?,
        }
    }
    Ok(())
}

enum Due {
    Startup(RunId),
    Deadline(RunId),
    Approval(RunId, ApprovalId),
}

fn earliest(session: &Session) -> Option<(Moment, Due)> {
    if session.head.status.is_terminal() {
        return None;
    }
    // Who is queued behind another one waits for nothing but that.
    let runs = session.all_active().filter_map(|run| match run.status {
        RunStatus::Provisioning => {
            let at = run.claimed_at?.plus(STARTUP_ALLOWANCE);
            Some((at, Due::Startup(run.id.clone())))
        }
        RunStatus::Running | RunStatus::Reconciling => {
            Some((run.deadline_at?, Due::Deadline(run.id.clone())))
        }
        _ => None,
    });
    let approvals = session.waits.open().filter_map(|record| {
        let approval = record.approval.as_ref()?;
        let due = Due::Approval(record.run.clone(), approval.id.clone());
        Some((approval.expires_at?, due))
    });
    let approvals = approvals.filter(|_| !mutant::active(Mutant::ApprovalStays));
    runs.chain(approvals).min_by_key(|(at, _)| *at)
}

/// DLN-2.
fn cross_deadline(batch: &mut Batch<'_>, run: &RunId) -> Result<(), Refusal> {
    let run = batch.session().run(run).cloned().ok_or(Refusal::StaleStep)?;
    let error = Failure {
        code: "runtime.turn_deadline_exceeded".to_owned(),
        message: "the Run took longer than its deadline allows".to_owned(),
        retryable: Some(false),
    };
    let primary = batch.session().is_primary(&run.thread_id);
    let ends = primary && batch.session().admission.behaviour.on_deadline == OnDeadline::Failed;
    fail(batch, &run, error, None, ends)
}

/// A-GEN: expiry counts as a denial.
fn expire(batch: &mut Batch<'_>, run: &RunId, approval_id: ApprovalId) -> Result<(), Refusal> {
    let run = batch.session().run(run).cloned().ok_or(Refusal::StaleStep)?;
    let wait = batch
        .session()
        .waits
        .open_of(&run.id)
        .find(|record| {
            record
                .approval
                .as_ref()
                .is_some_and(|known| known.id == approval_id)
        })
        .map(|record| record.wait.clone())
        .ok_or(Refusal::StaleStep)?;
    batch.of_run(&run, EventData::ApprovalExpired(ApprovalExpired { approval_id }));
    proceed(batch, &run.id, wait)
}
