//! Archiving a child (THR-4, A-ARCH).

use crate::core::batch::Batch;
use crate::core::event::EventData;
use crate::core::id::ThreadId;
use crate::core::payload::ThreadTerminated;
use crate::core::refusal::Refusal;
use crate::core::status::{RunStatus, ThreadStatus};
use crate::mutant::{self, Mutant};

/// Only an idle child without an open wait; what is archived already stays as it is.
pub(super) fn accept(batch: &mut Batch<'_>, id: &ThreadId) -> Result<(), Refusal> {
    let session = batch.session();
    if session.is_primary(id) && !mutant::active(Mutant::ArchivesPrimary) {
        return Err(Refusal::PrimaryThread);
    }
    let thread = session.thread(id).ok_or(Refusal::UnknownThread)?;
    if thread.archived_at.is_some() || session.head.status.is_terminal() {
        return Ok(());
    }
    match thread.status {
        ThreadStatus::Running => return Err(Refusal::ThreadBusy("is running")),
        ThreadStatus::Rescheduling => return Err(Refusal::ThreadBusy("is rescheduling")),
        ThreadStatus::Idle | ThreadStatus::Terminated => {}
    }
    match session.runs_of(id).next().map(|run| run.status) {
        Some(RunStatus::Waiting) if mutant::active(Mutant::ArchivesWaiting) => {}
        Some(RunStatus::Waiting) => return Err(Refusal::ThreadBusy("waits for an action")),
        Some(_) => return Err(Refusal::ThreadBusy("has work to do")),
        None => {}
    }
    let terminated = EventData::ThreadTerminated(ThreadTerminated {
        session_thread_id: id.clone(),
        agent_name: thread.agent_name.clone(),
        error: None,
    });
    batch.on_thread(id, None, terminated);
    Ok(())
}
