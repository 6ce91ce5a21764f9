use std::fmt;
use std::sync::Arc;

use super::budget::Budget;
use super::connect::Anchor;
use super::event_stream::EventStream;
use super::opening::{Fork, Opening};
use super::preview_stream::PreviewStream;
use crate::client::Observer;
use crate::events::{Log, SessionEvents, ThreadEvents};
use crate::model::{PreviewType, Seq};
use crate::retry::ReconnectPolicy;

/// A stream about to be opened.
#[derive(Clone)]
#[must_use = "nothing is sent until the opened stream is polled"]
pub struct StreamEvents {
    log: Log,
    after: Option<Seq>,
    reconnect: ReconnectPolicy,
    observer: Option<Arc<dyn Observer>>,
    anchored: bool,
    anchor: Option<Anchor>,
    fork: Fork,
    settles_from: Option<Seq>,
}

impl SessionEvents {
    /// Streams the log: what is retained of it, then live (`SDK-2`).
    ///
    /// ```no_run
    /// use checkfu_sdk::Seq;
    /// use futures::TryStreamExt;
    ///
    /// # async fn example(client: checkfu_sdk::Client) -> Result<(), checkfu_sdk::Error> {
    /// let mut events = client.sessions().events("sess_1").stream().after(Seq::from(12)).open();
    /// while let Some(event) = events.try_next().await? {
    ///     println!("{} {}", event.seq(), event.event_type());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn stream(&self) -> StreamEvents {
        StreamEvents::of(self.log())
    }
}

impl ThreadEvents {
    /// Streams the thread's log: what is retained of it, then live (`THR-6`). A child's ends with its
    /// `session.thread_status_terminated`.
    ///
    /// ```no_run
    /// use futures::TryStreamExt;
    ///
    /// # async fn example(client: checkfu_sdk::Client) -> Result<(), checkfu_sdk::Error> {
    /// let thread = client.sessions().threads("sess_1").events("sthr_2");
    /// let mut events = thread.stream().open();
    /// while let Some(event) = events.try_next().await? {
    ///     println!("{} {}", event.seq(), event.event_type());
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn stream(&self) -> StreamEvents {
        StreamEvents::of(self.log())
    }
}

impl StreamEvents {
    /// The stream of a log.
    pub(crate) fn of(log: &Log) -> Self {
        Self {
            log: log.clone(),
            after: None,
            reconnect: log.client().reconnect_policy(),
            observer: log.client().observer(),
            anchored: false,
            anchor: None,
            fork: Fork::Unknown,
            settles_from: None,
        }
    }

    /// Begins right after this event, the last one that was fully processed (`STR-2`). Default: at the beginning
    /// of what is retained.
    pub fn after(mut self, seq: Seq) -> Self {
        self.after = Some(seq);
        self
    }

    /// How this stream is opened again. Default: the client's policy.
    pub fn reconnect_policy(mut self, policy: ReconnectPolicy) -> Self {
        self.reconnect = policy;
        self
    }

    /// Who is told of the changes in this stream. Default: the client's observer.
    pub fn observer(mut self, observer: impl Observer) -> Self {
        self.observer = Some(Arc::new(observer));
        self
    }

    /// Opens the stream. Nothing is sent until it is polled.
    pub fn open(self) -> EventStream {
        EventStream::new(self.opening())
    }

    /// Opens the stream with previews of these types between the events (`PRV-1`, `SDK-2`). Of types that are named twice
    /// one counts; without any, the server sends none.
    ///
    /// ```no_run
    /// use checkfu_sdk::model::PreviewType;
    /// use checkfu_sdk::previews::PreviewReducer;
    /// use checkfu_sdk::stream::StreamItem;
    /// use futures::TryStreamExt;
    ///
    /// # async fn example(client: checkfu_sdk::Client) -> Result<(), checkfu_sdk::Error> {
    /// let events = client.sessions().events("sess_1");
    /// let mut items = events.stream().open_with_previews([PreviewType::AgentMessage]);
    /// let mut previews = PreviewReducer::new(items.log_id());
    /// while let Some(item) = items.try_next().await? {
    ///     previews.apply(&item);
    ///     if let StreamItem::Event(event) = &item {
    ///         println!("{} {}", event.seq(), event.event_type());
    ///     }
    ///     for partial in previews.partials() {
    ///         println!("  {} …", partial.text());
    ///     }
    /// }
    /// # Ok(())
    /// # }
    /// ```
    pub fn open_with_previews(self, types: impl IntoIterator<Item = PreviewType>) -> PreviewStream {
        let mut wanted = Vec::new();
        for name in types {
            if !wanted.contains(&name) {
                wanted.push(name);
            }
        }
        PreviewStream::new(self.opening(), wanted.into())
    }

    fn opening(self) -> Opening {
        Opening {
            log: self.log,
            after: self.after,
            anchored: self.anchored,
            anchor: self.anchor,
            fork: self.fork,
            settles_from: self.settles_from,
            budget: Budget::new(self.reconnect),
            observer: self.observer,
        }
    }

    /// Makes sure, at every connection, that the log is the one that was followed (`A-ANCHOR`).
    pub(crate) fn anchored(mut self, anchor: Option<Anchor>) -> Self {
        self.anchored = true;
        self.anchor = anchor;
        self
    }

    /// Says that the Session was forked at this place; `Seq::ZERO` says that it is no fork.
    pub(crate) fn forked_at(mut self, seq: Seq) -> Self {
        self.fork = Fork::At(seq);
        self
    }

    /// Ends the stream also where the Session itself says, or the child, that a turn settled, at or above this place, and
    /// the stream has nothing more to bring (`A-HEAD`).
    pub(crate) fn settles_from(mut self, input: Seq) -> Self {
        self.settles_from = Some(input);
        self
    }

    pub(crate) fn shared_observer(mut self, observer: Arc<dyn Observer>) -> Self {
        self.observer = Some(observer);
        self
    }
}

impl fmt::Debug for StreamEvents {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("StreamEvents")
            .field("after", &self.after)
            .finish_non_exhaustive()
    }
}
