//! One connection: TLS if wanted, then HTTP/1.1 or HTTP/2, and never longer than it is of use.

use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, Response};
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::server::conn::{http1, http2};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulConnection;
use tokio::net::TcpStream;
use tokio::sync::watch;

use super::terms::Terms;
use crate::fault::effect::{Cut, Effect, How};
use crate::fault::line::Line;
use crate::fault::plan::Shot;
use crate::fault::sever::Broken;
use crate::fault::socket::{Socket, Transport};
use crate::stop::Stopping;

/// The most that the heads of a request may have: 100 fields, and 64 KiB (HTTP/1.1 allows more for the buffer's sake).
const MAX_HEAD_BYTES: u32 = 64 * 1024;
const MAX_FIELDS: usize = 100;

/// HTTP/2: how many requests a connection carries at a time, and how a peer that has gone is noticed.
const MAX_STREAMS: u32 = 250;
const PING_EVERY: Duration = Duration::from_secs(30);
const PING_PATIENCE: Duration = Duration::from_secs(20);

/// What answers requests.
pub(super) trait Service: Clone + Send + Sync + 'static {
    /// The faults that a new connection meets.
    fn connected(&self) -> Vec<Shot>;

    fn answer(
        &self,
        request: Request<Body>,
        line: Arc<Line>,
    ) -> impl Future<Output = Result<Response<Body>, Broken>> + Send;
}

/// Serves one connection until it ends, its client has had nothing to do for the idle limit, or the server stops.
pub(super) async fn serve(stream: TcpStream, service: impl Service, terms: Terms, stopping: Stopping) {
    // An answer is small and complete: waiting for more to send would only delay it.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "no delay");
    }
    for shot in service.connected() {
        if meets_its_end(&stream, shot, &stopping).await {
            return;
        }
    }
    let Some(identity) = &terms.identity else {
        return http(stream, false, service, &terms, stopping).await;
    };
    let shaking_hands = tokio::time::timeout(terms.idle_limit, identity.acceptor.accept(stream));
    tokio::select! {
        shaken = shaking_hands => match shaken {
            Ok(Ok(stream)) => {
                let multiplexed = stream.get_ref().1.alpn_protocol() == Some(b"h2");
                http(stream, multiplexed, service, &terms, stopping).await;
            }
            Ok(Err(error)) => tracing::debug!(%error, "tls"),
            Err(_) => tracing::debug!("no tls handshake in time"),
        },
        () = stopping.requested() => {}
    }
}

/// A fault on a connection that has not asked for anything yet; tells whether it ends by it.
async fn meets_its_end(stream: &TcpStream, mut shot: Shot, stopping: &Stopping) -> bool {
    match shot.effect.clone() {
        Effect::Cut(Cut { how, .. }) => {
            shot.hit();
            match how {
                How::Reset => {
                    if let Err(error) = stream.set_zero_linger() {
                        tracing::debug!(%error, "reset");
                    }
                }
                How::Close => {}
                How::Silence => stopping.requested().await,
            }
            true
        }
        Effect::Delay(delay) => {
            shot.hit();
            tokio::time::sleep(Duration::from_millis(delay.milliseconds)).await;
            false
        }
        _ => false,
    }
}

async fn http(
    stream: impl Transport + Send + 'static,
    multiplexed: bool,
    service: impl Service,
    terms: &Terms,
    stopping: Stopping,
) {
    let line = Arc::new(Line::new(multiplexed));
    let busy = Arc::new(watch::Sender::new(0_u64));
    let answering = {
        let (line, busy) = (Arc::clone(&line), Arc::clone(&busy));
        service_fn(move |request: Request<Incoming>| {
            let (service, line) = (service.clone(), Arc::clone(&line));
            // Counts as a request until its answer is sent or given up.
            let request_open = busy.subscribe();
            busy.send_modify(|requests| *requests += 1);
            async move {
                let response = service.answer(request.map(Body::new), line).await?;
                Ok::<_, Broken>(response.map(|body| {
                    Body::new(body.map_frame(move |frame| {
                        let _ = &request_open;
                        frame
                    }))
                }))
            }
        })
    };
    let io = TokioIo::new(Socket::new(stream, Arc::clone(&line), stopping.clone()));
    if multiplexed {
        let connection = http2::Builder::new(TokioExecutor::new())
            .timer(TokioTimer::new())
            .max_concurrent_streams(MAX_STREAMS)
            .max_header_list_size(MAX_HEAD_BYTES)
            .keep_alive_interval(PING_EVERY)
            .keep_alive_timeout(PING_PATIENCE)
            .serve_connection(io, answering);
        attend(connection, &line, &busy, terms.idle_limit, stopping).await;
    } else {
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(terms.idle_limit)
            .max_headers(MAX_FIELDS)
            .serve_connection(io, answering);
        attend(connection, &line, &busy, terms.idle_limit, stopping).await;
    }
}

/// Drives a connection and tells it when to take no more requests.
async fn attend<C>(
    connection: C,
    line: &Line,
    busy: &watch::Sender<u64>,
    idle_limit: Duration,
    stopping: Stopping,
) where
    C: GracefulConnection,
    C::Error: std::fmt::Display,
{
    let mut connection = pin!(connection);
    let mut told = false;
    loop {
        tokio::select! {
            ended = connection.as_mut() => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "connection");
                }
                return;
            }
            () = stopping.requested(), if !told => {}
            () = line.told_to_go_away(), if !told => {}
            () = idle(busy, idle_limit), if !told => {}
        }
        told = true;
        connection.as_mut().graceful_shutdown();
    }
}

/// Ends once there has been no open request for so long.
async fn idle(busy: &watch::Sender<u64>, limit: Duration) {
    loop {
        busy.closed().await;
        let requests = *busy.borrow();
        tokio::time::sleep(limit).await;
        if busy.is_closed() && requests == *busy.borrow() {
            return;
        }
    }
}
