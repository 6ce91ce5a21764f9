//! Time as the server sees it: the system's, or one that a test moves by hand.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::watch;

/// Where the server gets its time from: `created_at`, the age of idempotency records and page tokens, keep-alive
/// comments and the pace of agents.
pub trait Clock: fmt::Debug + Send + Sync + 'static {
    /// The current time.
    fn now(&self) -> Timestamp;

    /// Ends when this much of the clock's time has gone by.
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>>;
}

/// The system's clock and timers.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
    }

    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        Box::pin(tokio::time::sleep(duration))
    }
}

/// A clock that stands still until it is told to advance. Clones share one time.
///
/// An advance is one moment of the server's, however far it goes: what is due by the new time happens, and what follows
/// from that waits for the next advance. A Run thus moves by one step at a time while steps take time; with
/// [`step_delay`](crate::MockServerBuilder::step_delay) zero Agents do all that needs no time while the clock stands.
///
/// ```
/// use std::time::Duration;
/// use checkfu_mock_server::{Clock, ManualClock};
///
/// let clock = ManualClock::starting_at("2026-08-31T00:00:00Z".parse()?);
/// clock.advance(Duration::from_secs(90));
/// assert_eq!(clock.now().to_string(), "2026-08-31T00:01:30Z");
/// # Ok::<(), jiff::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct ManualClock {
    time: Arc<watch::Sender<Timestamp>>,
}

impl ManualClock {
    /// A clock that shows `start`.
    pub fn starting_at(start: Timestamp) -> Self {
        Self {
            time: Arc::new(watch::Sender::new(start)),
        }
    }

    /// Moves the time forward and wakes everything that was waiting for it, once: what waits for a later time from then on
    /// has to be advanced to. Time stops at the end of the calendar.
    pub fn advance(&self, duration: Duration) {
        self.time.send_modify(|now| *now = later(*now, duration));
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Timestamp {
        *self.time.borrow()
    }

    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let mut time = self.time.subscribe();
        let due = later(self.now(), duration);
        Box::pin(async move {
            if time.wait_for(|now| *now >= due).await.is_err() {
                // The clock is gone: its time never comes.
                std::future::pending::<()>().await;
            }
        })
    }
}

fn later(moment: Timestamp, duration: Duration) -> Timestamp {
    moment.checked_add(duration).unwrap_or(Timestamp::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_manual_sleep_ends_when_its_time_is_reached_and_not_before() {
        let clock = ManualClock::starting_at(Timestamp::UNIX_EPOCH);
        let mut sleep = clock.sleep(Duration::from_secs(10));
        clock.advance(Duration::from_secs(9));
        assert!(futures::poll!(&mut sleep).is_pending());
        clock.advance(Duration::from_secs(1));
        sleep.await;
    }
}
