use std::collections::VecDeque;

use futures::future::BoxFuture;
use futures::{FutureExt, StreamExt};

use crate::error::{Error, TransportErrorKind};
use crate::events::{ListEvents, Log};
use crate::model::{Event, Page, Seq};
use crate::paging::Pages;
use crate::stream::{Anchor, EventStream, StreamEvents, check_anchor, gap};

/// The most events on one page: as many as the server gives.
const PAGE: u32 = 1_000;

/// Reads the log by pages up to its end, one page at a time, and then opens the stream where they ended.
pub(super) struct CatchUp {
    /// Makes sure that the log is the one that was followed, before the first page.
    anchored: Option<BoxFuture<'static, Result<(), Error>>>,
    /// `None` once the last page was read.
    pages: Option<Pages<Event>>,
    page: VecDeque<Event>,
    last: Option<Anchor>,
    stream: StreamEvents,
}

impl CatchUp {
    /// Begins after `anchor`, or at the beginning; `stream` is what is opened after the last page.
    pub(super) fn new(log: &Log, after: Option<Seq>, anchor: Option<Anchor>, stream: StreamEvents) -> Self {
        let list = ListEvents::of(log).limit(PAGE);
        let pages = list.after(after.unwrap_or_default()).pages();
        let anchored = anchor.clone().map(|anchor| {
            let log = log.clone();
            async move { check_anchor(&log, &anchor).await }.boxed()
        });
        Self {
            anchored,
            pages: Some(pages),
            page: VecDeque::new(),
            last: anchor,
            stream,
        }
    }

    /// The next event; `None` where the pages end. It may be dropped at any time.
    pub(super) async fn next(&mut self) -> Result<Option<Event>, Error> {
        if let Some(anchored) = &mut self.anchored {
            let anchored = anchored.await;
            self.anchored = None;
            anchored?;
        }
        loop {
            let last = self.last.as_ref().map(|last| last.seq);
            while let Some(event) = self.page.pop_front() {
                if Some(event.seq()) > last {
                    self.last = Some(Anchor {
                        seq: event.seq(),
                        event_id: event.id().clone(),
                    });
                    return Ok(Some(event));
                }
            }
            let Some(pages) = &mut self.pages else {
                return Ok(None);
            };
            match pages.next().await {
                Some(Ok(Page { data, next_page })) => {
                    self.page = data.into();
                    if next_page.is_none() {
                        self.pages = None;
                    }
                }
                None => self.pages = None,
                Some(Err(error)) => {
                    self.pages = None;
                    return match error {
                        // The stream brings the same events one by one.
                        Error::Transport(error) if is_too_large(error.kind()) => Ok(None),
                        Error::Api(answer) => Err(gap(*answer)),
                        error => Err(error),
                    };
                }
            }
        }
    }

    /// The stream that goes on after the last event.
    pub(super) fn stream(&self) -> EventStream {
        let stream = self.stream.clone();
        match &self.last {
            Some(last) => stream.after(last.seq).anchored(Some(last.clone())).open(),
            None => stream.open(),
        }
    }
}

fn is_too_large(kind: TransportErrorKind) -> bool {
    matches!(kind, TransportErrorKind::TooLarge { .. })
}
