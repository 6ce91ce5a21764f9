//! How a running server is restarted, and put back to an earlier state.

use std::time::Duration;

use tokio::sync::oneshot;

use crate::server::error::StartError;
use crate::storage::error::StorageError;

/// How the server restarts, on the same port and the same log. Every connection ends; Runs that had not settled go on
/// where their log ends; idempotency records stay.
///
/// ```
/// use std::time::Duration;
/// use checkfu_mock_server::{MockServer, Restart};
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let server = MockServer::builder().start().await?;
/// let backup = server.control().snapshot().await?;
/// // … the application under test goes on, then the machine dies and the backup is put back …
/// let restart = Restart::abrupt().down(Duration::from_millis(50)).restoring(backup);
/// server.control().restart(restart).await?;
/// # server.shutdown().await;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Restart {
    pub(crate) mode: Mode,
    pub(crate) down: Duration,
    pub(crate) restore: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mode {
    Graceful,
    Abrupt,
}

impl Restart {
    /// Answers what was asked first, for as long as the drain.
    pub fn graceful() -> Self {
        Self {
            mode: Mode::Graceful,
            down: Duration::ZERO,
            restore: None,
        }
    }

    /// Cuts every connection where it is. What was committed stays, whether its answer left or not.
    pub fn abrupt() -> Self {
        Self {
            mode: Mode::Abrupt,
            ..Self::graceful()
        }
    }

    /// Refuses connections for so long in between. Default: none is refused, they wait until the server is back.
    #[must_use]
    pub fn down(mut self, time: Duration) -> Self {
        self.down = time;
        self
    }

    /// Comes back with the log as it was at a snapshot: what was written after it is lost, and `seq`s are given out again.
    #[must_use]
    pub fn restoring(mut self, snapshot: impl Into<String>) -> Self {
        self.restore = Some(snapshot.into());
        self
    }
}

/// A server that did not come back, or was not asked to.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RestartError {
    /// There is no such snapshot. The server has not been stopped.
    #[error("there is no snapshot {id:?}; take one first")]
    Snapshot {
        /// What was asked for.
        id: String,
    },
    /// It could not be started again. It answers nothing until a restart succeeds.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The server has been shut down.
    #[error("the server has been shut down")]
    Stopped,
}

impl From<StorageError> for RestartError {
    fn from(error: StorageError) -> Self {
        Self::Start(error.into())
    }
}

/// What the one who keeps the server going is asked for.
#[derive(Debug)]
pub(crate) enum Command {
    Restart(Restart, oneshot::Sender<Result<(), RestartError>>),
    Snapshot(oneshot::Sender<Result<String, RestartError>>),
}
