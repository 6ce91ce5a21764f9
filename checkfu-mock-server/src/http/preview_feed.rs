//! The previews of one stream (PRV-1, PRV-2, A-PRV): what arrives for an event is a prefix from its start on, or nothing.

use std::collections::HashSet;
use std::sync::Arc;

use bytes::{Bytes, BytesMut};
use serde::Deserialize;
use tokio::sync::broadcast::{Receiver, error::RecvError, error::TryRecvError};

use crate::core::id::EventId;
use crate::ledger::handle::SessionHandle;
use crate::ledger::preview::PreviewFrame;
use crate::mutant::{self, Mutant};
use crate::storage::events::{StoredEvent, View};

/// How many bytes of previews go out at once; the rest waits for the connection.
const AT_ONCE: usize = 64 * 1024;

/// The wanted types.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) messages: bool,
    pub(super) thinking: bool,
}

impl Wanted {
    pub(super) const ALL: Self = Self {
        messages: true,
        thinking: true,
    };
}

/// What one connection has seen of the events that are being made.
#[derive(Debug)]
pub(super) struct PreviewFeed {
    frames: Receiver<Arc<PreviewFrame>>,
    wanted: Wanted,
    place: usize,
    /// The events whose start this connection got, and nothing of which it lost.
    whole: HashSet<EventId>,
}

impl PreviewFeed {
    /// Nothing to do for a stream that is durable only.
    pub(super) fn open(session: &SessionHandle, view: View, wanted: Wanted) -> Option<Self> {
        if wanted == Wanted::default() {
            return None;
        }
        Some(Self {
            frames: session.watch_previews(),
            wanted,
            place: match view {
                View::Session => 0,
                View::Child(place) => place,
            },
            whole: HashSet::new(),
        })
    }

    /// Waits for the next frame that this connection gets.
    ///
    /// # Cancel safety
    ///
    /// A frame is not lost when the future is dropped.
    pub(super) async fn next(&mut self) -> Bytes {
        loop {
            match self.frames.recv().await {
                Ok(frame) => {
                    if self.passes(&frame) {
                        return bytes(&frame);
                    }
                }
                Err(RecvError::Lagged(_)) => self.whole.clear(),
                // The Session's handle is held by the stream, and its sender by the handle.
                Err(RecvError::Closed) => std::future::pending().await,
            }
        }
    }

    /// Everything that is there already: it was shown before the commit that the stream is about to read.
    pub(super) fn take(&mut self) -> Option<Bytes> {
        let mut taken = BytesMut::new();
        while taken.len() < AT_ONCE {
            match self.frames.try_recv() {
                Ok(frame) => {
                    if self.passes(&frame) {
                        taken.extend_from_slice(&bytes(&frame));
                    }
                }
                Err(TryRecvError::Lagged(_)) => self.whole.clear(),
                Err(TryRecvError::Empty | TryRecvError::Closed) => break,
            }
        }
        (!taken.is_empty()).then(|| taken.freeze())
    }

    /// A stream that is still behind the log has no use for previews of its end.
    pub(super) fn skip(&mut self) {
        self.frames = self.frames.resubscribe();
        self.whole.clear();
    }

    /// The events of a page were sent: nothing may follow for an event that is there, nor for what its Run left unfinished.
    pub(super) fn sent(&mut self, page: &[StoredEvent]) {
        for event in page {
            match &*event.type_name {
                "agent.message" | "agent.thinking" => {
                    if let Ok(named) = serde_json::from_slice::<Named>(&event.envelope) {
                        self.whole.remove(&named.id);
                    }
                }
                "run.completed" | "run.failed" | "run.canceled" | "run.requeued" => self.whole.clear(),
                _ => {}
            }
        }
    }

    fn passes(&mut self, frame: &PreviewFrame) -> bool {
        let wanted = if frame.thinking {
            self.wanted.thinking
        } else {
            self.wanted.messages
        };
        if !wanted || frame.place != self.place {
            return false;
        }
        if frame.starts {
            self.whole.insert(frame.event_id.clone());
            return true;
        }
        self.whole.contains(&frame.event_id)
    }
}

fn bytes(frame: &PreviewFrame) -> Bytes {
    if mutant::active(Mutant::PreviewHasId) {
        return [b"id: 1\n", &*frame.bytes].concat().into();
    }
    frame.bytes.clone()
}

#[derive(Deserialize)]
struct Named {
    id: EventId,
}
