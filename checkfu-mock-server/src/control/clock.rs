//! The clock of a running server, as far as it can be moved.

use std::any::Any;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use jiff::Timestamp;
use tokio::sync::watch;

use crate::clock::{Clock, ManualClock};

/// The clock of a server.
#[derive(Debug, Clone)]
pub(crate) enum ServerClock {
    /// The system's, and ahead of it by what it was told to advance.
    Ahead(AheadClock),
    /// One that stands still.
    Manual(ManualClock),
    /// One that only its owner moves.
    Foreign(Arc<dyn Clock>),
}

impl ServerClock {
    /// The system's time.
    pub(crate) fn system() -> Self {
        Self::Ahead(AheadClock::default())
    }

    /// A clock that was given; one that can be moved stays so.
    pub(crate) fn given(clock: impl Clock) -> Self {
        let manual = (&clock as &dyn Any).downcast_ref::<ManualClock>().cloned();
        match manual {
            Some(manual) => Self::Manual(manual),
            None => Self::Foreign(Arc::new(clock)),
        }
    }

    /// The clock itself.
    pub(crate) fn shared(&self) -> Arc<dyn Clock> {
        match self {
            Self::Ahead(clock) => Arc::new(clock.clone()),
            Self::Manual(clock) => Arc::new(clock.clone()),
            Self::Foreign(clock) => Arc::clone(clock),
        }
    }

    /// Moves it forward; tells whether it can be moved.
    pub(crate) fn advance(&self, by: Duration) -> bool {
        match self {
            Self::Ahead(clock) => clock.advance(by),
            Self::Manual(clock) => clock.advance(by),
            Self::Foreign(_) => return false,
        }
        true
    }

    /// Where it stands, if it moves only when it is told to.
    pub(crate) fn stands_still(&self) -> Option<Timestamp> {
        match self {
            Self::Manual(clock) => Some(clock.now()),
            Self::Ahead(_) | Self::Foreign(_) => None,
        }
    }

    /// What kind it is, in a word.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Ahead(_) => "system",
            Self::Manual(_) => "manual",
            Self::Foreign(_) => "foreign",
        }
    }
}

/// The system's clock, moved ahead.
#[derive(Debug, Clone, Default)]
pub(crate) struct AheadClock {
    ahead: Arc<watch::Sender<Duration>>,
}

impl AheadClock {
    fn advance(&self, by: Duration) {
        self.ahead.send_modify(|ahead| *ahead = ahead.saturating_add(by));
    }
}

impl Clock for AheadClock {
    fn now(&self) -> Timestamp {
        Timestamp::now()
            .checked_add(*self.ahead.borrow())
            .unwrap_or(Timestamp::MAX)
    }

    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send>> {
        let mut ahead = self.ahead.subscribe();
        let started = tokio::time::Instant::now();
        let at_start = *ahead.borrow_and_update();
        Box::pin(async move {
            loop {
                let jumped = ahead.borrow_and_update().saturating_sub(at_start);
                let left = duration.saturating_sub(jumped).saturating_sub(started.elapsed());
                tokio::select! {
                    () = tokio::time::sleep(left) => return,
                    changed = ahead.changed() => if changed.is_err() {
                        tokio::time::sleep(left).await;
                        return;
                    },
                }
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn an_advance_counts_as_time_that_has_gone_by() {
        let clock = ServerClock::system();
        let before = clock.shared().now();
        let mut sleep = clock.shared().sleep(Duration::from_secs(3600));
        assert!(clock.advance(Duration::from_secs(3500)));
        assert!(futures::poll!(&mut sleep).is_pending());
        assert!(clock.advance(Duration::from_secs(100)));
        sleep.await;
        assert!(clock.shared().now().duration_since(before).as_secs() >= 3600);
        assert!(!ServerClock::given(crate::clock::SystemClock).advance(Duration::from_secs(1)));
    }
}
