//! Ends an answer on purpose.

use std::sync::Arc;
use std::time::Duration;

use super::effect::How;
use super::line::{End, Line, When};
use super::plan::Shot;
use crate::stop::Stopping;
use axum::body::{Body, HttpBody};
use bytes::Bytes;
use futures::{StreamExt, stream};
use http_body_util::BodyExt;

/// HTTP/2 throws away what it has not sent when it resets a stream, and does not tell what it has sent.
const MULTIPLEXED_FLUSH: Duration = Duration::from_millis(50);

/// A request that gets no answer, or not all of it: its connection ends, or with HTTP/2 its stream.
#[derive(Debug, thiserror::Error)]
#[error("ended on purpose")]
pub(crate) struct Broken;

impl From<How> for End {
    fn from(how: How) -> Self {
        match how {
            How::Reset => Self::Reset,
            How::Close => Self::Close,
            How::Silence => Self::Silence,
        }
    }
}

/// Ends an answer of which a part was handed over, once that part is sent.
pub(super) async fn sever(how: How, line: &Line, stopping: &Stopping) -> Broken {
    match (how, line.is_multiplexed()) {
        (How::Silence, _) => stopping.requested().await,
        (How::Reset | How::Close, true) => tokio::time::sleep(MULTIPLEXED_FLUSH).await,
        (How::Reset | How::Close, false) => {
            line.end(how.into(), When::Flushed);
            // The socket ends first.
            stopping.requested().await;
        }
    }
    Broken
}

/// Ends a request of which nothing was answered.
pub(super) async fn refuse(how: How, line: &Line, stopping: &Stopping) -> Broken {
    match how {
        How::Silence => stopping.requested().await,
        How::Reset if !line.is_multiplexed() => line.reset_on_drop(),
        How::Reset | How::Close => {}
    }
    Broken
}

/// A body that ends after so many bytes.
pub(super) fn cut_body(
    body: Body,
    after: u64,
    how: How,
    shot: Shot,
    line: Arc<Line>,
    stopping: Stopping,
) -> Body {
    let cutting = Cutting {
        body,
        left: after,
        shortened: false,
        how,
        shot,
        line,
        stopping,
    };
    Body::from_stream(stream::unfold(cutting, |mut cutting| async move {
        let piece = cutting.next().await?;
        Some((piece, cutting))
    }))
}

/// A body after which the connection ends, however long it was announced to be.
pub(super) fn cut_short(body: Body, line: Arc<Line>, stopping: Stopping) -> Body {
    let rest = stream::once(async move { Err(sever(How::Close, &line, &stopping).await) });
    let body = body.into_data_stream().map(|piece| piece.map_err(|_| Broken));
    Body::from_stream(body.chain(rest))
}

struct Cutting {
    body: Body,
    left: u64,
    /// The last piece had more.
    shortened: bool,
    how: How,
    shot: Shot,
    line: Arc<Line>,
    stopping: Stopping,
}

impl Cutting {
    async fn next(&mut self) -> Option<Result<Bytes, Broken>> {
        if self.left == 0 {
            if !self.shortened && self.body.is_end_stream() {
                return None;
            }
            self.shot.hit();
            return Some(Err(sever(self.how, &self.line, &self.stopping).await));
        }
        let mut bytes = self.body.frame().await?.ok()?.into_data().ok()?;
        self.shortened = bytes.len() as u64 > self.left;
        bytes.truncate(usize::try_from(self.left).unwrap_or(usize::MAX));
        self.left -= bytes.len() as u64;
        Some(Ok(bytes))
    }
}
