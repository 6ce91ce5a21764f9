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

/// The page tokens of one walk; none may come twice (`A-LIST`).
#[derive(Debug, Default)]
pub(crate) struct Tokens(HashSet<String>);

impl Tokens {
    pub(crate) fn first_time(&mut self, token: &str, answer: &Answer) -> Result<(), Error> {
        if self.0.insert(token.to_owned()) {
            return Ok(());
        }
        let kind = ProtocolErrorKind::RepeatedPage {
            token: token.to_owned(),
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
        tokens: Tokens,
    }
    let walk = Walk {
        client,
        list,
        next: Some(token),
        tokens: Tokens::default(),
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
            walk.tokens.first_time(token, &answer)?;
            walk.next = Some(Some(token.clone()));
        }
        Ok(Some((page, walk)))
    }))
}
