use crate::model::payload::Content;
use crate::model::{Event, EventData, EventId, PrincipalId, RunId, Seq, SessionThreadId};

/// A message of the log: a `user.message` or an `agent.message`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct Message {
    /// Its event.
    pub event_id: EventId,
    /// The place of that event.
    pub seq: Seq,
    /// Who wrote it.
    pub author: Author,
    /// What it says.
    pub content: Content,
    /// Its thread, if the event names one.
    pub session_thread_id: Option<SessionThreadId>,
    /// The Run that wrote it or that it started, if the event names one.
    pub run_id: Option<RunId>,
}

/// Who wrote a message.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Author {
    /// A Principal, if the event says which one (`A-AUTHOR`).
    User(Option<PrincipalId>),
    /// The Agent.
    Agent,
}

impl Message {
    pub(super) fn of(event: &Event) -> Option<Self> {
        let (author, content) = match event.data() {
            EventData::UserMessage(message) => (Author::User(message.authored_by.clone()), &message.content),
            EventData::AgentMessage(message) => (Author::Agent, &message.content),
            _ => return None,
        };
        Some(Self {
            event_id: event.id().clone(),
            seq: event.seq(),
            author,
            content: content.clone(),
            session_thread_id: event.session_thread_id().cloned(),
            run_id: event.run_id().cloned(),
        })
    }
}
