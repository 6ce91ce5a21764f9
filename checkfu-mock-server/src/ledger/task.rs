//! A job of the ledger: work inside the writer's transaction, then what is done with its result.

use std::sync::Arc;

use rusqlite::Connection;

use super::folds::Folds;
use crate::storage::error::StorageError;
use crate::storage::writer::Job;

/// See [`Job`]; `settle` gets what `work` made, or why nothing of it stands.
pub(super) struct Task<W, T, F> {
    work: Option<W>,
    made: Option<T>,
    settle: F,
}

impl<W, T, F> Task<W, T, F>
where
    W: FnOnce(&Connection, &mut Folds) -> Result<T, StorageError>,
    F: FnOnce(Result<T, Arc<StorageError>>),
{
    pub(super) fn new(work: W, settle: F) -> Self {
        Self {
            work: Some(work),
            made: None,
            settle,
        }
    }
}

impl<W, T, F> Job<Folds> for Task<W, T, F>
where
    W: FnOnce(&Connection, &mut Folds) -> Result<T, StorageError> + Send,
    T: Send,
    F: FnOnce(Result<T, Arc<StorageError>>) + Send,
{
    fn carry_out(&mut self, connection: &Connection, folds: &mut Folds) -> Result<(), StorageError> {
        if let Some(work) = self.work.take() {
            self.made = Some(work(connection, folds)?);
        }
        Ok(())
    }

    fn settle(self: Box<Self>, result: Result<(), Arc<StorageError>>) {
        match (result, self.made) {
            (Ok(()), Some(made)) => (self.settle)(Ok(made)),
            (Ok(()), None) => {}
            (Err(error), _) => (self.settle)(Err(error)),
        }
    }
}
