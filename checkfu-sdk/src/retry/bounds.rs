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

#[cfg(test)]
mod tests {
    use super::*;

    /// A bound is a day at most, and the upper one is never below the lower.
    #[test]
    fn bounds_are_put_in_order_and_are_a_day_at_most() {
        const DAY: u64 = 86_400;
        for (given, kept) in [
            ((1, 5), (1, 5)),
            ((5, 1), (5, 5)),
            ((0, DAY), (0, DAY)),
            ((DAY - 1, DAY + 1), (DAY - 1, DAY)),
            ((DAY + 1, u64::MAX), (DAY, DAY)),
            ((DAY + 1, 1), (DAY, DAY)),
        ] {
            let bounds = Backoff::between(Duration::from_secs(given.0), Duration::from_secs(given.1));
            assert_eq!(
                (bounds.min().as_secs(), bounds.max().as_secs()),
                kept,
                "{given:?}"
            );
        }
    }
}
