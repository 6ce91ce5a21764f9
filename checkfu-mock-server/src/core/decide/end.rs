//! The ends of a Session (A-END).

use crate::core::batch::Batch;
use crate::core::event::EventData;
use crate::core::payload::{CancelReason, RunCanceled, ThreadTerminated};
use crate::core::refusal::Refusal;
use crate::core::run::Run;
use crate::core::thread::Thread;

/// Every unfinished Run is canceled, every live child terminated, then comes the terminal status, and nothing after it.
pub(super) fn end(batch: &mut Batch<'_>, status: EventData, reason: CancelReason) -> Result<(), Refusal> {
    let from = batch.session().head.status;
    if let Some(to) = status.session_status()
        && from.is_terminal()
    {
        return Err(Refusal::InvalidTransition { from, to });
    }
    let runs: Vec<Run> = batch.session().unfinished.iter().cloned().collect();
    for run in runs {
        batch.of_run(&run, EventData::RunCanceled(RunCanceled { reason }));
    }
    let children: Vec<Thread> = batch.session().threads.iter().skip(1).cloned().collect();
    for child in children.into_iter().filter(Thread::is_live) {
        let terminated = EventData::ThreadTerminated(ThreadTerminated {
            session_thread_id: child.id.clone(),
            agent_name: child.agent_name,
            error: None,
        });
        batch.on_thread(&child.id, None, terminated);
    }
    batch.become_status(None, status)
}
