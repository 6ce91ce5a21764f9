use futures::stream;

use super::handle::{SessionEvents, ThreadEvents};
use super::log::Log;
use crate::client::Request;
use crate::error::{ConfigError, Error};
use crate::model::{Event, Page, Seq};
use crate::paging::{Bounds, Items, Pages, by_token};

/// A list of the events of one Session or thread, in the order of the log (`LST-2`, `A-LIST`).
#[derive(Debug, Clone)]
#[must_use = "nothing is sent until the pages or items are polled"]
pub struct ListEvents {
    log: Log,
    limit: Option<u32>,
    after: Option<Seq>,
    page: Option<String>,
}

impl SessionEvents {
    /// Lists the log, as far back as it is retained.
    pub fn list(&self) -> ListEvents {
        ListEvents::of(self.log())
    }
}

impl ThreadEvents {
    /// Lists the thread's log, as far back as it is retained (`THR-5`).
    pub fn list(&self) -> ListEvents {
        ListEvents::of(self.log())
    }
}

impl ListEvents {
    /// The list of a log.
    pub(crate) fn of(log: &Log) -> Self {
        Self {
            log: log.clone(),
            limit: None,
            after: None,
            page: None,
        }
    }

    /// The most events on one page. Default: the server's, 100; it caps at 1000.
    pub fn limit(mut self, limit: u32) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Begins right after this place, the same one that a stream resumes after.
    pub fn after(mut self, seq: Seq) -> Self {
        self.after = Some(seq);
        self
    }

    /// Begins at the page of this token, a `next_page` from before. It excludes [`after`](Self::after).
    pub fn page(mut self, token: impl Into<String>) -> Self {
        self.page = Some(token.into());
        self
    }

    /// The pages.
    pub fn pages(self) -> Pages<Event> {
        let request = match self.log.list() {
            Ok(mut request) => {
                request
                    .query
                    .extend(self.limit.map(|limit| ("limit", limit.to_string())));
                request
            }
            Err(error) => return failed(error),
        };
        match (self.after, self.page) {
            (Some(_), Some(_)) => {
                let reason = "excludes `page`: begin at a place or at a token";
                failed(
                    ConfigError::InvalidSetting {
                        name: "after",
                        reason,
                    }
                    .into(),
                )
            }
            (Some(after), None) => by_seq(self.log, request, after),
            (None, page) => by_token(self.log.client().clone(), request, page),
        }
    }

    /// The events, page after page.
    pub fn items(self) -> Items<Event> {
        self.pages().items()
    }
}

fn failed(error: Error) -> Pages<Event> {
    Pages::new(stream::iter([Err(error)]))
}

/// Where a walk by `seq` goes on.
enum Next {
    After(Seq),
    Page(String),
    Nowhere,
}

/// Walks the log by `seq`: each page begins after the last event of the one before, until a page is empty and
/// names no next one. A token is followed only from an empty page, and then goes alone.
fn by_seq(log: Log, list: Request, after: Seq) -> Pages<Event> {
    struct Walk {
        log: Log,
        list: Request,
        last: Seq,
        next: Next,
        bounds: Bounds,
    }
    let walk = Walk {
        log,
        list,
        last: after,
        next: Next::After(after),
        bounds: Bounds::default(),
    };
    Pages::new(stream::try_unfold(walk, |mut walk| async move {
        let mut request = walk.list.clone();
        request.query.push(match &walk.next {
            Next::After(seq) => ("after", seq.to_string()),
            Next::Page(token) => ("page", token.clone()),
            Next::Nowhere => return Ok(None),
        });
        let answer = walk.log.client().call(request, None).await?;
        let mut page: Page<Event> = answer.decode("the page of events")?;
        page.data.retain(|event| event.seq() > walk.last);
        walk.next = match (page.data.last(), &page.next_page) {
            (Some(event), _) => {
                walk.last = event.seq();
                walk.bounds = Bounds::default();
                Next::After(walk.last)
            }
            (None, Some(token)) => {
                walk.bounds.next_page(0, token, &answer)?;
                Next::Page(token.clone())
            }
            (None, None) => Next::Nowhere,
        };
        Ok(Some((page, walk)))
    }))
}
