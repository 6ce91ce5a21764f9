//! The load: requests that are made beforehand, over sockets, with as little work as can be.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use bytes::{Buf, BytesMut};
use futures::future::try_join_all;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use super::Failure;

/// A connection that stays open.
#[derive(Debug)]
pub(crate) struct Connection {
    socket: TcpStream,
    read: BytesMut,
}

impl Connection {
    pub(crate) async fn open(address: SocketAddr) -> Result<Self, Failure> {
        let socket = TcpStream::connect(address).await?;
        socket.set_nodelay(true)?;
        Ok(Self {
            socket,
            read: BytesMut::with_capacity(64 * 1024),
        })
    }

    /// Sends a request and gives the body of its answer, which has to be a success.
    pub(crate) async fn call(&mut self, request: &[u8]) -> Result<Vec<u8>, Failure> {
        self.socket.write_all(request).await?;
        let length = self.head().await?.ok_or("an answer without a length")?;
        while self.read.len() < length {
            self.fill().await?;
        }
        Ok(self.read.split_to(length).to_vec())
    }

    /// Reads the head of a success; gives the length that it tells.
    async fn head(&mut self) -> Result<Option<usize>, Failure> {
        let end = loop {
            if let Some(end) = self.read.windows(4).position(|four| four == b"\r\n\r\n") {
                break end;
            }
            self.fill().await?;
        };
        let head = std::str::from_utf8(&self.read[..end])?;
        if !head.starts_with("HTTP/1.1 2") {
            return Err(format!("refused: {}", String::from_utf8_lossy(&self.read)).into());
        }
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length")
                .then(|| value.trim().parse())?
                .ok()
        });
        self.read.advance(end + 4);
        Ok(length)
    }

    async fn fill(&mut self) -> Result<(), Failure> {
        if self.socket.read_buf(&mut self.read).await? == 0 {
            return Err("the connection was closed".into());
        }
        Ok(())
    }
}

/// A stream of events that is counted.
#[derive(Debug)]
pub(crate) struct Reader {
    connection: Connection,
    /// How many frames have come, comments included.
    pub(crate) frames: usize,
    after_newline: bool,
}

impl Reader {
    pub(crate) async fn open(address: SocketAddr, request: &[u8]) -> Result<Self, Failure> {
        let mut connection = Connection::open(address).await?;
        connection.socket.write_all(request).await?;
        connection.head().await?;
        let mut reader = Self {
            connection,
            frames: 0,
            after_newline: false,
        };
        reader.count();
        Ok(reader)
    }

    /// Reads until so many frames have come.
    pub(crate) async fn until(&mut self, frames: usize) -> Result<(), Failure> {
        while self.frames < frames {
            self.connection.fill().await?;
            self.count();
        }
        Ok(())
    }

    /// An empty line ends a frame; chunks begin and end between frames, and no event has a line end inside.
    fn count(&mut self) {
        for byte in &self.connection.read {
            let newline = *byte == b'\n';
            self.frames += usize::from(newline && self.after_newline);
            self.after_newline = newline;
        }
        self.connection.read.clear();
    }
}

/// Repeats each request on a connection of its own for so long; gives how many were answered per second.
pub(crate) async fn rate(
    address: SocketAddr,
    requests: &[Vec<u8>],
    duration: Duration,
) -> Result<f64, Failure> {
    let mut connections = try_join_all(requests.iter().map(|_| Connection::open(address))).await?;
    let start = Instant::now();
    let work = connections
        .iter_mut()
        .zip(requests)
        .map(async |(connection, request)| {
            let mut answered = 0_u32;
            while start.elapsed() < duration {
                connection.call(request).await?;
                answered += 1;
            }
            Ok::<u32, Failure>(answered)
        });
    let answered: u32 = try_join_all(work).await?.into_iter().sum();
    Ok(f64::from(answered) / start.elapsed().as_secs_f64())
}

/// Makes each request so often, over so many connections.
pub(crate) async fn repeat(
    address: SocketAddr,
    request: &[u8],
    times: usize,
    connections: usize,
) -> Result<(), Failure> {
    let work = (0..connections).map(async |number| {
        let mut connection = Connection::open(address).await?;
        for _ in (number..times).step_by(connections) {
            connection.call(request).await?;
        }
        Ok::<(), Failure>(())
    });
    try_join_all(work).await?;
    Ok(())
}

/// Events per second from the opening of a stream to the last of so many frames.
pub(crate) async fn replay(address: SocketAddr, request: &[u8], frames: usize) -> Result<f64, Failure> {
    let start = Instant::now();
    Reader::open(address, request).await?.until(frames).await?;
    Ok(frames as f64 / start.elapsed().as_secs_f64())
}

/// Appends one at a time; gives how often per second an append came back on every one of the readers: the inverse of the
/// median delay.
pub(crate) async fn deliveries(
    address: SocketAddr,
    append: &[u8],
    readers: &mut [Reader],
    times: usize,
) -> Result<f64, Failure> {
    let mut connection = Connection::open(address).await?;
    let mut delays = Vec::with_capacity(times);
    for _ in 0..times {
        let start = Instant::now();
        let seen = try_join_all(readers.iter_mut().map(|reader| reader.until(reader.frames + 1)));
        let (appended, seen) = futures::future::join(connection.call(append), seen).await;
        appended?;
        seen?;
        delays.push(start.elapsed());
    }
    delays.sort_unstable();
    let median = delays.get(times / 2).ok_or("no delay was measured")?;
    Ok(1.0 / median.as_secs_f64())
}
