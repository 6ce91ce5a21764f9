use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use futures::Stream;

use super::connection::StreamState;
use super::item::StreamItem;
use super::opening::Opening;
use super::resuming::Resuming;
use crate::error::Error;
use crate::model::{LogId, PreviewType, Seq};

/// An [`EventStream`](super::EventStream) that brings previews between the events (`PRV-1`, `THR-6`).
///
/// Its events are the same, and so is all that is said there of cursors, reconnects and the end: a preview counts for none
/// of them, whatever it carries (`PRV-4`, `PRV-5`). One that cannot be read is handed on as it came and ends nothing. One
/// frame is read at a time and none waits in a queue, so a reader that stops reading holds nothing but the bytes of the
/// connection, and the server drops the previews that it is too slow for (`PRV-2`).
///
/// A connection that breaks is mended beneath; [`StreamItem::Opened`] says that a new one goes on, on which no preview
/// that was begun before is continued. [`PreviewReducer`](crate::previews::PreviewReducer) makes partial texts of it all.
///
/// # Cancel safety
///
/// A future that waits for the next item may be dropped at any time; all that is under way is kept in the stream, and the next
/// one goes on with it. No event is lost or comes twice.
#[must_use = "streams do nothing unless polled"]
pub struct PreviewStream {
    resuming: Resuming,
}

impl PreviewStream {
    pub(super) fn new(opening: Opening, previews: Arc<[PreviewType]>) -> Self {
        Self {
            resuming: Resuming::new(opening, Some(previews)),
        }
    }

    /// The log that it reads.
    pub fn log_id(&self) -> &LogId {
        self.resuming.log_id()
    }

    /// The last event that was delivered, which a reconnect resumes after; before the first, the cursor that the
    /// stream was opened with. No preview changes it.
    pub fn last_seq(&self) -> Option<Seq> {
        self.resuming.last_seq()
    }

    /// Where the stream stands.
    pub fn state(&self) -> StreamState {
        self.resuming.state()
    }
}

impl Stream for PreviewStream {
    type Item = Result<StreamItem, Error>;

    fn poll_next(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.get_mut().resuming.poll_item(context)
    }
}

impl fmt::Debug for PreviewStream {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.resuming.fmt_fields("PreviewStream", formatter)
    }
}
