use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use futures::Stream;

use super::connection::StreamState;
use super::item::StreamItem;
use super::opening::Opening;
use super::resuming::Resuming;
use crate::error::Error;
use crate::model::{Event, Seq};
use crate::settlement::Settlement;

/// The events of one Session or thread, from a cursor on and then live (`STR-1`, `STR-8`, `THR-6`, `A-CLI`).
///
/// Breaks are mended beneath: the stream connects again after the last event that it delivered, within its
/// [`ReconnectPolicy`](crate::retry::ReconnectPolicy), and an event that comes twice is delivered once. It ends
/// after the Session's terminal event, or the child's, at a `204`, and when its reconnects were spent on connections that
/// closed in good order; none of the last two is a settlement. An `Err` is the last item.
///
/// A fork carries copies of its source's events, so at a terminal event the Session is read to see whether it is one
/// (`A-FORK`). If that fails it is read again, within the same policy, and never taken for an answer.
///
/// While an open connection brings no event, the Session is asked each time that half of the limit on silence has passed,
/// 30 s by default: one that ended, and whose log was delivered, ends the stream, whether or not the server closes
/// (`A-HEAD`). Where the log holds an event that does not come, at two such looks in a row, the stream connects again.
///
/// There is no task behind it and no channel: nothing happens unless it is polled, and dropping it cancels the
/// request (`STR-6`).
///
/// # Cancel safety
///
/// A future that waits for the next event may be dropped at any time, while the stream connects, waits or reads the Session
/// too: all of that is kept in the stream, and the next one goes on with it. No event is lost or comes twice.
#[must_use = "streams do nothing unless polled"]
pub struct EventStream {
    resuming: Resuming,
}

impl EventStream {
    pub(super) fn new(opening: Opening) -> Self {
        Self {
            resuming: Resuming::new(opening, None),
        }
    }

    /// The last event that was delivered, which a reconnect resumes after; before the first, the cursor that the
    /// stream was opened with.
    pub fn last_seq(&self) -> Option<Seq> {
        self.resuming.last_seq()
    }

    /// Where the stream stands.
    pub fn state(&self) -> StreamState {
        self.resuming.state()
    }

    /// What the Session or the child said of its work, if that is what ended the stream.
    pub(crate) fn final_settlement(&self) -> Option<&Settlement> {
        self.resuming.final_settlement()
    }
}

impl Stream for EventStream {
    type Item = Result<Event, Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            return Poll::Ready(match ready!(this.resuming.poll_item(context)) {
                Some(Ok(StreamItem::Event(event))) => Some(Ok(event)),
                Some(Ok(StreamItem::Preview(_) | StreamItem::Opened)) => continue,
                Some(Err(error)) => Some(Err(error)),
                None => None,
            });
        }
    }
}

impl fmt::Debug for EventStream {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.resuming.fmt_fields("EventStream", formatter)
    }
}
