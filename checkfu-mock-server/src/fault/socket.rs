//! A connection whose bytes follow the plan of its [`Line`].

use std::fmt;
use std::future::Future;
use std::io::{self, IoSlice};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use bytes::Buf;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio_rustls::server::TlsStream;

use super::line::{End, Line, Pace, When};
use crate::stop::Stopping;

/// What a connection runs over.
pub(crate) trait Transport: AsyncRead + AsyncWrite + Unpin {
    /// The connection underneath.
    fn tcp(&self) -> &TcpStream;
}

impl Transport for TcpStream {
    fn tcp(&self) -> &TcpStream {
        self
    }
}

impl Transport for TlsStream<TcpStream> {
    fn tcp(&self) -> &TcpStream {
        self.get_ref().0
    }
}

type Wait = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Sends what it is given as the line says.
pub(crate) struct Socket<S: Transport> {
    inner: S,
    line: Arc<Line>,
    stopping: Stopping,
    /// The pause before the next bytes.
    pause: Option<Wait>,
    /// Set once nothing is sent any more; ends with the server.
    silence: Option<Wait>,
}

impl<S: Transport> Socket<S> {
    pub(crate) fn new(inner: S, line: Arc<Line>, stopping: Stopping) -> Self {
        Self {
            inner,
            line,
            stopping,
            pause: None,
            silence: None,
        }
    }

    /// Ready when bytes may go out, with how many of `length`.
    fn poll_allowed(&mut self, context: &mut Context<'_>, length: usize) -> Poll<io::Result<usize>> {
        if let Some(silence) = &mut self.silence {
            ready!(silence.as_mut().poll(context));
            return Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()));
        }
        if let Some(pause) = &mut self.pause {
            ready!(pause.as_mut().poll(context));
            self.pause = None;
        }
        ready!(self.poll_ahead(context))?;
        let (end, pace) = {
            let mut plan = self.line.lock();
            (plan.end, plan.pace.as_mut().map(Pace::next_size))
        };
        let mut allowed = length;
        if let Some((end, When::Bytes(left))) = end {
            if left == 0 {
                return self.poll_end(context, end).map_ok(|()| 0);
            }
            allowed = allowed.min(usize::try_from(left).unwrap_or(usize::MAX));
        }
        if let Some(pace) = pace {
            allowed = allowed.min(pace);
        }
        Poll::Ready(Ok(allowed))
    }

    /// Sends what goes before everything else.
    fn poll_ahead(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        loop {
            let ahead = self.line.lock().ahead.clone();
            if ahead.is_empty() {
                return Poll::Ready(Ok(()));
            }
            let sent = ready!(Pin::new(&mut self.inner).poll_write(context, &ahead))?;
            if sent == 0 {
                return Poll::Ready(Err(io::ErrorKind::WriteZero.into()));
            }
            self.line.lock().ahead.advance(sent);
        }
    }

    /// Counts what went out.
    fn sent(&mut self, sent: usize) {
        let mut plan = self.line.lock();
        if let Some((_, When::Bytes(left))) = &mut plan.end {
            *left = left.saturating_sub(sent as u64);
        }
        if let Some(pace) = plan.pace {
            let pause = pace.pause;
            drop(plan);
            // Without a pause the reader still gets a turn between two pieces.
            self.pause = Some(if pause.is_zero() {
                Box::pin(tokio::task::yield_now())
            } else {
                Box::pin(tokio::time::sleep(pause))
            });
        }
    }

    /// Ends the connection: an error makes its owner let go of it.
    fn poll_end(&mut self, context: &mut Context<'_>, end: End) -> Poll<io::Result<()>> {
        match end {
            End::Silence => {
                let stopping = self.stopping.clone();
                let silence: Wait = Box::pin(async move { stopping.requested().await });
                ready!(self.silence.insert(silence).as_mut().poll(context));
                Poll::Ready(Err(io::ErrorKind::ConnectionAborted.into()))
            }
            End::Reset => {
                self.line.reset_on_drop();
                Poll::Ready(Err(io::ErrorKind::ConnectionReset.into()))
            }
            End::Close => Poll::Ready(Err(io::ErrorKind::BrokenPipe.into())),
        }
    }
}

impl<S: Transport> AsyncRead for Socket<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_read(context, buffer)
    }
}

impl<S: Transport> AsyncWrite for Socket<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        if !self.line.is_planned() {
            return Pin::new(&mut self.inner).poll_write(context, bytes);
        }
        let allowed = ready!(self.poll_allowed(context, bytes.len()))?;
        let sent = ready!(Pin::new(&mut self.inner).poll_write(context, &bytes[..allowed]))?;
        self.sent(sent);
        Poll::Ready(Ok(sent))
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        slices: &[IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        if self.line.is_planned() {
            let first = slices.iter().find(|slice| !slice.is_empty());
            return self.poll_write(context, first.map_or(&[], |slice| slice));
        }
        Pin::new(&mut self.inner).poll_write_vectored(context, slices)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        if self.line.is_planned() {
            ready!(self.poll_ahead(context))?;
            ready!(Pin::new(&mut self.inner).poll_flush(context))?;
            let end = self.line.lock().end;
            if let Some((end, When::Flushed | When::Bytes(0))) = end {
                return self.poll_end(context, end);
            }
            return Poll::Ready(Ok(()));
        }
        Pin::new(&mut self.inner).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(context)
    }
}

impl<S: Transport> Drop for Socket<S> {
    fn drop(&mut self) {
        if self.line.is_planned()
            && self.line.lock().reset_on_drop
            && let Err(error) = self.inner.tcp().set_zero_linger()
        {
            tracing::debug!(%error, "reset");
        }
    }
}

impl<S: Transport> fmt::Debug for Socket<S> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Socket")
            .field("line", &self.line)
            .finish_non_exhaustive()
    }
}
