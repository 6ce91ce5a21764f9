use std::time::Duration;

use backoff::ExponentialBackoff;
use backoff::backoff::Backoff as _;

use super::bounds::Backoff;

/// Half the width of the jitter around the middle of a wait, as a share of that middle. With a third, the
/// ranges of two waits in a row meet: 0.5 s to 1 s, 1 s to 2 s, and so on.
const JITTER: f64 = 1.0 / 3.0;

/// The waits of one run of failures.
#[derive(Debug)]
pub(crate) struct Schedule {
    waits: ExponentialBackoff,
    bounds: Backoff,
}

impl Schedule {
    pub(crate) fn new(bounds: Backoff) -> Self {
        let mut waits = ExponentialBackoff {
            initial_interval: bounds.min().mul_f64(1.0 / (1.0 - JITTER)),
            max_interval: bounds.max().mul_f64(1.0 / (1.0 + JITTER)),
            multiplier: 2.0,
            randomization_factor: JITTER,
            max_elapsed_time: None,
            ..ExponentialBackoff::default()
        };
        waits.reset();
        Self { waits, bounds }
    }

    /// The next wait; it is at least `at_least`, however long that is.
    pub(crate) fn next_wait(&mut self, at_least: Option<Duration>) -> Duration {
        let wait = self.waits.next_backoff().unwrap_or(self.bounds.max());
        wait.clamp(self.bounds.min(), self.bounds.max())
            .max(at_least.unwrap_or_default())
    }

    /// Starts over with the shortest wait.
    pub(crate) fn reset(&mut self) {
        self.waits.reset();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A-CLI: waits double from 0.5 s to 8 s, are jittered, and never leave those bounds.
    #[test]
    fn waits_grow_within_their_bounds() {
        let mut firsts = Vec::new();
        for _ in 0..200 {
            let mut schedule = Schedule::new(Backoff::default());
            let waits: Vec<f64> = (0..8).map(|_| schedule.next_wait(None).as_secs_f64()).collect();
            for (wait, (low, high)) in waits.iter().zip([(0.5, 1.0), (1.0, 2.0), (2.0, 4.0), (4.0, 8.0)]) {
                assert!(
                    (low..=high).contains(wait),
                    "{wait} is not within {low} to {high}"
                );
            }
            assert!(
                waits[4..].iter().all(|wait| (4.0..=8.0).contains(wait)),
                "{waits:?}"
            );
            firsts.push(waits[0].to_bits());
        }
        firsts.sort_unstable();
        firsts.dedup();
        assert!(firsts.len() > 100, "the first wait is not jittered");
    }

    #[test]
    fn a_longer_hint_wins_over_the_schedule() {
        let mut schedule = Schedule::new(Backoff::default());
        assert_eq!(
            schedule.next_wait(Some(Duration::from_secs(20))),
            Duration::from_secs(20)
        );
        schedule.reset();
        assert!(schedule.next_wait(Some(Duration::ZERO)) >= Duration::from_millis(500));
    }

    /// Waits that have grown begin with the shortest again.
    #[test]
    fn a_reset_starts_over() {
        let mut schedule = Schedule::new(Backoff::default());
        for _ in 0..20 {
            for _ in 0..6 {
                schedule.next_wait(None);
            }
            schedule.reset();
            let first = schedule.next_wait(None);
            assert!(first <= Duration::from_secs(1), "{first:?}");
        }
    }

    #[test]
    fn odd_bounds_stay_bounds() {
        for (min, max) in [(0, 0), (100, 100), (100, 120), (50, 10)] {
            let bounds = Backoff::between(Duration::from_millis(min), Duration::from_millis(max));
            let mut schedule = Schedule::new(bounds);
            for _ in 0..20 {
                let wait = schedule.next_wait(None);
                assert!(
                    wait >= bounds.min() && wait <= bounds.max(),
                    "{wait:?} leaves {bounds:?}"
                );
            }
        }
    }
}
