//! What the server works on between two restarts, for those who look at it or change it from behind.

use std::sync::Arc;

use tokio::sync::watch;

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
#[derive(Debug, Clone)]
pub(crate) struct Current(Arc<watch::Sender<Option<Life>>>);

impl Current {
    pub(crate) fn begin(&self, life: Life) {
        self.0.send_replace(Some(life));
    }

    /// Lets go of the log, so that its writer can end.
    pub(crate) fn end(&self) {
        self.0.send_replace(None);
    }

    pub(crate) fn life(&self) -> Result<Life, RestartError> {
        self.0.borrow().clone().ok_or(RestartError::Stopped)
    }

    /// The life that the server lives now, or the next one.
    pub(crate) async fn next_life(&self) -> Result<Life, RestartError> {
        let mut lives = self.0.subscribe();
        let life = lives.wait_for(Option::is_some).await;
        let life = life.ok().and_then(|life| life.clone());
        life.ok_or(RestartError::Stopped)
    }
}

impl Default for Current {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(None)))
    }
}
