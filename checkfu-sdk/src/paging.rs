//! Lists that page by themselves.

use std::collections::HashSet;
use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::{Stream, StreamExt, TryStreamExt, stream};
use serde::de::DeserializeOwned;

use crate::client::{Answer, Client, Request};
use crate::error::{Error, ProtocolError, ProtocolErrorKind};
use crate::model::Page;

/// The pages of a list, one after the other. Nothing is asked for until it is polled; an `Err` is its last item.
#[must_use = "streams do nothing unless polled"]
pub struct Pages<T>(Pin<Box<dyn Stream<Item = Result<Page<T>, Error>> + Send>>);

/// The items of a list, page after page. Nothing is asked for until it is polled; an `Err` is its last item.
#[must_use = "streams do nothing unless polled"]
pub struct Items<T>(Pin<Box<dyn Stream<Item = Result<T, Error>> + Send>>);

impl<T: Send + 'static> Pages<T> {
    pub(crate) fn new(pages: impl Stream<Item = Result<Page<T>, Error>> + Send + 'static) -> Self {
        Self(Box::pin(pages))
    }

    /// The items of these pages.
    pub fn items(self) -> Items<T> {
        let pages = self.map_ok(|page| stream::iter(page.data).map(Ok));
        Items(Box::pin(pages.try_flatten()))
    }
}

impl<T> Stream for Pages<T> {
    type Item = Result<Page<T>, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.as_mut().poll_next(context)
    }
}

impl<T> Stream for Items<T> {
    type Item = Result<T, Error>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.as_mut().poll_next(context)
    }
}

impl<T> fmt::Debug for Pages<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Pages").finish_non_exhaustive()
    }
}

impl<T> fmt::Debug for Items<T> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Items").finish_non_exhaustive()
    }
}

/// The most pages in a row that hold nothing, and the most tokens that are remembered.
const EMPTY_PAGES: usize = 10_000;

/// The most bytes of a page token: it has to stand in a URL.
const TOKEN_BYTES: usize = 4 * 1024;

/// What bounds one walk: no token comes twice, is too long, or leads on for ever from pages that are empty (`A-LIST`).
#[derive(Debug, Default)]
pub(crate) struct Bounds {
    tokens: HashSet<String>,
    empty: usize,
}

impl Bounds {
    /// Takes the token of a page on which there were `items`. At 10,000 the tokens are forgotten, so that a walk of
    /// any length takes bounded memory; a circle of fewer is still found.
    pub(crate) fn next_page(&mut self, items: usize, token: &str, answer: &Answer) -> Result<(), Error> {
        self.empty = if items == 0 { self.empty + 1 } else { 0 };
        if self.tokens.len() >= EMPTY_PAGES {
            self.tokens.clear();
        }
        let kind = if token.len() > TOKEN_BYTES {
            ProtocolErrorKind::PageTokenTooLong { limit: TOKEN_BYTES }
        } else if !self.tokens.insert(token.to_owned()) {
            ProtocolErrorKind::RepeatedPage {
                token: answer.redact(token),
            }
        } else if self.empty >= EMPTY_PAGES {
            ProtocolErrorKind::OnlyEmptyPages { count: self.empty }
        } else {
            return Ok(());
        };
        Err(ProtocolError::new(kind, answer.request_id().cloned()).into())
    }
}

/// Walks a list by its page tokens. An empty page with a token is followed (`A-LIST`, `LST-2`).
pub(crate) fn by_token<T>(client: Client, list: Request, token: Option<String>) -> Pages<T>
where
    T: DeserializeOwned + Send + 'static,
{
    struct Walk {
        client: Client,
        list: Request,
        /// The page to ask for; `None` after the last one.
        next: Option<Option<String>>,
        bounds: Bounds,
    }
    let walk = Walk {
        client,
        list,
        next: Some(token),
        bounds: Bounds::default(),
    };
    Pages::new(stream::try_unfold(walk, |mut walk| async move {
        let Some(token) = walk.next.take() else {
            return Ok(None);
        };
        let mut request = walk.list.clone();
        request.query.extend(token.map(|token| ("page", token)));
        let answer = walk.client.call(request, None).await?;
        let page: Page<T> = answer.decode("the page")?;
        if let Some(token) = &page.next_page {
            walk.bounds.next_page(page.data.len(), token, &answer)?;
            walk.next = Some(Some(token.clone()));
        }
        Ok(Some((page, walk)))
    }))
}
