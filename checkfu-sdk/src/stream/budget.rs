use std::time::{Duration, Instant};

use crate::error::{Attempts, StopCause};
use crate::retry::{ReconnectPolicy, Schedule};

/// A connection that stayed open this long fills the budget again.
const LONG_OPEN: Duration = Duration::from_secs(60);

/// How many more reconnects may bring nothing, and how long to wait for the next (`STR-8`, `WIRE-4`).
#[derive(Debug)]
pub(super) struct Budget {
    policy: ReconnectPolicy,
    schedule: Schedule,
    used: u32,
    failing_since: Option<Instant>,
}

impl Budget {
    pub(super) fn new(policy: ReconnectPolicy) -> Self {
        Self {
            policy,
            schedule: Schedule::new(policy.waits()),
            used: 0,
            failing_since: None,
        }
    }

    /// Fills the budget: there was progress.
    pub(super) fn refill(&mut self) {
        self.used = 0;
        self.failing_since = None;
        self.schedule.reset();
    }

    /// Fills the budget if a connection that was open since `opened` was a long one.
    pub(super) fn connection_ended(&mut self, opened: Instant, now: Instant) {
        if now.saturating_duration_since(opened) >= LONG_OPEN {
            self.refill();
        }
    }

    /// The wait before the next reconnect, or why there is none. `hint` is the server's `Retry-After`; `floor`
    /// is the event stream's own `retry`, which counts up to the longest wait of the policy.
    pub(super) fn next_wait(
        &mut self,
        now: Instant,
        hint: Option<Duration>,
        floor: Option<Duration>,
    ) -> Result<Duration, StopCause> {
        self.failing_since.get_or_insert(now);
        if hint > Some(self.policy.longest_retry_after()) {
            return Err(StopCause::RetryAfterTooLong);
        }
        if self.used >= self.policy.reconnects() {
            return Err(StopCause::AttemptsSpent);
        }
        self.used += 1;
        let floor = floor.map(|floor| floor.min(self.policy.waits().max()));
        Ok(self.schedule.next_wait(hint.max(floor)))
    }

    /// Which reconnect without progress the coming one is, from 1.
    pub(super) fn used(&self) -> u32 {
        self.used
    }

    pub(super) fn attempts(&self, now: Instant, stopped: StopCause) -> Attempts {
        let elapsed = self
            .failing_since
            .map_or(Duration::ZERO, |since| now.saturating_duration_since(since));
        Attempts {
            count: self.used + 1,
            elapsed,
            stopped,
        }
    }
}
