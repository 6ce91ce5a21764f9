use std::collections::VecDeque;

use super::limits::PreviewLimits;
use super::partial::PartialEvent;
use crate::model::{Event, EventId, LogId, Preview, PreviewData, PreviewDelta, PreviewStarted, StopReason};
use crate::settlement::Settlement;
use crate::stream::StreamItem;

/// The longest id and the longest type that are followed, in bytes.
const LONGEST_NAME: usize = 256;

/// How many of the latest events of the Agent are remembered, so that no late preview brings one back.
const REMEMBERED: usize = 64;

/// Folds the items of a [`PreviewStream`](crate::stream::PreviewStream), in order and without exception, into the texts of
/// the events that are being made.
///
/// A text is always a prefix of what it will be, never one with a gap (`A-PRV`):
///
/// - A piece counts only behind the start of its event; one that came before, or of another connection, is ignored.
/// - The event itself takes the place of its partial text (`PRV-3`), and no preview that comes late brings that back.
/// - All texts are let go when the turn settles (`PRV-4`), at the end of the Session or of the thread that is read, and when
///   a connection was opened (`PRV-5`). A child that settles says nothing of its Session's previews, which are not its own
///   (`THR-6`).
/// - After a piece that cannot be read its event gets no more text; after a preview that does not even tell its event, none
///   of those that are being made does.
///
/// It holds at most what its [`PreviewLimits`] say. An event that goes over them gets no more text, and what it had is let
/// go; one event more than there may be is not followed, and none is from there on until all texts are let go. Nor is
/// one whose id or type has more than 256 bytes.
///
/// ```
/// use checkfu_sdk::model::LogId;
/// use checkfu_sdk::previews::PreviewReducer;
/// use checkfu_sdk::stream::StreamItem;
///
/// let mut previews = PreviewReducer::new(&LogId::of_session("sess_1"));
/// let event = r#"{"id": "evt_1", "seq": 8, "type": "agent.message", "payload": {"content": "Hello"}}"#;
/// previews.apply(&StreamItem::Event(serde_json::from_str(event)?));
/// assert_eq!(previews.partials().count(), 0);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct PreviewReducer {
    log_id: LogId,
    limits: PreviewLimits,
    /// In the order of their starts.
    partials: Vec<PartialEvent>,
    /// What all partials count for.
    bytes: usize,
    /// There was one event too many: which they were is not known any more, so no start is believed.
    is_full: bool,
    /// The latest events of the Agent, oldest first.
    made: VecDeque<EventId>,
}

impl PreviewReducer {
    /// A fold for the stream of this log, with the default limits.
    pub fn new(log_id: &LogId) -> Self {
        Self::with_limits(log_id, PreviewLimits::default())
    }

    /// A fold for the stream of this log, within these limits.
    pub fn with_limits(log_id: &LogId, limits: PreviewLimits) -> Self {
        Self {
            log_id: log_id.clone(),
            limits,
            partials: Vec::new(),
            bytes: 0,
            is_full: false,
            made: VecDeque::new(),
        }
    }

    /// Takes the next item of the stream.
    pub fn apply(&mut self, item: &StreamItem) {
        match item {
            StreamItem::Event(event) => self.event(event),
            StreamItem::Preview(preview) => self.preview(preview),
            StreamItem::Opened => self.discard(),
        }
    }

    /// The events that are being made, in the order in which they began.
    pub fn partials(&self) -> impl Iterator<Item = &PartialEvent> {
        self.partials.iter()
    }

    /// The event with this id, while it is being made.
    pub fn partial(&self, event_id: &EventId) -> Option<&PartialEvent> {
        self.partials
            .iter()
            .find(|partial| partial.event_id() == event_id)
    }

    /// What is held at this moment, counted as the limits count it.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    fn event(&mut self, event: &Event) {
        if let Some(place) = self.place(event.id()) {
            let made = self.partials.remove(place);
            self.bytes -= made.bytes();
        }
        if event.event_type().starts_with("agent.") && event.id().as_str().len() <= LONGEST_NAME {
            if self.made.len() == REMEMBERED {
                self.made.pop_front();
            }
            self.made.push_back(event.id().clone());
        }
        if self.settles(event) {
            self.discard();
        }
    }

    /// Whether the turn that the previews belong to is over with this event.
    fn settles(&self, event: &Event) -> bool {
        if Settlement::of(event).is_some() {
            return true;
        }
        let thread = self.log_id.session_thread_id.as_ref();
        let is_own = thread.is_some() && event.session_thread_id() == thread;
        is_own
            && match event.event_type() {
                "session.thread_status_idle" => {
                    !event.stop_reason().is_some_and(StopReason::is_requires_action)
                }
                "session.thread_status_terminated" => true,
                _ => false,
            }
    }

    fn preview(&mut self, preview: &Preview) {
        match preview.data() {
            PreviewData::Started(started) => self.started(started),
            PreviewData::Delta(delta) => self.delta(delta),
            PreviewData::Unknown(unknown) => match &unknown.event_id {
                Some(event_id) => {
                    if let Some(partial) = self
                        .place(event_id)
                        .and_then(|place| self.partials.get_mut(place))
                    {
                        partial.cut();
                    }
                }
                None => self.partials.iter_mut().for_each(PartialEvent::cut),
            },
        }
    }

    fn started(&mut self, started: &PreviewStarted) {
        let event_id = &started.event_id;
        let longest = event_id.as_str().len().max(started.event_type.as_str().len());
        if self.made.contains(event_id) || longest > LONGEST_NAME {
            return;
        }
        if let Some(partial) = self
            .place(event_id)
            .and_then(|place| self.partials.get_mut(place))
        {
            // Whether the text begins anew or goes on cannot be told.
            if partial.bytes() > 0 {
                self.bytes -= partial.bytes();
                partial.drop_text();
            }
            return;
        }
        self.is_full |= self.partials.len() >= self.limits.events;
        if !self.is_full {
            self.partials.push(PartialEvent::new(started));
        }
    }

    fn delta(&mut self, delta: &PreviewDelta) {
        let Some(place) = self.place(&delta.event_id) else {
            return;
        };
        let Some(partial) = self.partials.get_mut(place).filter(|partial| !partial.is_cut()) else {
            return;
        };
        let (before, cost) = (partial.bytes(), partial.cost(delta));
        if before + cost > self.limits.bytes_per_event || self.bytes + cost > self.limits.bytes {
            partial.drop_text();
        } else if !partial.add(delta) {
            partial.cut();
        }
        self.bytes = self.bytes - before + partial.bytes();
    }

    fn place(&self, event_id: &EventId) -> Option<usize> {
        self.partials
            .iter()
            .position(|partial| partial.event_id() == event_id)
    }

    fn discard(&mut self) {
        self.partials = Vec::new();
        self.bytes = 0;
        self.is_full = false;
    }
}
