//! A Session, read from behind.

use rusqlite::Connection;

use super::event::LoggedEvent;
use super::pending::PendingWait;
use super::received::Received;
use crate::core::status::SessionStatus;
use crate::ledger::folds;
use crate::storage::error::StorageError;
use crate::storage::events;
use crate::storage::position::MAX_SEQ;

/// A Session as one commit left it; it does not change any more.
///
/// ```
/// use checkfu_mock_server::{Expected, Inspected, Mismatch};
///
/// fn greeted(session: &Inspected) -> Result<(), Mismatch> {
///     assert!(session.is_settled());
///     session.received().exactly([Expected::message("hello")])
/// }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Inspected {
    id: String,
    deployment: String,
    status: SessionStatus,
    stop_reason: Option<String>,
    copied: u64,
    events: Vec<LoggedEvent>,
    pending: Vec<PendingWait>,
}

impl Inspected {
    /// `sess_…`
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The AgentDeployment that it was created from, `adep_…`.
    pub fn deployment_id(&self) -> &str {
        &self.deployment
    }

    /// One of the ten statuses, such as `idle`.
    pub fn status(&self) -> &str {
        self.status.as_str()
    }

    /// Of its latest `session.status_idle`; nothing once a Run has started or resumed after it.
    pub fn stop_reason(&self) -> Option<&str> {
        self.stop_reason.as_deref()
    }

    /// SET-1: terminal, or idle for another reason than `requires_action`.
    pub fn is_settled(&self) -> bool {
        match self.status {
            SessionStatus::Idle => self.stop_reason() != Some("requires_action"),
            status => status.is_terminal(),
        }
    }

    /// The whole log that is retained, of all threads, by `seq`.
    pub fn events(&self) -> &[LoggedEvent] {
        &self.events
    }

    /// The types of [`events`](Self::events), for a comparison with a list of them.
    pub fn types(&self) -> Vec<&str> {
        self.events.iter().map(|event| &*event.event_type).collect()
    }

    /// What clients posted to this Session, in the order of acceptance: `user.*` of all threads. What a fork copied from
    /// its source was posted there.
    pub fn received(&self) -> Received {
        let posted = |event: &&LoggedEvent| event.seq > self.copied && event.event_type.starts_with("user.");
        Received::new(&self.id, self.events.iter().filter(posted).cloned().collect())
    }

    /// What it waits for, in the order in which the waits opened.
    pub fn pending(&self) -> &[PendingWait] {
        &self.pending
    }
}

pub(super) fn read(log: &Connection, row: i64) -> Result<Inspected, StorageError> {
    let mut events = Vec::new();
    events::replay(log, row, 0, MAX_SEQ, |event| {
        events.push(LoggedEvent::read(event))
    })?;
    let events = events.into_iter().collect::<Result<Vec<_>, _>>()?;
    let session = folds::fold_to(log, row, MAX_SEQ)?;
    let admission = &session.admission;
    Ok(Inspected {
        id: admission.id.to_string(),
        deployment: admission.agent_deployment_id.to_string(),
        status: session.head.status,
        copied: admission.forked_from.as_ref().map_or(0, |origin| origin.seq),
        pending: session
            .pending_actions()
            .map(|record| PendingWait::read(record, &events))
            .collect(),
        stop_reason: session.head.stop_reason,
        events,
    })
}
