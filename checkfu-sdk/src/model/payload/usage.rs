use serde::{Deserialize, Serialize};

use crate::model::open_enum::open_enum;

/// Counted tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[non_exhaustive]
#[serde(default)]
pub struct Usage {
    /// Tokens read.
    pub input_tokens: u64,
    /// Tokens written.
    pub output_tokens: u64,
    /// Tokens read from the cache.
    pub cache_read_input_tokens: u64,
    /// Tokens written to the cache.
    pub cache_creation_input_tokens: u64,
}

/// A sum of money.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Cost {
    /// The sum, as a decimal number in text.
    pub amount: String,
    /// The currency, as a three-letter code.
    pub currency: String,
}

/// What went wrong in a Run or a Session.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Failure {
    /// A stable code, `runtime.turn_deadline_exceeded` for one.
    #[serde(default)]
    pub code: Option<String>,
    /// The broad kind of failure.
    #[serde(default)]
    pub r#type: Option<String>,
    /// A sentence for people.
    #[serde(default)]
    pub message: Option<String>,
    /// Whether the same work could succeed.
    #[serde(default)]
    pub retryable: Option<bool>,
    /// Whether the server itself tries again.
    #[serde(default)]
    pub retry_status: Option<RetryStatus>,
}

/// Whether the server itself tries again after a failure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RetryStatus {
    /// The state of the retries.
    pub r#type: RetryState,
}

open_enum! {
    /// The state of the server's own retries.
    RetryState {
        /// It tries again.
        Retrying = "retrying",
        /// It tried as often as it may.
        Exhausted = "exhausted",
        /// It does not try again.
        Terminal = "terminal",
    }
}
