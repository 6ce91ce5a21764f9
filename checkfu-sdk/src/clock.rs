//! Time, behind one trait: every timer of the SDK asks the client's [`Clock`].

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::time::{Duration, Instant, SystemTime};

/// A wait that a [`Clock`] handed out.
pub type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Where the SDK takes its time from.
///
/// Back-off, the silence watchdog and every limit but the one on connecting use it, so a program can drive them in
/// its tests. The default is tokio's timer.
pub trait Clock: fmt::Debug + Send + Sync + 'static {
    /// The monotonic time; waits and limits are measured in it.
    fn now(&self) -> Instant;

    /// The time of day, which only a `Retry-After` date is compared with.
    fn time_of_day(&self) -> SystemTime;

    /// A future that is ready once `duration` has passed.
    ///
    /// # Cancel safety
    ///
    /// The SDK drops a wait that it needs no longer at any time; nothing may be left of it.
    fn sleep(&self, duration: Duration) -> Sleep;
}

/// The clock of the tokio runtime.
#[derive(Debug, Clone, Copy, Default)]
pub struct TokioClock;

impl Clock for TokioClock {
    fn now(&self) -> Instant {
        tokio::time::Instant::now().into_std()
    }

    fn time_of_day(&self) -> SystemTime {
        SystemTime::now()
    }

    fn sleep(&self, duration: Duration) -> Sleep {
        Box::pin(tokio::time::sleep(duration))
    }
}
