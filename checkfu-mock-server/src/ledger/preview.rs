//! Previews of what an Agent is saying (PRV-2): never stored, shown to whoever watches now, dropped for whoever is slow.

use std::sync::{Arc, OnceLock};

use bytes::Bytes;
use serde_json::json;
use tokio::sync::broadcast;

use crate::core::id::EventId;

/// How many frames wait for a slow reader before it loses the oldest.
const CAPACITY: usize = 256;

/// A frame, made once for all its readers.
#[derive(Debug, Clone)]
pub(crate) struct PreviewFrame {
    /// The place of the thread among the threads of its Session: previews stay local to its stream (THR-6).
    pub(crate) place: usize,
    /// Whether it is a thought and not a message.
    pub(crate) thinking: bool,
    /// The event that it previews (PRV-3).
    pub(crate) event_id: EventId,
    pub(crate) starts: bool,
    /// As it goes on the wire: without an `id:` line and without a `seq`.
    pub(crate) bytes: Bytes,
}

impl PreviewFrame {
    /// `event_start`
    pub(crate) fn start(place: usize, event_type: &str, event_id: &EventId) -> Self {
        let data = json!({
            "type": "event_start",
            "payload": {"event": {"type": event_type, "id": event_id}},
        });
        Self {
            place,
            thinking: event_type == "agent.thinking",
            event_id: event_id.clone(),
            starts: true,
            bytes: Bytes::from(format!("event: event_start\ndata: {data}\n\n")),
        }
    }

    /// `event_delta` of a message's only block.
    pub(crate) fn delta(place: usize, event_id: &EventId, text: &str) -> Self {
        let data = json!({
            "type": "event_delta",
            "payload": {
                "event_id": event_id,
                "delta": {"type": "content_delta", "index": 0, "content": {"type": "text", "text": text}},
            },
        });
        Self {
            place,
            thinking: false,
            event_id: event_id.clone(),
            starts: false,
            bytes: Bytes::from(format!("event: event_delta\ndata: {data}\n\n")),
        }
    }
}

/// Where the previews of one Session pass; made when somebody first watches.
#[derive(Debug, Default)]
pub(super) struct PreviewHub(OnceLock<broadcast::Sender<Arc<PreviewFrame>>>);

impl PreviewHub {
    pub(super) fn watch(&self) -> broadcast::Receiver<Arc<PreviewFrame>> {
        self.0
            .get_or_init(|| broadcast::Sender::new(CAPACITY))
            .subscribe()
    }

    /// Makes the frame only if somebody would see it.
    pub(super) fn show(&self, frame: impl FnOnce() -> PreviewFrame) {
        if let Some(sender) = self.0.get()
            && sender.receiver_count() > 0
        {
            // Whoever stopped watching just now misses nothing.
            let _ = sender.send(Arc::new(frame()));
        }
    }
}
