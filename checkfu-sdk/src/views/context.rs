use crate::model::payload::{CheckpointCreated, MemoryEvent, ProjectEvent, Resolved};
use crate::model::{Event, EventData, RunId, Seq, SessionThreadId};

/// An entry of the context ledger: something that the Agent's context was made of, or that was written back from it
/// (`RUN-2`, `MEM-1`).
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ContextEntry {
    /// The place of its event.
    pub seq: Seq,
    /// The thread, if the event names one.
    pub session_thread_id: Option<SessionThreadId>,
    /// The Run, if the event names one.
    pub run_id: Option<RunId>,
    /// What happened.
    pub change: ContextChange,
}

/// What an entry of the context ledger tells.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum ContextChange {
    /// An attempt of a Run began with exactly these versions and this access.
    Started {
        /// Which start of the Run it is, from 1.
        attempt: u64,
        /// What it received, if the server tells.
        resolved: Option<Resolved>,
    },
    /// A Project was mounted.
    ProjectMounted(ProjectEvent),
    /// Changes in a Project's mount were written as a pull request.
    ProjectWritten(ProjectEvent),
    /// A MemoryStore was mounted.
    MemoryMounted(MemoryEvent),
    /// What was written to a MemoryStore settled.
    MemoryWritten(MemoryEvent),
    /// The state of the sandbox was kept.
    CheckpointCreated(CheckpointCreated),
}

impl ContextEntry {
    pub(super) fn of(event: &Event) -> Option<Self> {
        let change = match event.data() {
            EventData::RunStarted(started) => ContextChange::Started {
                attempt: started.attempt,
                resolved: started.resolved.clone(),
            },
            EventData::ProjectMounted(project) => ContextChange::ProjectMounted(project.clone()),
            EventData::ProjectWriteback(project) => ContextChange::ProjectWritten(project.clone()),
            EventData::MemoryMounted(memory) => ContextChange::MemoryMounted(memory.clone()),
            EventData::MemoryWritebackSettled(memory) => ContextChange::MemoryWritten(memory.clone()),
            EventData::CheckpointCreated(checkpoint) => ContextChange::CheckpointCreated(checkpoint.clone()),
            _ => return None,
        };
        Some(Self {
            seq: event.seq(),
            session_thread_id: event.session_thread_id().cloned(),
            run_id: event.run_id().cloned(),
            change,
        })
    }
}
