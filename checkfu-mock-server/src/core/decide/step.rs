//! Steps of a Runner (A-TURN): the claim, the start, the Agent's actions.

use super::act;
use super::rest::agent_name;
use super::resume::deadline;
use crate::core::batch::Batch;
use crate::core::event::EventData;
use crate::core::id::RunId;
use crate::core::payload::{Empty, Resolved, RunStarted, ThreadStatusChange};
use crate::core::refusal::Refusal;
use crate::core::run::Run;
use crate::core::status::RunStatus;
use crate::core::step::{Action, Step};

/// One step of an active Run. A step that was already taken, or whose Run is gone, is refused.
pub(super) fn take(batch: &mut Batch<'_>, id: &RunId, step: Step) -> Result<(), Refusal> {
    let session = batch.session();
    let run = session.run(id).filter(|run| session.is_active(run)).cloned();
    let run = run.ok_or(Refusal::StaleStep)?;
    match (run.status, step) {
        (RunStatus::Queued, Step::Claim) => claim(batch, &run),
        (RunStatus::Provisioning, Step::Start) => start(batch, &run),
        (
            RunStatus::Waiting,
            Step::Act {
                position,
                action: Action::Grade { result, explanation },
            },
        ) if position == run.position && batch.session().is_grading(&run) => {
            act::grade(batch, &run, result, explanation)
        }
        (RunStatus::Running, Step::Act { position, action }) if position == run.position => {
            act::act(batch, &run, action)
        }
        (RunStatus::Reconciling, Step::Act { position, action }) if position == run.position => {
            match action {
                Action::Complete { .. } | Action::Fail { .. } | Action::Trouble(_) => {
                    act::act(batch, &run, action)
                }
                _ => Err(Refusal::StaleStep),
            }
        }
        _ => Err(Refusal::StaleStep),
    }
}

fn claim(batch: &mut Batch<'_>, run: &Run) -> Result<(), Refusal> {
    if batch.session().is_primary(&run.thread_id) {
        return batch.become_status(Some(&run.id), EventData::StatusProvisioning(Empty {}));
    }
    let running = EventData::ThreadRunning(ThreadStatusChange {
        session_thread_id: run.thread_id.clone(),
        agent_name: agent_name(batch, &run.thread_id),
    });
    batch.of_run(run, running);
    Ok(())
}

/// RUN-2: each attempt records what it reads; a continuation keeps what its attempt had.
fn start(batch: &mut Batch<'_>, run: &Run) -> Result<(), Refusal> {
    if run.needs_start {
        let claimed_at = run.claimed_at.unwrap_or_else(|| batch.now());
        let started = RunStarted {
            attempt: run.attempt + 1,
            deadline_at: deadline(batch, claimed_at),
            resolved: Resolved::default(),
        };
        batch.of_run(run, EventData::RunStarted(started));
    }
    if batch.session().is_primary(&run.thread_id) {
        batch.become_status(Some(&run.id), EventData::StatusRunning(Empty {}))?;
    }
    Ok(())
}
