//! Taking events out of a running server's logs, as a deployment with a retention policy does (A-GAP).

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;

use super::Control;
use super::life::Life;
use crate::ledger::Ledger;
use crate::ledger::handle::{LogEnd, SessionHandle};
use crate::wire::error::{ApiError, Code};

/// What a log holds after events were taken out of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Retention {
    /// How many events went.
    pub removed: usize,
    /// Where the log begins; one past `last_seq` if nothing is left. Erased events do not move it.
    pub first_seq: u64,
    /// Where the log ends. It never goes back, whatever is removed.
    pub last_seq: u64,
}

/// Events that could not be taken out; none was.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RetentionError {
    /// The Session does not exist.
    #[error("there is no Session {id}; use the id that its creation answered with")]
    UnknownSession {
        /// What was asked for.
        id: String,
    },
    /// The log could not be read or written; the server's own log says why.
    #[error("the log could not be changed: {message}")]
    Log {
        /// What clients are told of it.
        message: String,
    },
}

impl Control {
    /// Removes the events of a Session whose `seq` is below `before_seq`, up to all of them. Its state stays what they made
    /// it. Cursors below are answered with `410 runtime.cursor_expired` from then on, and open streams that had not got
    /// that far are closed. With a `before_seq` at or below the first retained event nothing happens.
    ///
    /// # Errors
    ///
    /// [`RetentionError`]; nothing was removed.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future gives up the answer; the events may be removed all the same.
    ///
    /// ```
    /// # use checkfu_mock_server::{MockServer, RetentionError};
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = MockServer::builder().start().await?;
    /// let refused = server.control().trim("sess_0123456789abcdef0123456789abcdef", 10).await;
    /// assert!(matches!(refused, Err(RetentionError::UnknownSession { .. })));
    /// # Ok(())
    /// # }
    /// ```
    pub async fn trim(&self, session_id: &str, before_seq: u64) -> Result<Retention, RetentionError> {
        let (ledger, session) = self.log_of(session_id).await?;
        let trimmed = ledger.trim(session, before_seq).await.map_err(failed)?;
        Ok(Retention::of(trimmed.removed, trimmed.end))
    }

    /// Removes single events of a Session, wherever they are, which leaves holes in its log (A-SEQ). Its state stays what
    /// they made it. What is not retained is passed over.
    ///
    /// # Errors
    ///
    /// [`RetentionError`]; nothing was removed.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future gives up the answer; the events may be removed all the same.
    ///
    /// ```
    /// # use checkfu_mock_server::{MockServer, RetentionError};
    /// # #[tokio::main]
    /// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// let server = MockServer::builder().start().await?;
    /// let refused = server.control().erase("sess_0123456789abcdef0123456789abcdef", [3, 5]).await;
    /// assert!(matches!(refused, Err(RetentionError::UnknownSession { .. })));
    /// # Ok(())
    /// # }
    /// ```
    pub async fn erase(
        &self,
        session_id: &str,
        seqs: impl IntoIterator<Item = u64>,
    ) -> Result<Retention, RetentionError> {
        let seqs: BTreeSet<u64> = seqs.into_iter().collect();
        let (ledger, session) = self.log_of(session_id).await?;
        let erased = ledger.erase(session, seqs).await.map_err(failed)?;
        Ok(Retention::of(erased.seqs.len(), erased.end))
    }

    async fn log_of(&self, session_id: &str) -> Result<(Ledger, Arc<SessionHandle>), RetentionError> {
        let Life {
            ledger, workspace, ..
        } = self.current.life().map_err(|stopped| RetentionError::Log {
            message: stopped.to_string(),
        })?;
        match ledger.session(&workspace, session_id).await {
            Ok(session) => Ok((ledger, session)),
            Err(error) if error.code == Code::NotFound => Err(RetentionError::UnknownSession {
                id: session_id.to_owned(),
            }),
            Err(error) => Err(failed(error)),
        }
    }
}

impl Retention {
    fn of(removed: usize, end: LogEnd) -> Self {
        Self {
            removed,
            first_seq: end.retained.first_seq,
            last_seq: end.retained.last_seq,
        }
    }
}

fn failed(error: ApiError) -> RetentionError {
    RetentionError::Log {
        message: error.message,
    }
}
