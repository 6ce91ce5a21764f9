use futures::stream;

use crate::client::{Client, Request};
use crate::error::Error;
use crate::model::SessionThread;
use crate::paging::{Items, Pages, by_token};

/// A list of the threads of one Session.
#[derive(Debug)]
#[must_use = "nothing is sent until the pages or items are polled"]
pub struct ListThreads {
    client: Client,
    request: Result<Request, Error>,
    limit: Option<u32>,
    page: Option<String>,
}

impl ListThreads {
    pub(super) fn new(client: Client, request: Result<Request, Error>) -> Self {
        Self {
            client,
            request,
            limit: None,
            page: None,
        }
    }

    /// The most threads on one page. Default: the server's bound; it caps at 1000.
    pub fn limit(mut self, limit: u32) -> Self {
        self.limit = Some(limit);
        self
    }

    /// Begins at the page of this token, a `next_page` from before.
    pub fn page(mut self, token: impl Into<String>) -> Self {
        self.page = Some(token.into());
        self
    }

    /// The pages.
    pub fn pages(self) -> Pages<SessionThread> {
        match self.request {
            Ok(mut request) => {
                request
                    .query
                    .extend(self.limit.map(|limit| ("limit", limit.to_string())));
                by_token(self.client, request, self.page)
            }
            Err(error) => Pages::new(stream::iter([Err(error)])),
        }
    }

    /// The threads, page after page.
    pub fn items(self) -> Items<SessionThread> {
        self.pages().items()
    }
}
