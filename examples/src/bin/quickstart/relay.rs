//! A forward proxy on the loopback interface whose connections can be cut at will.
//!
//! It tunnels bytes and understands only the head of each connection, so it stands in front of any server, TLS included.

use std::io;

use tokio::{
    io::{AsyncReadExt, AsyncWriteExt, copy_bidirectional},
    net::{TcpListener, TcpStream},
    sync::watch,
    task::{JoinHandle, JoinSet},
};

/// The head of a proxied request; more than this before the blank line is refused.
const MAX_HEAD: usize = 16 * 1024;

/// A running relay. Dropping it closes its listener and every connection.
#[derive(Debug)]
pub(crate) struct Relay {
    url: String,
    cuts: watch::Sender<u64>,
    accepting: JoinHandle<()>,
}

impl Relay {
    /// Listens on a free port.
    pub(crate) async fn start() -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        let url = format!("http://{}", listener.local_addr()?);
        let (cuts, cut) = watch::channel(0);
        let accepting = tokio::spawn(accept(listener, cut));
        Ok(Self { url, cuts, accepting })
    }

    /// What a client takes as its proxy.
    pub(crate) fn url(&self) -> &str {
        &self.url
    }

    /// Cuts every open connection; later ones work.
    pub(crate) fn cut(&self) {
        self.cuts.send_modify(|count| *count += 1);
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        self.accepting.abort();
    }
}

async fn accept(listener: TcpListener, cut: watch::Receiver<u64>) {
    let mut tunnels = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((client, _)) => {
                    let mut cut = cut.clone();
                    cut.mark_unchanged();
                    tunnels.spawn(async move {
                        tokio::select! {
                            // Ending either way drops both sockets. A failed tunnel shows at the client as a closed connection.
                            _ = tunnel(client) => {}
                            _ = cut.changed() => {}
                        }
                    });
                }
                Err(_) => return,
            },
            Some(_) = tunnels.join_next() => {}
        }
    }
}

async fn tunnel(mut client: TcpStream) -> io::Result<()> {
    let head = read_head(&mut client).await?;
    let (method, target) = request_target(&head)
        .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "not a proxied HTTP request"))?;
    let authority = authority(target);
    let mut server = match TcpStream::connect(&authority).await {
        Ok(server) => server,
        Err(error) => return refuse(&mut client, &format!("cannot reach {authority}: {error}")).await,
    };
    server.set_nodelay(true)?;
    client.set_nodelay(true)?;
    if method == "CONNECT" {
        client
            .write_all(b"HTTP/1.1 200 Connection established\r\n\r\n")
            .await?;
    } else {
        server.write_all(&head).await?;
    }
    copy_bidirectional(&mut client, &mut server).await?;
    Ok(())
}

/// Says why there is no tunnel, as a proxy does.
async fn refuse(client: &mut TcpStream, reason: &str) -> io::Result<()> {
    let head = format!(
        "HTTP/1.1 502 Bad Gateway\r\ncontent-type: text/plain\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        reason.len()
    );
    client.write_all(head.as_bytes()).await?;
    client.write_all(reason.as_bytes()).await?;
    client.shutdown().await
}

/// Bytes up to and beyond the blank line; what lies beyond belongs to the request's body.
async fn read_head(client: &mut TcpStream) -> io::Result<Vec<u8>> {
    let mut head = Vec::new();
    while !head.windows(4).any(|window| window == b"\r\n\r\n") {
        if client.read_buf(&mut head).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        if head.len() > MAX_HEAD {
            return Err(io::Error::new(
                io::ErrorKind::InvalidData,
                "the request head exceeds 16 KiB",
            ));
        }
    }
    Ok(head)
}

fn request_target(head: &[u8]) -> Option<(&str, &str)> {
    let line = head.split(|byte| *byte == b'\r').next()?;
    let mut words = std::str::from_utf8(line).ok()?.split(' ');
    Some((words.next()?, words.next()?))
}

/// `host:port` of `host:port` (as CONNECT has it) or of an absolute plain HTTP address.
fn authority(target: &str) -> String {
    let rest = target.strip_prefix("http://").unwrap_or(target);
    let authority = rest.split(['/', '?']).next().unwrap_or(rest);
    let has_port = authority
        .rsplit_once(':')
        .is_some_and(|(_, port)| port.bytes().all(|byte| byte.is_ascii_digit()));
    if has_port {
        authority.to_owned()
    } else {
        format!("{authority}:80")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_upstream_is_read_from_the_request_line() {
        assert_eq!(authority("api.example.com:443"), "api.example.com:443");
        assert_eq!(
            authority("http://127.0.0.1:8080/v1/sessions?limit=1"),
            "127.0.0.1:8080"
        );
        assert_eq!(authority("http://api.example.com/v1"), "api.example.com:80");
        assert_eq!(authority("http://[::1]/v1"), "[::1]:80");
        assert_eq!(
            request_target(b"GET http://a/ HTTP/1.1\r\nhost: a\r\n\r\n"),
            Some(("GET", "http://a/"))
        );
    }

    #[tokio::test]
    async fn a_cut_ends_open_tunnels_and_spares_later_ones() {
        let server = TcpListener::bind(("127.0.0.1", 0)).await.unwrap();
        let address = server.local_addr().unwrap();
        let relay = Relay::start().await.unwrap();
        let mut before = connect_through(&relay, &address.to_string()).await;
        let (mut upstream, _) = server.accept().await.unwrap();
        upstream.write_all(b"a").await.unwrap();
        assert_eq!(before.read_u8().await.unwrap(), b'a');

        relay.cut();
        assert!(
            matches!(before.read(&mut [0; 1]).await, Ok(0) | Err(_)),
            "the tunnel is still open"
        );

        let mut after = connect_through(&relay, &address.to_string()).await;
        let (mut upstream, _) = server.accept().await.unwrap();
        upstream.write_all(b"b").await.unwrap();
        assert_eq!(after.read_u8().await.unwrap(), b'b');
    }

    #[tokio::test]
    async fn an_upstream_that_cannot_be_reached_is_named() {
        let relay = Relay::start().await.unwrap();
        let mut client = TcpStream::connect(relay.url().trim_start_matches("http://"))
            .await
            .unwrap();
        client
            .write_all(b"GET http://127.0.0.1:1/v1 HTTP/1.1\r\n\r\n")
            .await
            .unwrap();
        let mut answer = String::new();
        client.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 502"), "{answer}");
        assert!(answer.contains("cannot reach 127.0.0.1:1: "), "{answer}");
    }

    async fn connect_through(relay: &Relay, address: &str) -> TcpStream {
        let mut client = TcpStream::connect(relay.url().trim_start_matches("http://"))
            .await
            .unwrap();
        client
            .write_all(format!("CONNECT {address} HTTP/1.1\r\n\r\n").as_bytes())
            .await
            .unwrap();
        let mut answer = Vec::new();
        while !answer.ends_with(b"\r\n\r\n") {
            answer.push(client.read_u8().await.unwrap());
        }
        assert!(
            answer.starts_with(b"HTTP/1.1 200"),
            "{}",
            String::from_utf8_lossy(&answer)
        );
        client
    }
}
