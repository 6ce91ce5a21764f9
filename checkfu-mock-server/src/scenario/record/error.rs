//! Why a log was not recorded.

use crate::scenario::error::ScenarioError;

/// A log that no scenario was recorded from.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RecordError {
    /// The text is not a log.
    #[error("log {number}, line {line}: {problem}; give events as JSON lines, an array, or pages with data")]
    NoLog {
        /// Which of the logs, from 1.
        number: usize,
        /// The line in it, from 1.
        line: usize,
        /// What is wrong.
        problem: String,
    },
    /// Events of more than one Session.
    #[error("the logs are of {first} and {second}; record one Session at a time")]
    SeveralSessions {
        /// One Session.
        first: String,
        /// Another one.
        second: String,
    },
    /// Nothing happened.
    #[error("the log has no Run; drive the Session first")]
    NoRun,
    /// A script of it would be refused.
    #[error("a scenario cannot say what the log holds: {0}")]
    Unplayable(#[from] ScenarioError),
}
