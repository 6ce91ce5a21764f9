use super::api::ApiError;
use crate::model::{EventId, LogId, Seq};

/// The log does not reach the cursor, or no longer does (`A-GAP`, `A-CLI`).
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CursorGap {
    /// Events above the cursor were trimmed (`410`). The projection must be recovered or built anew.
    #[error("events above the cursor are no longer retained: the log begins at {}", Place(.first))]
    Expired {
        /// The oldest event that is retained.
        first: Option<Seq>,
        /// The newest event.
        last: Option<Seq>,
        /// The server's answer.
        #[source]
        answer: ApiError,
    },
    /// The cursor is above the head of the log (`409`): another Session's cursor, or a server restored to an
    /// earlier state.
    #[error("the cursor is ahead of the log, which ends at {}", Place(.last))]
    Ahead {
        /// The newest event.
        last: Option<Seq>,
        /// The server's answer.
        #[source]
        answer: ApiError,
    },
}

impl CursorGap {
    /// The server's answer.
    pub fn cause(&self) -> &ApiError {
        match self {
            Self::Expired { answer, .. } | Self::Ahead { answer, .. } => answer,
        }
    }
}

/// The log is not the one that was followed: another event stands at the cursor (`A-ANCHOR`).
///
/// A server that was restored to an earlier state and gives numbers out again looks like this. Going on would
/// skip events without a trace.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("log {log_id} has another history: seq {seq} was event {followed} and is now {found}")]
#[non_exhaustive]
pub struct Divergence {
    /// The log.
    pub log_id: LogId,
    /// The cursor.
    pub seq: Seq,
    /// The event that was followed at that place.
    pub followed: EventId,
    /// The event that stands there now.
    pub found: EventId,
}

struct Place<'s>(&'s Option<Seq>);

impl std::fmt::Display for Place<'_> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(seq) => write!(formatter, "seq {seq}"),
            None => formatter.write_str("a place the server does not tell"),
        }
    }
}
