//! Accepts connections and serves HTTP/1.1 on them until the server stops.

use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::{GracefulShutdown, Watcher};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

use crate::stop::Stopping;

/// How long a client may take to send a request's head; idle connections are closed after it too.
const HEAD_TIMEOUT: Duration = Duration::from_secs(60);

/// What to wait when the operating system cannot give another connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Serves until `stopping` says so, answers what was asked for up to `drain`, then cuts what is left.
pub(crate) async fn serve(listener: TcpListener, router: Router, stopping: Stopping, drain: Duration) {
    let graceful = GracefulShutdown::new();
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(serve_connection(stream, router.clone(), graceful.watcher()));
                }
                Err(error) => {
                    tracing::warn!(%error, "accept");
                    tokio::time::sleep(ACCEPT_PAUSE).await;
                }
            },
            Some(_) = connections.join_next() => {}
            () = stopping.requested() => break,
        }
    }
    drop(listener);
    if tokio::time::timeout(drain, graceful.shutdown()).await.is_err() {
        tracing::warn!("connections were cut because their requests were not complete");
    }
    connections.shutdown().await;
}

async fn serve_connection(stream: TcpStream, router: Router, graceful: Watcher) {
    // An answer is small and complete: waiting for more to send would only delay it.
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "no delay");
    }
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD_TIMEOUT)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    if let Err(error) = graceful.watch(connection).await {
        tracing::debug!(%error, "connection");
    }
}
