use std::time::Instant;

use bytes::{Buf, Bytes};
use futures::future::BoxFuture;

use super::connect::Connected;
use super::frame::Frame;
use super::head::ReadingHead;
use super::item::StreamItem;
use super::quiet::Quiet;
use super::silence::Silence;
use crate::client::Body;
use crate::clock::Sleep;
use crate::error::{Error, ProtocolError, ProtocolErrorKind, TransportError, TransportErrorKind};
use crate::events::Log;
use crate::model::{Preview, RequestId, Seq};
use crate::redaction::Redaction;
use crate::sse::Decoder;

/// Where a stream stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum StreamState {
    /// Not polled yet: nothing was sent.
    Idle,
    /// A connection is being made, or the Session is read to see whether one is worth making.
    Connecting,
    /// A connection is open.
    Open,
    /// It waits before it connects again.
    Waiting {
        /// Until when, by the client's clock.
        until: Instant,
    },
    /// It is over.
    Ended,
}

/// The one state of a stream.
pub(super) enum Connection {
    Idle,
    Connecting(BoxFuture<'static, Result<Connected, Error>>),
    Open(Box<Open>),
    /// A connection ended in a way that the Session itself must explain (`A-HEAD`).
    ReadingHead(ReadingHead),
    Waiting(Sleep, Instant),
    Ended,
}

/// An open connection.
pub(super) struct Open {
    pub(super) body: Body,
    /// Bytes that arrived and are not decoded yet.
    pub(super) bytes: Bytes,
    pub(super) decoder: Decoder,
    pub(super) silence: Silence,
    pub(super) since: Instant,
    request_id: Option<RequestId>,
    redaction: Redaction,
    /// Whether an event came over this connection.
    pub(super) delivered: bool,
    /// The Session as read after a terminal event, while the connection stays open.
    pub(super) head: Option<ReadingHead>,
    /// What is asked while the connection brings no event.
    pub(super) quiet: Quiet,
    /// How many blocks arrived.
    blocks: u64,
}

impl Open {
    pub(super) fn new(response: (Body, Option<RequestId>), log: &Log) -> Self {
        let ((body, request_id), client) = (response, log.client());
        let limits = client.limits();
        Self {
            body,
            bytes: Bytes::new(),
            decoder: Decoder::with_limit(limits.frame_bytes),
            silence: Silence::new(limits.idle),
            since: client.clock().now(),
            request_id,
            redaction: client.redaction().clone(),
            delivered: false,
            head: None,
            quiet: Quiet::new(limits.idle / 2),
            blocks: 0,
        }
    }

    /// How much has arrived; `None` in the middle of a block.
    pub(super) fn arrived(&self) -> Option<u64> {
        Some(self.blocks).filter(|_| !self.decoder.holds_part())
    }

    /// The next event among the bytes at hand that is above the cursor, or the next preview if they are wanted.
    pub(super) fn next_item(
        &mut self,
        cursor: Option<Seq>,
        previews: bool,
    ) -> Result<Option<StreamItem>, Error> {
        loop {
            let mut rest: &[u8] = &self.bytes;
            let block = self.decoder.next_block(&mut rest);
            let read = self.bytes.len() - rest.len();
            self.bytes.advance(read);
            let block = match block {
                Ok(Some(block)) => {
                    self.blocks += 1;
                    block
                }
                Ok(None) => {
                    // Even an empty rest would hold the buffer that the HTTP library reads into.
                    self.bytes = Bytes::new();
                    return Ok(None);
                }
                Err(too_large) => return Err(self.protocol_error(too_large.into())),
            };
            match Frame::read(&block, &self.redaction).map_err(|kind| self.protocol_error(kind))? {
                Frame::Event(event) if Some(event.seq()) > cursor => {
                    return Ok(Some(StreamItem::Event(*event)));
                }
                Frame::Preview if previews => {
                    let preview = Preview::read(block.event(), block.data());
                    return Ok(Some(StreamItem::Preview(preview)));
                }
                Frame::Event(_) | Frame::Preview | Frame::Control => {}
                Frame::Failure(reason) => {
                    return Err(TransportError::new(TransportErrorKind::Interrupted)
                        .caused_by(reason)
                        .into());
                }
            }
        }
    }

    fn protocol_error(&self, kind: ProtocolErrorKind) -> Error {
        ProtocolError::new(kind, self.request_id.clone()).into()
    }
}

impl Connection {
    pub(super) fn state(&self) -> StreamState {
        match self {
            Self::Idle => StreamState::Idle,
            Self::Connecting(_) | Self::ReadingHead(_) => StreamState::Connecting,
            Self::Open(_) => StreamState::Open,
            Self::Waiting(_, until) => StreamState::Waiting { until: *until },
            Self::Ended => StreamState::Ended,
        }
    }
}
