use std::error::Error as StdError;
use std::fmt;
use std::time::Duration;

use super::attempts::{Attempts, write_suffix};

/// The limits that a call can run into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Limit {
    /// The time to reach the server.
    Connect,
    /// The time from the request to the head of the answer.
    FirstByte,
    /// The time without any byte of a body.
    Idle,
    /// The time for one call, all its attempts and waits included.
    Total,
}

/// How the transport failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum TransportErrorKind {
    /// The server could not be reached; it saw nothing of the request.
    Connect,
    /// A limit passed.
    TimedOut {
        /// Which limit.
        limit: Limit,
        /// Its length.
        after: Duration,
    },
    /// No answer began in time on an HTTP/2 connection that has as many others as the server ever allowed on one, by this
    /// client's count: it is taken for the server's limit (`SETTINGS_MAX_CONCURRENT_STREAMS`). The next try has another
    /// connection.
    NoFreeStream {
        /// How many others were open.
        open: usize,
        /// The limit on the first byte.
        after: Duration,
    },
    /// The connection broke before the answer was whole.
    Interrupted,
    /// The answer is longer than the client accepts.
    TooLarge {
        /// The most bytes accepted.
        limit: usize,
    },
}

/// No whole answer arrived.
#[derive(Debug)]
pub struct TransportError {
    kind: TransportErrorKind,
    source: Option<Box<dyn StdError + Send + Sync>>,
    attempts: Option<Attempts>,
}

impl TransportError {
    pub(crate) fn new(kind: TransportErrorKind) -> Self {
        Self {
            kind,
            source: None,
            attempts: None,
        }
    }

    pub(crate) fn timed_out(limit: Limit, after: Duration) -> Self {
        Self::new(TransportErrorKind::TimedOut { limit, after })
    }

    pub(crate) fn caused_by(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// How the transport failed.
    pub fn kind(&self) -> TransportErrorKind {
        self.kind
    }

    /// Whether the same call could succeed: yes, save for an answer that is too large.
    pub fn is_retryable(&self) -> bool {
        !matches!(self.kind, TransportErrorKind::TooLarge { .. })
    }

    /// How the call was tried.
    pub fn attempts(&self) -> Option<Attempts> {
        self.attempts
    }

    pub(crate) fn set_attempts(&mut self, attempts: Attempts) {
        self.attempts = Some(attempts);
    }
}

impl fmt::Display for TransportError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.kind {
            TransportErrorKind::Connect => formatter.write_str("the server cannot be reached")?,
            TransportErrorKind::Interrupted => {
                formatter.write_str("the connection broke before the answer was whole")?;
            }
            TransportErrorKind::TooLarge { limit } => {
                write!(formatter, "the answer is larger than the limit of {limit} bytes")?;
            }
            TransportErrorKind::NoFreeStream { open, after } => write!(
                formatter,
                "no answer began within {:.1} s on an HTTP/2 connection with {open} others: the server may allow no more at once",
                after.as_secs_f64()
            )?,
            TransportErrorKind::TimedOut { limit, after } => {
                let what = match limit {
                    Limit::Connect => "no connection",
                    Limit::FirstByte => "no answer began",
                    Limit::Idle => "no byte arrived",
                    Limit::Total => "the call was not done",
                };
                write!(formatter, "{what} within {:.1} s", after.as_secs_f64())?;
            }
        }
        write_suffix(self.attempts.as_ref(), formatter)
    }
}

impl StdError for TransportError {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source
            .as_deref()
            .map(|source| source as &(dyn StdError + 'static))
    }
}
