//! Appends the events of one command: what is due, decision, log, projections.

use std::collections::HashSet;
use std::sync::Arc;

use bytes::Bytes;
use rusqlite::Connection;
use tokio::sync::mpsc;

use super::activation::{Activation, Notice};
use super::entropy::SystemEntropy;
use super::folds::Folds;
use super::handle::{LogEnd, SessionHandle};
use crate::core::assign::assignment;
use crate::core::batch::Outcome;
use crate::core::command::Command;
use crate::core::decide::{decide, next_due};
use crate::core::id::RunId;
use crate::core::moment::Moment;
use crate::core::refusal::Refusal;
use crate::core::run::Run;
use crate::core::session::Session;
use crate::mutant;
use crate::storage::error::StorageError;
use crate::storage::{approvals, events, runs, sessions, threads};

/// Events that wait for their commit.
#[derive(Debug)]
pub(super) struct Appended {
    pub(super) session: Arc<SessionHandle>,
    end: LogEnd,
    rested: Vec<RunId>,
    activated: Vec<Activation>,
    due: Option<Moment>,
}

/// What a command was answered with.
#[derive(Debug)]
pub(super) enum Accepted {
    /// The first event's JSON; empty if the command changed nothing.
    Appended(Bytes),
    /// The `seq` of the event that it would only have repeated.
    Replay(u64),
}

impl Appended {
    /// Wakes the readers, the Runner for Runs that need driving, and the timekeeper for what is due next.
    pub(super) fn publish(&self, notices: &mpsc::UnboundedSender<Notice>) {
        self.session.publish(self.end);
        // Without anybody who listens the server is shutting down; everything goes on at the next start.
        for run in &self.rested {
            let _ = notices.send(Notice::Rest(run.clone()));
        }
        for activation in &self.activated {
            let _ = notices.send(Notice::Drive(activation.clone()));
        }
        if let Some(at) = self.due {
            let _ = notices.send(Notice::Due(Arc::clone(&self.session), at));
        }
    }
}

/// Answers a command with events in the log and projections that follow them. What is due by now happens first, and
/// stands whatever becomes of the command.
pub(super) fn append(
    connection: &Connection,
    folds: &mut Folds,
    now: Moment,
    handle: Arc<SessionHandle>,
    command: Command,
) -> Result<(Appended, Result<Accepted, Refusal>), StorageError> {
    let row = handle.row;
    let session = folds.load(connection, row)?;
    let before: HashSet<DriveKey> = session.driven().map(DriveKey::of).collect();
    let now = now.max(session.head.updated_at);
    if next_due(session).is_some_and(|at| at <= now)
        && let Err(refusal) = carry_out(connection, folds, row, Command::Tick, now)?
    {
        tracing::error!(%refusal, session = handle.id.as_str(), "what is due cannot happen");
    }
    let answer = carry_out(connection, folds, row, command, now)?;
    let session = folds.load(connection, row)?;
    let after: HashSet<DriveKey> = session.driven().map(DriveKey::of).collect();
    let activated = session
        .driven()
        .filter(|run| !before.contains(&DriveKey::of(run)))
        .map(|run| activation(&handle, session, run))
        .collect();
    let appended = Appended {
        end: (&session.head).into(),
        rested: before
            .into_iter()
            .filter(|key| !after.contains(key))
            .map(|key| key.run)
            .collect(),
        activated,
        due: next_due(session),
        session: handle,
    };
    Ok((appended, answer))
}

/// Writes the events and the projections that they changed; gives the first event's JSON.
pub(super) fn persist(
    connection: &Connection,
    row: i64,
    session: &Session,
    outcome: &Outcome,
) -> Result<Bytes, StorageError> {
    let mut first = None;
    for event in mutant::rewrite(&outcome.events).iter() {
        let child = event
            .session_thread_id
            .as_ref()
            .and_then(|thread| session.ordinal(thread))
            .filter(|ordinal| *ordinal > 0);
        let envelope = events::append(connection, row, event, child)?;
        first.get_or_insert(envelope);
    }
    for run in &outcome.runs {
        runs::save(connection, row, &session.admission.id, run)?;
    }
    for (place, thread) in &outcome.threads {
        threads::save(connection, row, *place, thread)?;
    }
    for record in &outcome.approvals {
        approvals::save(connection, row, &session.admission.id, record)?;
    }
    if outcome.events.iter().any(|event| event.data.changes_session()) {
        sessions::update(connection, row, session)?;
    }
    Ok(first.unwrap_or_default())
}

/// What the Runner has to know to drive a Run.
pub(super) fn activation(handle: &Arc<SessionHandle>, session: &Session, run: &Run) -> Activation {
    Activation {
        session: Arc::clone(handle),
        run: run.id.clone(),
        place: session.ordinal(&run.thread_id).unwrap_or_default(),
        assignment: assignment(session, run),
    }
}

/// A stretch in which one Run is driven without a break: a new attempt and a continuation need a new driver.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct DriveKey {
    run: RunId,
    attempts: u32,
    continuation: u32,
}

impl DriveKey {
    pub(super) fn of(run: &Run) -> Self {
        Self {
            run: run.id.clone(),
            attempts: run.lost_attempts + run.startup_timeouts,
            continuation: run.continuation,
        }
    }
}

fn carry_out(
    connection: &Connection,
    folds: &mut Folds,
    row: i64,
    command: Command,
    now: Moment,
) -> Result<Result<Accepted, Refusal>, StorageError> {
    let session = folds.load(connection, row)?;
    match decide(session, command, now, &mut SystemEntropy) {
        Ok(outcome) => {
            let first = persist(connection, row, session, &outcome)?;
            Ok(Ok(match outcome.replay_of {
                Some(original) => Accepted::Replay(original),
                None => Accepted::Appended(first),
            }))
        }
        Err(refused) => {
            if !refused.untouched {
                folds.evict(row);
            }
            Ok(Err(refused.refusal))
        }
    }
}
