use std::fmt;
use std::time::Duration;

/// How a call was tried before its error came back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Attempts {
    /// How many requests were made, the first included.
    pub count: u32,
    /// From the first request to the last answer.
    pub elapsed: Duration,
    /// Why it was not tried again.
    pub stopped: StopCause,
}

/// Why a call was not tried again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StopCause {
    /// The client does not repeat a call that failed like this.
    NotRetryable,
    /// The call changes something and carries no idempotency key.
    NotKeyed,
    /// Every attempt that the policy allows was made.
    AttemptsSpent,
    /// The next wait would pass the limit for the whole call.
    TimeSpent,
    /// The server asks for a longer wait than the policy allows.
    RetryAfterTooLong,
}

impl fmt::Display for StopCause {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::NotRetryable => "it is not tried again by itself",
            Self::NotKeyed => "the call carries no idempotency key",
            Self::AttemptsSpent => "all attempts were used",
            Self::TimeSpent => "the time limit of the call was reached",
            Self::RetryAfterTooLong => "the server asks for a longer wait than the policy allows",
        })
    }
}

impl fmt::Display for Attempts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.count == 1 { "attempt" } else { "attempts" };
        let Self {
            count,
            elapsed,
            stopped,
        } = self;
        write!(
            formatter,
            "after {count} {plural} in {:.1} s: {stopped}",
            elapsed.as_secs_f64()
        )
    }
}

/// Writes ` (after …)` if there is something to tell.
pub(super) fn write_suffix(attempts: Option<&Attempts>, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
    match attempts {
        Some(attempts) if attempts.count > 1 || attempts.stopped != StopCause::NotRetryable => {
            write!(formatter, " ({attempts})")
        }
        _ => Ok(()),
    }
}
