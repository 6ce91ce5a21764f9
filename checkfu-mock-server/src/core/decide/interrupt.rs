//! Interrupts (SES-10, WAIT-2, A-INT).

use super::rest;
use crate::core::assignment::Resolution;
use crate::core::batch::Batch;
use crate::core::event::EventData;
use crate::core::id::{RunId, ThreadId};
use crate::core::payload::{CancelReason, Evaluated, OutcomeResult, RunCanceled, Subject, UserInterrupt};
use crate::core::refusal::Refusal;
use crate::core::run::Run;
use crate::core::session::Session;
use crate::core::status::{RunStatus, SessionStatus};
use crate::mutant::{self, Mutant};

/// Ends the current turn: the active and parked Runs of the primary thread and of all live children, or of the one thread
/// that is named. With nothing to end it is appended and changes no state.
pub(super) fn accept(batch: &mut Batch<'_>, interrupt: UserInterrupt) -> Result<(), Refusal> {
    let session = batch.session();
    let from = session.head.status;
    let named = interrupt.session_thread_id.clone();
    if named
        .as_ref()
        .is_some_and(|named| session.thread(named).is_none())
    {
        return Err(Refusal::UnknownThread);
    }
    if from.is_terminal() {
        let to = SessionStatus::Idle;
        return Err(Refusal::InvalidTransition { from, to });
    }
    let threads: Vec<ThreadId> = match &named {
        Some(named) => vec![named.clone()],
        None => session.threads.iter().map(|thread| thread.id.clone()).collect(),
    };
    let ended: Vec<Run> = threads
        .iter()
        .flat_map(|thread| session.active_runs(thread))
        .filter(|run| run.can_be_interrupted() && !is_spared(session, run))
        .cloned()
        .collect();
    let event = EventData::UserInterrupt(interrupt);
    // Nothing stands in a child's view after its end (A-SRV).
    let live = |id: &&ThreadId| batch.session().thread(id).is_some_and(|thread| thread.is_live());
    match named.as_ref().filter(live).cloned() {
        Some(named) => batch.on_thread(&named, None, event),
        None => batch.on_session(None, event),
    };
    let mut last = None;
    for run in ended {
        cancel(batch, &run)?;
        last = Some(run);
    }
    match (last, named) {
        (None, _) => Ok(()),
        (Some(run), Some(named)) if !batch.session().is_primary(&named) => {
            rest::child_wait_ended(batch, &run.id)
        }
        (Some(run), _) => come_to_idle(batch, &run.id),
    }
}

/// What a broken promise leaves open.
fn is_spared(session: &Session, run: &Run) -> bool {
    mutant::active(Mutant::InterruptSparesChildren)
        && run.status == RunStatus::Waiting
        && !session.is_primary(&run.thread_id)
}

fn cancel(batch: &mut Batch<'_>, run: &Run) -> Result<(), Refusal> {
    if let Some(outcome) = &run.outcome
        && !is_evaluated(run)
    {
        let evaluated = Evaluated {
            outcome_id: outcome.id.clone(),
            iteration: outcome.iteration.max(1),
            result: OutcomeResult::Interrupted,
            explanation: None,
        };
        batch.of_run(run, EventData::Evaluated(evaluated));
    }
    let canceled = RunCanceled {
        reason: CancelReason::Interrupted,
    };
    batch.of_run(run, EventData::RunCanceled(canceled));
    if batch.session().is_primary(&run.thread_id) {
        return Ok(());
    }
    rest::rest_child(batch, &run.thread_id, &run.id, "end_turn")
}

/// Whether the grader has said the last word on the Run's Outcome: an interrupt does not take it back (A-OUT).
fn is_evaluated(run: &Run) -> bool {
    let judged = run
        .parked
        .iter()
        .rev()
        .find(|parked| matches!(parked.subject, Subject::Outcome(_)));
    judged.is_some_and(|judged| {
        matches!(judged.resolution, Some(Resolution::Graded { result }) if result != OutcomeResult::NeedsRevision)
    })
}

/// A Run that settles its output is not ended: its own end brings the idle. Queued Runs start after the idle.
fn come_to_idle(batch: &mut Batch<'_>, run: &RunId) -> Result<(), Refusal> {
    let session = batch.session();
    let primary = session.primary().clone();
    let settling = session
        .active_runs(&primary)
        .any(|active| active.status == RunStatus::Reconciling);
    if settling {
        return Ok(());
    }
    if session.pending_actions().next().is_some() {
        rest::boundary(batch, Some(run))?;
    } else {
        batch.become_idle(Some(run), "end_turn")?;
    }
    let next = batch
        .session()
        .active_runs(&primary)
        .next()
        .map(|next| next.id.clone());
    match next {
        Some(next) => batch.become_pending(&next),
        None => Ok(()),
    }
}
