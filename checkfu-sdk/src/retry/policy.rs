use std::time::Duration;

use super::bounds::Backoff;
use super::schedule::Schedule;

/// The longest `Retry-After` that is waited for by default: 60 s.
pub(crate) const RETRY_AFTER_CAP: Duration = Duration::from_secs(60);

/// How one call is tried again (`WIRE-3`, `WIRE-4`).
///
/// Only `429`, `503`, other `5xx` and failures of the transport are tried again, and a call that changes
/// something only with its idempotency key. A `409` never is. `Retry-After` is a lower bound of the wait; above
/// the cap the error comes back, with the hint, and nothing is tried early.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RetryPolicy {
    max_attempts: u32,
    backoff: Backoff,
    retry_after_cap: Duration,
}

impl Default for RetryPolicy {
    /// Three attempts, waits of 0.5 s to 8 s, at most 60 s of `Retry-After`.
    fn default() -> Self {
        Self {
            max_attempts: 3,
            backoff: Backoff::default(),
            retry_after_cap: RETRY_AFTER_CAP,
        }
    }
}

impl RetryPolicy {
    /// One attempt only.
    pub fn never() -> Self {
        Self {
            max_attempts: 1,
            ..Self::default()
        }
    }

    /// The most requests that one call makes, the first included; 0 counts as 1. Default: 3.
    pub fn max_attempts(mut self, max_attempts: u32) -> Self {
        self.max_attempts = max_attempts.max(1);
        self
    }

    /// The waits between attempts. Default: 0.5 s to 8 s.
    pub fn backoff(mut self, backoff: Backoff) -> Self {
        self.backoff = backoff;
        self
    }

    /// The longest `Retry-After` that is waited for. Default: 60 s.
    pub fn retry_after_cap(mut self, cap: Duration) -> Self {
        self.retry_after_cap = cap;
        self
    }

    pub(crate) fn attempts(&self) -> u32 {
        self.max_attempts
    }

    pub(crate) fn schedule(&self) -> Schedule {
        Schedule::new(self.backoff)
    }

    pub(crate) fn longest_retry_after(&self) -> Duration {
        self.retry_after_cap
    }
}

/// How a stream that broke is opened again (`STR-8`, `A-CLI`).
///
/// The budget counts connections in a row that brought nothing. It is full again after an event arrived, and
/// after a connection that stayed open for 60 s.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ReconnectPolicy {
    max_reconnects: u32,
    backoff: Backoff,
    retry_after_cap: Duration,
}

impl Default for ReconnectPolicy {
    /// Ten reconnects without progress, waits of 0.5 s to 8 s, at most 60 s of `Retry-After`.
    fn default() -> Self {
        Self {
            max_reconnects: 10,
            backoff: Backoff::default(),
            retry_after_cap: RETRY_AFTER_CAP,
        }
    }
}

impl ReconnectPolicy {
    /// The most reconnects in a row that bring nothing. Default: 10. With 0 the first break ends the stream.
    pub fn max_reconnects(mut self, max_reconnects: u32) -> Self {
        self.max_reconnects = max_reconnects;
        self
    }

    /// The waits before a reconnect. Default: 0.5 s to 8 s.
    pub fn backoff(mut self, backoff: Backoff) -> Self {
        self.backoff = backoff;
        self
    }

    /// The longest `Retry-After` that is waited for. Default: 60 s.
    pub fn retry_after_cap(mut self, cap: Duration) -> Self {
        self.retry_after_cap = cap;
        self
    }

    pub(crate) fn reconnects(&self) -> u32 {
        self.max_reconnects
    }

    pub(crate) fn waits(&self) -> Backoff {
        self.backoff
    }

    pub(crate) fn longest_retry_after(&self) -> Duration {
        self.retry_after_cap
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MILLISECOND: Duration = Duration::from_millis(1);

    /// WIRE-3, WIRE-4: each setting of a policy for calls changes itself and no other, and one attempt is the least.
    #[test]
    fn a_retry_policy_is_what_was_set() {
        let told = |policy: RetryPolicy| {
            let cap = policy.longest_retry_after().as_secs();
            (policy.attempts(), policy.backoff, cap)
        };
        let waits = Backoff::between(MILLISECOND, MILLISECOND);
        let default = RetryPolicy::default();
        assert_eq!(told(default), (3, Backoff::default(), 60));
        assert_eq!(told(RetryPolicy::never()), (1, Backoff::default(), 60));
        assert_eq!(told(default.max_attempts(5)), (5, Backoff::default(), 60));
        assert_eq!(told(default.max_attempts(0)), (1, Backoff::default(), 60));
        let quick = default.max_attempts(5).backoff(waits);
        assert_eq!(told(quick), (5, waits, 60));
        assert_eq!(quick.schedule().next_wait(None), MILLISECOND);
        assert_eq!(told(quick.retry_after_cap(Duration::from_secs(7))), (5, waits, 7));
    }

    /// STR-8, A-CLI: the same for a policy for streams, which may have no reconnect at all.
    #[test]
    fn a_reconnect_policy_is_what_was_set() {
        let told = |policy: ReconnectPolicy| {
            let cap = policy.longest_retry_after().as_secs();
            (policy.reconnects(), policy.waits(), cap)
        };
        let waits = Backoff::between(MILLISECOND, MILLISECOND);
        let default = ReconnectPolicy::default();
        assert_eq!(told(default), (10, Backoff::default(), 60));
        assert_eq!(told(default.max_reconnects(0)), (0, Backoff::default(), 60));
        let quick = default.max_reconnects(5).backoff(waits);
        assert_eq!(told(quick), (5, waits, 60));
        assert_eq!(told(quick.retry_after_cap(Duration::from_secs(7))), (5, waits, 7));
    }
}
