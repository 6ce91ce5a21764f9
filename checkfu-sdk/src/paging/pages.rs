use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::{Stream, StreamExt, TryStreamExt, stream};

use crate::error::Error;
use crate::model::Page;

/// The pages of a list, one after the other. Nothing is asked for until it is polled; an `Err` is its last item.
///
/// # Cancel safety
///
/// A future that waits for the next page may be dropped at any time: a request on its way is kept, and the next one goes on
/// with it. Dropping the list itself cancels the request.
#[must_use = "streams do nothing unless polled"]
pub struct Pages<T>(Pin<Box<dyn Stream<Item = Result<Page<T>, Error>> + Send>>);

/// The items of a list, page after page. Nothing is asked for until it is polled; an `Err` is its last item.
///
/// # Cancel safety
///
/// A future that waits for the next item may be dropped at any time: a request on its way is kept, and the next one goes on
/// with it. Dropping the list itself cancels the request.
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
