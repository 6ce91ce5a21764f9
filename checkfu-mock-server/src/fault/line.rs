//! One connection, as what happens to its bytes.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use tokio::sync::Notify;

use super::random::Random;

/// How a connection ends before its time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// RST: what was not read yet is lost.
    Reset,
    /// FIN.
    Close,
    /// Nothing more is sent, and nothing closed.
    Silence,
}

/// How many bytes go out at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Pace {
    pub(crate) bytes: usize,
    pub(crate) pause: Duration,
    /// Sizes from 1 to `bytes`, drawn from these.
    pub(crate) random: Option<Random>,
}

impl Pace {
    pub(super) fn next_size(&mut self) -> usize {
        let most = self.bytes.max(1);
        match &mut self.random {
            None => most,
            Some(random) => usize::try_from(1 + random.below(most as u64)).unwrap_or(most),
        }
    }
}

/// When a connection ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum When {
    /// After so many more bytes.
    Bytes(u64),
    /// Once all that was handed over so far is sent.
    Flushed,
}

/// What is planned for the bytes of a connection; shared by the socket and the requests on it.
#[derive(Debug, Default)]
pub(crate) struct Line {
    /// Whether there is any plan; without one a socket costs nothing.
    planned: AtomicBool,
    plan: Mutex<Plan>,
    go_away: Notify,
    multiplexed: bool,
}

#[derive(Debug, Default)]
pub(super) struct Plan {
    pub(super) ahead: Bytes,
    pub(super) pace: Option<Pace>,
    pub(super) end: Option<(End, When)>,
    pub(super) reset_on_drop: bool,
}

impl Line {
    /// A connection; a multiplexed one carries several requests at a time.
    pub(crate) fn new(multiplexed: bool) -> Self {
        Self {
            multiplexed,
            ..Self::default()
        }
    }

    pub(crate) fn is_multiplexed(&self) -> bool {
        self.multiplexed
    }

    /// Sends bytes before anything else.
    pub(super) fn send_ahead(&self, bytes: Bytes) {
        self.change(|plan| plan.ahead = bytes);
    }

    pub(super) fn set_pace(&self, pace: Pace) {
        self.change(|plan| plan.pace = Some(pace));
    }

    pub(super) fn end(&self, end: End, when: When) {
        self.change(|plan| plan.end = Some((end, when)));
    }

    /// However the connection ends now, it ends with RST.
    pub(super) fn reset_on_drop(&self) {
        self.change(|plan| plan.reset_on_drop = true);
    }

    /// A request begins: the plan of the one before is over.
    pub(crate) fn begin(&self) {
        if !self.multiplexed && self.is_planned() {
            *self.lock() = Plan::default();
            self.planned.store(false, Ordering::Release);
        }
    }

    /// Takes no further requests; HTTP/2 says GOAWAY.
    pub(super) fn go_away(&self) {
        self.go_away.notify_one();
    }

    /// Ends when no further requests are to be taken.
    pub(crate) async fn told_to_go_away(&self) {
        self.go_away.notified().await;
    }

    pub(super) fn is_planned(&self) -> bool {
        self.planned.load(Ordering::Acquire)
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Plan> {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn change(&self, change: impl FnOnce(&mut Plan)) {
        change(&mut self.lock());
        self.planned.store(true, Ordering::Release);
    }
}
