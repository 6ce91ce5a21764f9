use std::time::Duration;

/// A day: bounds that no arithmetic on waits can overflow.
const LONGEST: Duration = Duration::from_secs(24 * 60 * 60);

/// The bounds of a wait between two tries. Waits double from `min` to `max` and are jittered; none is ever
/// shorter than `min` or longer than `max`, save for a longer `Retry-After`.
///
/// The default is 0.5 s to 8 s. A bound of more than a day counts as a day.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Backoff {
    min: Duration,
    max: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Self {
            min: Duration::from_millis(500),
            max: Duration::from_secs(8),
        }
    }
}

impl Backoff {
    /// Waits from `min` to `max`. A `max` below `min` counts as `min`.
    pub fn between(min: Duration, max: Duration) -> Self {
        let min = min.min(LONGEST);
        Self {
            min,
            max: max.clamp(min, LONGEST),
        }
    }

    /// The shortest wait.
    pub fn min(&self) -> Duration {
        self.min
    }

    /// The longest wait.
    pub fn max(&self) -> Duration {
        self.max
    }
}
