//! What the server works on between two restarts, for those who change it from behind.

use std::sync::{Arc, PoisonError, RwLock};

use super::restart::RestartError;
use crate::catalog::Catalog;
use crate::core::id::WorkspaceId;
use crate::ledger::Ledger;

/// The parts of one life.
#[derive(Debug, Clone)]
pub(crate) struct Life {
    pub(crate) catalog: Catalog,
    pub(crate) ledger: Ledger,
    pub(crate) workspace: WorkspaceId,
}

/// The life that the server lives now, if it lives. Clones share it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Current(Arc<RwLock<Option<Life>>>);

impl Current {
    pub(crate) fn begin(&self, life: Life) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Some(life);
    }

    /// Lets go of the log, so that its writer can end.
    pub(crate) fn end(&self) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = None;
    }

    pub(crate) fn life(&self) -> Result<Life, RestartError> {
        let life = self.0.read().unwrap_or_else(PoisonError::into_inner).clone();
        life.ok_or(RestartError::Stopped)
    }
}
