//! Steps of Runs inside the writer's transaction.

use std::sync::Arc;

use rusqlite::Connection;
use tokio::sync::mpsc;

use super::activation::Notice;
use super::append::{Appended, DriveKey, append};
use super::folds::Folds;
use super::handle::SessionHandle;
use crate::core::assign::assignment;
use crate::core::assignment::Assignment;
use crate::core::command::Command;
use crate::core::id::RunId;
use crate::core::moment::Moment;
use crate::core::step::Step;
use crate::storage::error::StorageError;

/// A step of a Run's Agent that was taken, waiting for its commit.
#[derive(Debug)]
pub(crate) struct StepTaken {
    pub(crate) next: Option<Assignment>,
    appended: Appended,
}

impl StepTaken {
    /// Gives what the same driver needs for the step after; nothing where the Run is over for it, because it settled, was
    /// parked, or goes on under a new driver.
    pub(crate) fn take(
        connection: &Connection,
        folds: &mut Folds,
        now: Moment,
        session: &Arc<SessionHandle>,
        run: RunId,
        step: Step,
    ) -> Result<Self, StorageError> {
        let key = folds.load(connection, session.row)?.run(&run).map(DriveKey::of);
        let command = Command::Step {
            run: run.clone(),
            step,
        };
        let (appended, answer) = append(connection, folds, now, Arc::clone(session), command)?;
        let next = match answer {
            Ok(_) => {
                let fold = folds.load(connection, session.row)?;
                let driven = fold.driven().find(|driven| driven.id == run);
                driven
                    .filter(|run| Some(DriveKey::of(run)) == key)
                    .map(|run| assignment(fold, run))
            }
            Err(refusal) => {
                tracing::debug!(%refusal, "step refused");
                None
            }
        };
        Ok(Self { next, appended })
    }

    /// Tells everyone whom the commit concerns.
    pub(crate) fn publish(&self, notices: &mpsc::UnboundedSender<Notice>) {
        self.appended.publish(notices);
    }
}
