//! Bodies of responses, read where no request is.

use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Body;
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, SizeHint};

/// Where a body is read.
pub(super) trait Scope {
    /// Does the work there.
    fn read<T>(&self, work: impl FnOnce() -> T) -> T;
}

/// A body that is read in a scope.
#[derive(Debug)]
pub(super) struct Scoped<S> {
    body: Body,
    scope: S,
}

impl<S> Scoped<S> {
    pub(super) fn new(body: Body, scope: S) -> Self {
        Self { body, scope }
    }
}

impl<S: Scope + Unpin> HttpBody for Scoped<S> {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let this = self.get_mut();
        let body = Pin::new(&mut this.body);
        this.scope.read(|| body.poll_frame(context))
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
