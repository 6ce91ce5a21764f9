use std::sync::{Arc, Mutex};
use std::task::{Poll, Waker};
use std::time::{Duration, Instant, SystemTime};

use checkfu_sdk::clock::{Clock, Sleep};
use tokio::sync::Notify;

/// A clock that stands still until a test moves it.
#[derive(Debug, Clone)]
pub(crate) struct ManualClock {
    start: Instant,
    state: Arc<Mutex<State>>,
    changed: Arc<Notify>,
}

#[derive(Debug, Default)]
struct State {
    passed: Duration,
    sleeps: Vec<Duration>,
    wakers: Vec<Waker>,
}

impl ManualClock {
    pub(crate) fn new() -> Self {
        Self {
            start: Instant::now(),
            state: Arc::default(),
            changed: Arc::default(),
        }
    }

    /// Moves the clock and wakes what slept.
    pub(crate) fn advance(&self, by: Duration) {
        let wakers = {
            let mut state = self.state.lock().unwrap();
            state.passed += by;
            std::mem::take(&mut state.wakers)
        };
        wakers.into_iter().for_each(Waker::wake);
    }

    /// Waits until someone sleeps for a time that `fits`, and takes that sleep off the record.
    pub(crate) async fn slept(&self, fits: impl Fn(Duration) -> bool) -> Duration {
        loop {
            let changed = self.changed.notified();
            {
                let mut state = self.state.lock().unwrap();
                if let Some(place) = state.sleeps.iter().position(|sleep| fits(*sleep)) {
                    return state.sleeps.remove(place);
                }
            }
            changed.await;
        }
    }

    /// Takes every sleep so far off the record.
    pub(crate) fn forget(&self) {
        self.state.lock().unwrap().sleeps.clear();
    }
}

impl Clock for ManualClock {
    fn now(&self) -> Instant {
        self.start + self.state.lock().unwrap().passed
    }

    fn time_of_day(&self) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_700) + self.state.lock().unwrap().passed
    }

    fn sleep(&self, duration: Duration) -> Sleep {
        let clock = self.clone();
        let until = {
            let mut state = self.state.lock().unwrap();
            state.sleeps.push(duration);
            state.passed.saturating_add(duration)
        };
        self.changed.notify_one();
        Box::pin(std::future::poll_fn(move |context| {
            let mut state = clock.state.lock().unwrap();
            if state.passed >= until {
                return Poll::Ready(());
            }
            state.wakers.push(context.waker().clone());
            Poll::Pending
        }))
    }
}
