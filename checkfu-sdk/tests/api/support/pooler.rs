use std::io::{Error, ErrorKind, Result};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UnixStream};
use tokio::sync::{Mutex, OwnedMutexGuard};

use super::postgres::Postgres;

const SSL_REQUEST: u32 = 80_877_103;
const VERSION_3: u32 = 196_608;

/// Authentication is done, and the connection is ready, outside of a transaction.
const WELCOME: &[u8] = b"R\0\0\0\x08\0\0\0\0Z\0\0\0\x05I";

/// A pooler in transaction mode: each transaction of a client goes to the next of a few connections of the server, so what
/// a client leaves on one is missing on the next.
pub(crate) struct Pooler {
    pub(crate) port: u16,
}

struct Server {
    connections: Vec<Arc<Mutex<UnixStream>>>,
    next: AtomicUsize,
}

impl Pooler {
    /// In front of a cluster of the tests' own, whose connections need no password.
    pub(crate) async fn of(postgres: &Postgres, connections: usize) -> Result<Self> {
        let (_, directory) = postgres.url.split_once("host=").ok_or(ErrorKind::Unsupported)?;
        let socket = PathBuf::from(directory).join(".s.PGSQL.5432");
        let mut server = Vec::new();
        for _ in 0..connections {
            let mut connection = UnixStream::connect(&socket).await?;
            let names = [
                "user",
                "checkfu",
                "database",
                "postgres",
                "search_path",
                &postgres.namespace,
                "",
            ];
            let mut startup = VERSION_3.to_be_bytes().to_vec();
            for name in names {
                startup.extend(name.bytes().chain([0]));
            }
            let length = u32::try_from(startup.len() + 4).unwrap();
            connection.write_all(&length.to_be_bytes()).await?;
            connection.write_all(&startup).await?;
            while message(&mut connection).await?[0] != b'Z' {}
            server.push(Arc::new(Mutex::new(connection)));
        }
        let server = Arc::new(Server {
            connections: server,
            next: AtomicUsize::new(0),
        });
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let port = listener.local_addr()?.port();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = Arc::clone(&server);
                tokio::spawn(async move { serve(client, &server).await });
            }
        });
        Ok(Self { port })
    }
}

async fn serve(mut client: TcpStream, server: &Server) -> Result<()> {
    client.set_nodelay(true)?;
    loop {
        let length = client.read_u32().await?;
        let mut startup = vec![0; length as usize - 4];
        client.read_exact(&mut startup).await?;
        if startup != SSL_REQUEST.to_be_bytes() {
            break;
        }
        client.write_all(b"N").await?;
    }
    client.write_all(WELCOME).await?;
    let mut held = None;
    let ended = pass(&mut client, server, &mut held).await;
    if let Some(mut connection) = held {
        // The client went away in a transaction.
        connection.write_all(b"Q\0\0\0\x0dROLLBACK\0").await?;
        while message(&mut *connection).await?[0] != b'Z' {}
    }
    ended
}

/// Passes messages on. A connection is held from the first message of a transaction to its end.
async fn pass(
    client: &mut TcpStream,
    server: &Server,
    held: &mut Option<OwnedMutexGuard<UnixStream>>,
) -> Result<()> {
    loop {
        let asked = message(client).await?;
        if asked[0] == b'X' {
            return Ok(());
        }
        if held.is_none() {
            let next = server.next.fetch_add(1, Ordering::SeqCst) % server.connections.len();
            *held = Some(Arc::clone(&server.connections[next]).lock_owned().await);
        }
        let connection = held.as_mut().ok_or(ErrorKind::NotConnected)?;
        connection.write_all(&asked).await?;
        if asked[0] != b'S' && asked[0] != b'Q' {
            continue;
        }
        let mut answers = Vec::new();
        loop {
            let answer = message(&mut **connection).await?;
            answers.extend_from_slice(&answer);
            if answer[0] == b'Z' {
                if answer[5] == b'I' {
                    *held = None;
                }
                break;
            }
        }
        client.write_all(&answers).await?;
    }
}

/// One whole message: its kind, its length and what it holds.
async fn message(connection: &mut (impl AsyncRead + Unpin)) -> Result<Vec<u8>> {
    let mut message = vec![0; 5];
    connection.read_exact(&mut message).await?;
    let length = u32::from_be_bytes([message[1], message[2], message[3], message[4]]) as usize;
    if length < 4 {
        return Err(Error::from(ErrorKind::InvalidData));
    }
    message.resize(length + 1, 0);
    connection.read_exact(&mut message[5..]).await?;
    Ok(message)
}
