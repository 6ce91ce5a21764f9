//! Appends the events of one command: decision, log, projections.

use std::sync::Arc;

use bytes::Bytes;
use rusqlite::Connection;
use tokio::sync::mpsc;

use super::activation::Activation;
use super::entropy::SystemEntropy;
use super::folds::Folds;
use super::handle::{LogEnd, SessionHandle};
use crate::agent::Assignment;
use crate::core::batch::Outcome;
use crate::core::command::{Command, decide};
use crate::core::id::RunId;
use crate::core::moment::Moment;
use crate::core::refusal::Refusal;
use crate::core::run::Run;
use crate::core::session::Session;
use crate::storage::error::StorageError;
use crate::storage::{events, runs, sessions};

/// Events that wait for their commit.
#[derive(Debug)]
pub(super) struct Appended {
    pub(super) session: Arc<SessionHandle>,
    end: LogEnd,
    activated: Option<(RunId, Assignment)>,
}

impl Appended {
    /// Wakes the readers, and the Runner if a Run became active.
    pub(super) fn publish(&self, activations: &mpsc::UnboundedSender<Activation>) {
        self.session.publish(self.end);
        if let Some((run, assignment)) = self.activated.clone() {
            let activation = Activation {
                session: Arc::clone(&self.session),
                run,
                assignment,
            };
            // Without a Runner the server is shutting down; the Run goes on at the next start.
            let _ = activations.send(activation);
        }
    }
}

/// Answers a command with events in the log and projections that follow them; gives the first event's JSON.
pub(super) fn append(
    connection: &Connection,
    folds: &mut Folds,
    now: Moment,
    handle: Arc<SessionHandle>,
    command: Command,
) -> Result<Result<(Appended, Bytes), Refusal>, StorageError> {
    let row = handle.row;
    let session = folds.load(connection, row)?;
    let active_before = session.active_run().map(|run| run.id.clone());
    let now = now.max(session.head.updated_at);
    let outcome = match decide(session, command, now, &mut SystemEntropy) {
        Ok(outcome) => outcome,
        Err(refused) => {
            if !refused.untouched {
                folds.evict(row);
            }
            return Ok(Err(refused.refusal));
        }
    };
    let first = persist(connection, row, session, &outcome)?;
    let activated = session
        .active_run()
        .filter(|run| Some(&run.id) != active_before.as_ref())
        .map(|run| (run.id.clone(), assignment(session, run)));
    Ok(Ok((
        Appended {
            session: handle,
            end: (&session.head).into(),
            activated,
        },
        first,
    )))
}

/// Writes the events and the projections that they changed; gives the first event's JSON.
pub(super) fn persist(
    connection: &Connection,
    row: i64,
    session: &Session,
    outcome: &Outcome,
) -> Result<Bytes, StorageError> {
    let mut first = None;
    for event in &outcome.events {
        let envelope = events::append(connection, row, event)?;
        first.get_or_insert(envelope);
    }
    for run in &outcome.runs {
        runs::save(connection, row, &session.admission.id, run)?;
    }
    if outcome.events.iter().any(|event| event.data.changes_session()) {
        sessions::update(connection, row, session)?;
    }
    Ok(first.unwrap_or_default())
}

/// What the Runner has to know about a Run.
pub(super) fn assignment(session: &Session, run: &Run) -> Assignment {
    Assignment {
        revision: session.admission.agent_deployment_revision_number,
        status: run.status,
        input: run.input.clone(),
        observations: run.observations,
    }
}
