use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use crate::clock::{Clock, Sleep};

/// Watches for a connection on which no byte arrives.
///
/// Silence is counted from the first poll that found nothing, so a reader that was busy elsewhere never takes
/// its own pause for the server's.
pub(super) struct Silence {
    limit: Duration,
    deadline: Option<Instant>,
    alarm: Option<Sleep>,
}

impl Silence {
    pub(super) fn new(limit: Duration) -> Self {
        Self {
            limit,
            deadline: None,
            alarm: None,
        }
    }

    /// Bytes arrived.
    pub(super) fn broken(&mut self) {
        self.deadline = None;
    }

    /// Ready once it has been silent for too long. A timer that was set for an earlier silence is kept and only
    /// set again when it rings, so bytes cost no timer each.
    pub(super) fn poll_too_long(&mut self, clock: &dyn Clock, context: &mut Context<'_>) -> Poll<Duration> {
        let now = clock.now();
        let limit = self.limit;
        let deadline = match self.deadline {
            Some(deadline) => deadline,
            None => {
                let Some(deadline) = now.checked_add(limit) else {
                    return Poll::Pending;
                };
                *self.deadline.insert(deadline)
            }
        };
        loop {
            let now = clock.now();
            let alarm = self
                .alarm
                .get_or_insert_with(|| clock.sleep(deadline.saturating_duration_since(now)));
            if alarm.as_mut().poll(context).is_pending() {
                return Poll::Pending;
            }
            self.alarm = None;
            if clock.now() >= deadline {
                return Poll::Ready(limit);
            }
        }
    }
}
