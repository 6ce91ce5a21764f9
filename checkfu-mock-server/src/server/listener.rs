//! Accepts connections until the server stops.

use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use super::connection::{self, Service};
use super::terms::Terms;
use crate::stop::Stopping;

/// What to wait when the operating system cannot give another connection.
const ACCEPT_PAUSE: Duration = Duration::from_millis(50);

/// Serves until `stopping` says so, answers what was asked for up to the drain, then cuts what is left. Connections over
/// the limit wait in the operating system's queue until another one ends.
pub(super) async fn serve(listener: &TcpListener, service: impl Service, terms: &Terms, stopping: Stopping) {
    let places = Arc::new(Semaphore::new(terms.max_connections));
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = accept(listener, &places) => {
                let (stream, place) = accepted;
                let serving = connection::serve(
                    stream,
                    service.clone(),
                    terms.clone(),
                    stopping.clone(),
                );
                connections.spawn(async move {
                    serving.await;
                    drop(place);
                });
            }
            Some(_) = connections.join_next() => {}
            () = stopping.requested() => break,
        }
    }
    let ended = async { while connections.join_next().await.is_some() {} };
    if tokio::time::timeout(terms.drain, ended).await.is_err() {
        tracing::warn!("connections were cut because their requests were not complete");
    }
    connections.shutdown().await;
}

type Place = tokio::sync::OwnedSemaphorePermit;

async fn accept(listener: &TcpListener, places: &Arc<Semaphore>) -> (TcpStream, Option<Place>) {
    // Only a closed semaphore gives no place, and this one is never closed.
    let place = Arc::clone(places).acquire_owned().await.ok();
    loop {
        match listener.accept().await {
            Ok((stream, _)) => return (stream, place),
            Err(error) => {
                tracing::warn!(%error, "accept");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}
