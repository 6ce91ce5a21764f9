//! Why a look at the server gave nothing.

use std::fmt;
use std::time::Duration;

use jiff::Timestamp;

use super::session::Inspected;

/// A Session that could not be seen, or did not become what was waited for. `Debug` says what `Display` says, so that a
/// test that unwraps it can be read.
///
/// ```
/// use checkfu_mock_server::InspectError;
///
/// let error = InspectError::UnknownSession { id: "sess_1".to_owned() };
/// assert_eq!(format!("{error:?}"), error.to_string());
/// ```
#[derive(Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InspectError {
    /// The Session does not exist.
    #[error("there is no Session {id}; use the id that its creation answered with")]
    UnknownSession {
        /// What was asked for.
        id: String,
    },
    /// The AgentDeployment does not exist.
    #[error("there is no AgentDeployment named {name:?}; there are {}", known.join(", "))]
    UnknownDeployment {
        /// What was asked for.
        name: String,
        /// Those that exist.
        known: Vec<String>,
    },
    /// It did not happen in time.
    #[error("{report}")]
    Timeout {
        /// How long was waited.
        limit: Duration,
        /// The status at the end.
        status: String,
        /// The types of the log's events at the end.
        types: Vec<String>,
        /// All of it in words.
        report: String,
    },
    /// The log could not be read.
    #[error("the log could not be read: {message}")]
    Log {
        /// What is wrong with it.
        message: String,
    },
    /// The server does not run: it is between two lives, or did not come back from a restart.
    #[error("the server does not run; restart it, or wait until its restart is over")]
    Stopped,
}

impl InspectError {
    pub(super) fn timeout(
        seen: &Inspected,
        limit: Duration,
        aim: &str,
        stands_still: Option<Timestamp>,
    ) -> Self {
        let mut report = format!(
            "{} has not {aim} within {limit:?}: it is {}",
            seen.id(),
            seen.status()
        );
        if let Some(reason) = seen.stop_reason() {
            report.push_str(&format!(" ({reason})"));
        }
        for wait in seen.pending() {
            report.push_str(&format!(", waits for {wait}"));
        }
        if let Some(moment) = stands_still {
            report.push_str(&format!(
                "; the server's clock stands still at {moment} until it is advanced"
            ));
        }
        report.push_str("; its log:");
        for event in seen.events() {
            report.push_str(&format!("\n{:>6} {}", event.seq, event.event_type));
        }
        Self::Timeout {
            limit,
            status: seen.status().to_owned(),
            types: seen.types().into_iter().map(ToOwned::to_owned).collect(),
            report,
        }
    }
}

impl fmt::Debug for InspectError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}
