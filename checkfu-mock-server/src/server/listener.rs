//! Accepts connections and serves HTTP/1.1 on them until the server stops.

use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};

use crate::stop::Stopping;

/// How long a client may take to send a request's head; idle connections are closed after it too.
const HEAD_TIMEOUT: Duration = Duration::from_secs(60);

/// What to wait when the operating system cannot give another connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Serves until `stopping` says so, then answers what was asked for up to `drain`.
pub(crate) async fn serve(listener: TcpListener, router: Router, stopping: Stopping, drain: Duration) {
    let connections = GracefulShutdown::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => serve_connection(stream, router.clone(), &connections),
                Err(error) => {
                    tracing::warn!(%error, "accept");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
            () = stopping.requested() => break,
        }
    }
    drop(listener);
    if tokio::time::timeout(drain, connections.shutdown()).await.is_err() {
        tracing::warn!("connections were still open when the drain ended");
    }
}

fn serve_connection(stream: TcpStream, router: Router, connections: &GracefulShutdown) {
    // An answer is small and complete: waiting for more to send would only delay it.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "no delay");
    }
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    let connection = connections.watch(connection);
    tokio::spawn(async move {
        if let Err(error) = connection.await {
            tracing::debug!(%error, "connection");
        }
    });
}
