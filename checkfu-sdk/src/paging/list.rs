use std::fmt;

use futures::stream;
use serde::de::DeserializeOwned;

use super::pages::{Items, Pages};
use super::walk::by_token;
use crate::client::{Client, Request};
use crate::error::Error;

/// A list about to be read.
#[must_use = "nothing is sent until the pages or items are polled"]
pub struct List<T> {
    client: Client,
    request: Result<Request, Error>,
    limit: Option<u32>,
    page: Option<String>,
    items: std::marker::PhantomData<fn() -> T>,
}

impl<T: DeserializeOwned + Send + 'static> List<T> {
    pub(crate) fn new(client: Client, request: Result<Request, Error>) -> Self {
        Self {
            client,
            request,
            limit: None,
            page: None,
            items: std::marker::PhantomData,
        }
    }

    /// The most items on one page. Default: the server's bound; it caps at 1000.
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
    pub fn pages(self) -> Pages<T> {
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

    /// The items, page after page.
    pub fn items(self) -> Items<T> {
        self.pages().items()
    }
}

impl<T> fmt::Debug for List<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("List").finish_non_exhaustive()
    }
}
