//! What a Runner is told about a Run.

use super::assignment::{AssignedChild, AssignedOutcome, Assignment};
use super::run::Run;
use super::session::Session;

/// Everything that the Run's Agent needs to find its next step.
pub(crate) fn assignment(session: &Session, run: &Run) -> Assignment {
    let child = session
        .thread(&run.thread_id)
        .filter(|thread| thread.parent.is_some())
        .map(|thread| thread.agent_name.clone());
    Assignment {
        deployment: session.admission.agent_deployment_id.clone(),
        revision: session.admission.agent_deployment_revision_number,
        child,
        trigger: run.trigger.kind,
        input: run.input.clone(),
        outcome: run.outcome.as_ref().map(|outcome| AssignedOutcome {
            id: outcome.id.clone(),
            max_iterations: outcome.max_iterations,
        }),
        status: run.status,
        lost_attempts: run.lost_attempts,
        startup_timeouts: run.startup_timeouts,
        position: run.position,
        parked: run.parked.clone(),
        children: session
            .threads
            .iter()
            .skip(1)
            .map(|thread| AssignedChild {
                id: thread.id.clone(),
                agent_name: thread.agent_name.clone(),
                live: thread.is_live(),
            })
            .collect(),
    }
}
