use std::future::{Future, poll_fn};
use std::pin::pin;
use std::task::Poll;
use std::time::{SystemTime, UNIX_EPOCH};

/// A small generator with a printed seed.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(test: &str) -> Self {
        let seed = match std::env::var("CHECKFU_TEST_SEED") {
            Ok(seed) => seed.parse().unwrap(),
            Err(_) => {
                u64::try_from(SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_nanos() % (1 << 62))
                    .unwrap()
            }
        };
        eprintln!("{test}: CHECKFU_TEST_SEED={seed}");
        Self(seed | 1)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % bound
    }

    /// Another generator, for a task of its own.
    pub(crate) fn fork(&mut self) -> Self {
        Self(self.below(u64::MAX) | 1)
    }
}

/// Polls `work` until it was pending `polls` times, then drops it.
pub(crate) async fn cancel_after<T>(polls: u64, work: impl Future<Output = T>) -> Option<T> {
    let mut work = pin!(work);
    let mut left = polls;
    poll_fn(|context| match work.as_mut().poll(context) {
        Poll::Ready(done) => Poll::Ready(Some(done)),
        Poll::Pending if left == 0 => Poll::Ready(None),
        Poll::Pending => {
            left -= 1;
            Poll::Pending
        }
    })
    .await
}
