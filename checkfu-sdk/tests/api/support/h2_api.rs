use std::sync::{Arc, Mutex};
use std::task::Poll;

use bytes::Bytes;
use checkfu_sdk::Client;
use checkfu_sdk::client::ClientBuilder;
use futures::future;
use h2::SendStream;
use h2::server::SendResponse;
use http::{Response, StatusCode};
use serde_json::json;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio_rustls::TlsAcceptor;

use super::event::{frame, message, session};
use super::tls::Authority;

/// A server that speaks HTTP/2 alone, over TLS.
///
/// The stream of a Session whose id begins with `full` sends one event, and then comments as fast as they are taken. Any
/// other sends one event, and another one each time that the test says so. Everything else is answered with a Session.
pub(crate) struct H2Api {
    url: String,
    authority: Authority,
    shared: Arc<Shared>,
}

struct Shared {
    seen: watch::Sender<Seen>,
    /// How many events every open stream has had.
    events: watch::Sender<u64>,
    /// How many connections are left alone, the first ones.
    frozen: watch::Sender<usize>,
    most_streams: u32,
    connections: Mutex<usize>,
}

#[derive(Clone, Default)]
struct Seen {
    /// The connection and the path of each request.
    requests: Vec<(usize, String)>,
    /// How many streams wait for a reader.
    stalled: usize,
    sent: usize,
}

impl H2Api {
    /// Lets a client have this many requests open on one connection.
    pub(crate) async fn start(most_streams: u32) -> Self {
        let authority = Authority::new("ours");
        let acceptor = authority.acceptor(&["h2"], None);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("https://{}", listener.local_addr().unwrap());
        let shared = Arc::new(Shared {
            seen: watch::Sender::default(),
            events: watch::Sender::new(1),
            frozen: watch::Sender::new(0),
            most_streams,
            connections: Mutex::new(0),
        });
        let serving = Arc::clone(&shared);
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                tokio::spawn(serve(socket, acceptor.clone(), Arc::clone(&serving)));
            }
        });
        Self {
            url,
            authority,
            shared,
        }
    }

    pub(crate) fn builder(&self) -> ClientBuilder {
        Client::builder()
            .base_url(&self.url)
            .api_key("key-of-the-test")
            .root_certificate_pem(self.authority.pem())
    }

    /// Which connection each request for a path that ends so came over, by the order of their first requests.
    pub(crate) fn connections(&self, path_end: &str) -> Vec<usize> {
        let seen = self.shared.seen.borrow();
        let mut order: Vec<usize> = Vec::new();
        for (connection, _) in &seen.requests {
            if !order.contains(connection) {
                order.push(*connection);
            }
        }
        let requests = seen.requests.iter().filter(|(_, path)| path.ends_with(path_end));
        requests
            .map(|(connection, _)| order.iter().position(|known| known == connection).unwrap())
            .collect()
    }

    /// Waits until this many streams wait for a reader.
    pub(crate) async fn stalled(&self, count: usize) {
        let mut seen = self.shared.seen.subscribe();
        seen.wait_for(|seen| seen.stalled >= count).await.unwrap();
    }

    /// Waits until this much was sent to readers that stalled.
    pub(crate) async fn sent(&self, bytes: usize) {
        let mut seen = self.shared.seen.subscribe();
        seen.wait_for(|seen| seen.sent >= bytes).await.unwrap();
    }

    /// Sends another event to every stream that is not full.
    pub(crate) fn next_event(&self) {
        self.shared.events.send_modify(|events| *events += 1);
    }

    /// Leaves the connections so far alone: they stay open, and nothing happens on them.
    pub(crate) fn freeze(&self) {
        let connections = *self.shared.connections.lock().unwrap();
        self.shared.frozen.send_replace(connections);
    }
}

async fn serve(socket: TcpStream, acceptor: TlsAcceptor, shared: Arc<Shared>) {
    let number = {
        let mut connections = shared.connections.lock().unwrap();
        *connections += 1;
        *connections
    };
    let Ok(socket) = acceptor.accept(socket).await else {
        return;
    };
    let mut builder = h2::server::Builder::new();
    builder.max_concurrent_streams(shared.most_streams);
    let Ok(mut connection) = builder.handshake::<_, Bytes>(socket).await else {
        return;
    };
    let mut frozen = shared.frozen.subscribe();
    loop {
        let is_frozen = async { frozen.wait_for(|frozen| *frozen >= number).await.is_ok() };
        let accepted = tokio::select! {
            accepted = connection.accept() => accepted,
            _ = is_frozen => future::pending().await,
        };
        let Some(Ok((request, respond))) = accepted else {
            return;
        };
        let path = request.uri().path().to_owned();
        shared
            .seen
            .send_modify(|seen| seen.requests.push((number, path.clone())));
        tokio::spawn(answer(path, respond, Arc::clone(&shared)));
    }
}

async fn answer(path: String, mut respond: SendResponse<Bytes>, shared: Arc<Shared>) -> Option<()> {
    let head = Response::builder().status(StatusCode::OK);
    if !path.ends_with("/stream") {
        let head = head.header("content-type", "application/json").body(()).unwrap();
        let body = session("idle", json!("end_turn"), 1).to_string();
        let mut body_stream = respond.send_response(head, false).ok()?;
        return body_stream.send_data(body.into(), true).ok();
    }
    let head = head.header("content-type", "text/event-stream").body(()).unwrap();
    let mut body = respond.send_response(head, false).ok()?;
    if path.contains("/full") {
        send(&mut body, frame(&message(1)).into(), || {}).await?;
        let filler = Bytes::from(format!(": {}\n", "x".repeat(16 * 1024 - 3)));
        loop {
            let stall = || shared.seen.send_modify(|seen| seen.stalled += 1);
            let is_stalled = send(&mut body, filler.clone(), stall).await?;
            shared.seen.send_modify(|seen| {
                seen.sent += filler.len();
                seen.stalled -= usize::from(is_stalled);
            });
        }
    }
    let mut events = shared.events.subscribe();
    for seq in 1.. {
        events.wait_for(|events| *events >= seq).await.ok()?;
        send(&mut body, frame(&message(seq)).into(), || {}).await?;
    }
    None
}

/// Sends all of it; calls `stall` once if there is no room for it now, and says whether it did.
async fn send(
    body: &mut SendStream<Bytes>,
    mut bytes: Bytes,
    stall: impl Fn() + Send + Sync,
) -> Option<bool> {
    let mut is_stalled = false;
    while !bytes.is_empty() {
        body.reserve_capacity(bytes.len());
        let room = future::poll_fn(|context| {
            loop {
                if body.capacity() > 0 {
                    return Poll::Ready(Some(body.capacity()));
                }
                match body.poll_capacity(context) {
                    Poll::Ready(Some(Ok(_))) => {}
                    Poll::Ready(_) => return Poll::Ready(None),
                    Poll::Pending => break,
                }
            }
            if !is_stalled {
                is_stalled = true;
                stall();
            }
            Poll::Pending
        });
        let room = room.await?;
        body.send_data(bytes.split_to(room.min(bytes.len())), false)
            .ok()?;
    }
    Some(is_stalled)
}
