//! Answers as bytes, however they end.

use std::io::ErrorKind;
use std::net::SocketAddr;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::frames::PATIENCE;
use crate::support::world::World;

/// What came, and how it ended.
#[derive(Debug)]
pub(crate) struct Raw {
    pub(crate) bytes: Vec<u8>,
    pub(crate) end: End,
    /// How many reads it took.
    pub(crate) reads: usize,
}

/// How a connection ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    Closed,
    Reset,
    /// Nothing came for a while.
    Silent,
}

impl Raw {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    pub(crate) fn status(&self) -> u16 {
        let text = self.text();
        let status = text.split(' ').nth(1);
        status
            .and_then(|status| status.parse().ok())
            .unwrap_or_else(|| panic!("no answer: {text:?}"))
    }

    /// The body, its chunks put together; what was cut off is as long as it came.
    pub(crate) fn body(&self) -> Vec<u8> {
        let at = position(&self.bytes, b"\r\n\r\n").unwrap_or_else(|| panic!("no head: {:?}", self.text()));
        let (head, mut rest) = (self.bytes[..at].to_ascii_lowercase(), &self.bytes[at + 4..]);
        if position(&head, b"transfer-encoding: chunked").is_none() {
            return rest.to_vec();
        }
        let mut body = Vec::new();
        while let Some(line) = position(rest, b"\r\n") {
            let size = std::str::from_utf8(&rest[..line]).unwrap();
            let size = usize::from_str_radix(size, 16).unwrap();
            rest = &rest[line + 2..];
            body.extend_from_slice(&rest[..size.min(rest.len())]);
            rest = rest.get(size + 2..).unwrap_or_default();
        }
        body
    }

    /// The head's fields, in lower case.
    pub(crate) fn head(&self) -> String {
        let text = self.text();
        text.split("\r\n\r\n").next().unwrap().to_lowercase()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body()).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }
}

fn position(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window == wanted)
}

/// A request with the key, to be answered on a connection of its own.
pub(crate) fn request(world: &World, method: &str, path: &str, fields: &[&str], body: &str) -> String {
    let mut text = format!(
        "{method} {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\nconnection: close\r\n",
        world.server.api_key()
    );
    for field in fields {
        text.push_str(&format!("{field}\r\n"));
    }
    if !body.is_empty() {
        text.push_str(&format!("content-length: {}\r\n", body.len()));
    }
    format!("{text}\r\n{body}")
}

/// Sends bytes and reads what comes until the end.
pub(crate) async fn exchange(address: SocketAddr, request: &str) -> Raw {
    exchange_until(address, request, b"").await
}

/// The same, or until these bytes have come and then nothing for a moment.
pub(crate) async fn exchange_until(address: SocketAddr, request: &str, last: &[u8]) -> Raw {
    let mut raw = Raw {
        bytes: Vec::new(),
        end: End::Closed,
        reads: 0,
    };
    let mut socket = match TcpStream::connect(address).await {
        Ok(socket) => socket,
        Err(error) => panic!("{error}"),
    };
    if let Err(error) = socket.write_all(request.as_bytes()).await {
        raw.end = ended(error.kind());
        return raw;
    }
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let silent = !last.is_empty() && position(&raw.bytes, last).is_some();
        let patience = if silent {
            std::time::Duration::from_millis(200)
        } else {
            PATIENCE
        };
        match tokio::time::timeout(patience, socket.read(&mut buffer)).await {
            Err(_) if silent => {
                raw.end = End::Silent;
                return raw;
            }
            Err(_) => panic!("nothing came for {PATIENCE:?} after {:?}", raw.text()),
            Ok(Ok(0)) => return raw,
            Ok(Ok(count)) => {
                raw.reads += 1;
                raw.bytes.extend_from_slice(&buffer[..count]);
            }
            Ok(Err(error)) => {
                raw.end = ended(error.kind());
                return raw;
            }
        }
    }
}

fn ended(kind: ErrorKind) -> End {
    match kind {
        ErrorKind::ConnectionReset | ErrorKind::BrokenPipe => End::Reset,
        other => panic!("{other}"),
    }
}

/// A Session whose log is complete, so that its stream ends; with the log.
pub(crate) async fn finished(world: &World) -> (String, Vec<Value>) {
    let session = world.session().await;
    world.say(&session, "hello").await;
    world.until_status(&session, "idle").await;
    let path = format!("/v1/sessions/{session}/complete");
    world.client.post(&path, &serde_json::json!({})).await.ok(200);
    let log = world.log(&session).await;
    (session, log)
}

/// The whole stream of a Session.
pub(crate) async fn stream(world: &World, session: &str, fields: &[&str]) -> Raw {
    let path = format!("/v1/sessions/{session}/events/stream");
    exchange(world.server.address(), &request(world, "GET", &path, fields, "")).await
}
