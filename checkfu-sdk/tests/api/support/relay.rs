use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Passes bytes on to a server, and breaks each connection off after so many bytes of answers.
pub(crate) struct Relay {
    pub(crate) url: String,
    cut: Arc<AtomicU64>,
    connections: Arc<AtomicU64>,
}

impl Relay {
    pub(crate) async fn to(server: SocketAddr) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let cut = Arc::new(AtomicU64::new(u64::MAX));
        let connections = Arc::new(AtomicU64::new(0));
        let (cutting, counting) = (Arc::clone(&cut), Arc::clone(&connections));
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                counting.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(pass(client, server, Arc::clone(&cutting)));
            }
        });
        Self {
            url,
            cut,
            connections,
        }
    }

    /// Breaks every connection, open or new, off after this many bytes of its answers.
    pub(crate) fn cut_after(&self, bytes: u64) {
        self.cut.store(bytes, Ordering::SeqCst);
    }

    pub(crate) fn connections(&self) -> u64 {
        self.connections.load(Ordering::SeqCst)
    }
}

async fn pass(client: TcpStream, server: SocketAddr, cut: Arc<AtomicU64>) {
    let Ok(server) = TcpStream::connect(server).await else {
        client.set_zero_linger().unwrap();
        return;
    };
    let (mut from_client, mut to_client) = client.into_split();
    let (mut from_server, mut to_server) = server.into_split();
    let upstream = tokio::spawn(async move { tokio::io::copy(&mut from_client, &mut to_server).await });
    let mut buffer = vec![0; 4096];
    let mut passed = 0;
    while let Ok(count @ 1..) = from_server.read(&mut buffer).await {
        let left = cut.load(Ordering::SeqCst).saturating_sub(passed);
        let count = usize::try_from(left).unwrap_or(usize::MAX).min(count);
        if count == 0 || to_client.write_all(&buffer[..count]).await.is_err() {
            break;
        }
        passed += count as u64;
        if passed >= cut.load(Ordering::SeqCst) {
            break;
        }
    }
    let _ = to_client.as_ref().set_zero_linger();
    upstream.abort();
}
