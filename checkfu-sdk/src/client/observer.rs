use std::time::Duration;

use crate::error::Error;
use crate::model::{LogId, Seq};

/// What broke a connection of a stream.
#[derive(Debug)]
#[non_exhaustive]
pub enum Interruption<'e> {
    /// The server, or something between, closed it in good order. That is never a settlement (`SES-9`).
    Closed,
    /// It failed.
    Failed(&'e Error),
}

/// A change in the connection of a stream. The events themselves go on as if nothing had happened.
#[derive(Debug)]
#[non_exhaustive]
pub enum StreamChange<'e> {
    /// A connection is open.
    Opened {
        /// The cursor that it resumed after; `None` for the beginning of the retained log.
        after: Option<Seq>,
        /// How many connections the stream had before this one.
        reconnects: u64,
    },
    /// A connection was lost, or could not be made.
    Interrupted {
        /// The last event that was delivered, and the cursor to resume after.
        after: Option<Seq>,
        /// What happened.
        cause: Interruption<'e>,
    },
    /// The stream waits before it connects again.
    Waiting {
        /// How long.
        wait: Duration,
        /// Which reconnect without progress this will be, from 1.
        reconnect: u32,
    },
    /// The stream is over; its last item says why, or it ended in good order.
    Ended,
}

/// Watches what goes on beneath calls and streams, for logs and metrics.
///
/// Methods are called in place and must not block. Every closure over the id of a log and a [`StreamChange`] is
/// an observer.
pub trait Observer: Send + Sync + 'static {
    /// The connection of a stream changed.
    fn stream_changed(&self, log_id: &LogId, change: &StreamChange<'_>);
}

impl<F> Observer for F
where
    F: Fn(&LogId, &StreamChange<'_>) + Send + Sync + 'static,
{
    fn stream_changed(&self, log_id: &LogId, change: &StreamChange<'_>) {
        self(log_id, change);
    }
}
