//! Steps of Runs inside the writer's transaction.

use std::sync::Arc;

use rusqlite::Connection;
use tokio::sync::mpsc;

use super::activation::Activation;
use super::append::{Appended, append, assignment};
use super::folds::Folds;
use super::handle::SessionHandle;
use crate::agent::Assignment;
use crate::core::command::{Command, Step};
use crate::core::id::RunId;
use crate::core::moment::Moment;
use crate::storage::error::StorageError;

/// A step of a Run's agent that was taken, waiting for its commit.
#[derive(Debug)]
pub(crate) struct StepTaken {
    pub(crate) next: Option<Assignment>,
    appended: Option<Appended>,
}

impl StepTaken {
    pub(crate) fn take(
        connection: &Connection,
        folds: &mut Folds,
        now: Moment,
        session: &Arc<SessionHandle>,
        run: RunId,
        step: Step,
    ) -> Result<Self, StorageError> {
        let command = Command::Step {
            run: run.clone(),
            step,
        };
        match append(connection, folds, now, Arc::clone(session), command)? {
            Ok((appended, _)) => {
                let fold = folds.load(connection, session.row)?;
                let next = fold.active_run().filter(|active| active.id == run);
                Ok(Self {
                    next: next.map(|run| assignment(fold, run)),
                    appended: Some(appended),
                })
            }
            Err(refusal) => {
                tracing::debug!(%refusal, "step refused");
                Ok(Self {
                    next: None,
                    appended: None,
                })
            }
        }
    }

    /// Wakes the readers, and the Runner if another Run became active.
    pub(crate) fn publish(&self, activations: &mpsc::UnboundedSender<Activation>) {
        if let Some(appended) = &self.appended {
            appended.publish(activations);
        }
    }
}
