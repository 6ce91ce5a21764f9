//! What the server is held against: the least that can do the same. hyper on one side, SQLite with a write-ahead log and
//! full synchronisation on the other, many appends to one commit, one table of bytes; no Sessions, no checks, no keys.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::mpsc;
use std::thread;

use bytes::{BufMut, Bytes, BytesMut};
use futures::{Stream, StreamExt, stream};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::{Frame, Incoming};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Method, Request, Response};
use hyper_util::rt::TokioIo;
use rusqlite::Connection;
use tokio::net::TcpListener;
use tokio::sync::{broadcast, oneshot};
use tokio::task;

use super::Failure;

/// The most appends that share a commit, and how many rows of the log are read at once: what the server has.
const LARGEST_BATCH: usize = 256;
const PAGE_ROWS: i64 = 500;
const PAGE_BYTES: usize = 512 * 1024;

/// How many events wait for a slow reader.
const LIVE_FRAMES: usize = 4096;

type Body = UnsyncBoxBody<Bytes, Infallible>;

/// `POST /` appends, `GET /log` replays and follows, `GET /live` only follows, `GET /page` answers from memory.
#[derive(Debug)]
pub(crate) struct Floor {
    pub(crate) address: SocketAddr,
}

#[derive(Debug, Clone)]
struct State {
    database: PathBuf,
    appends: mpsc::Sender<Append>,
    live: broadcast::Sender<Bytes>,
    page: Bytes,
}

/// Bytes to append, and whom to tell the place that they got.
type Append = (Bytes, oneshot::Sender<i64>);

impl Floor {
    /// Starts on a free port of the loopback, on a new database in this directory.
    pub(crate) async fn start(directory: &Path, page: Bytes) -> Result<Self, Failure> {
        let database = directory.join("floor.sqlite3");
        let connection = open(&database)?;
        connection.execute_batch("CREATE TABLE events (place INTEGER PRIMARY KEY, event BLOB NOT NULL)")?;
        let (appends, queue) = mpsc::channel();
        let (live, _) = broadcast::channel(LIVE_FRAMES);
        let told = live.clone();
        thread::spawn(move || {
            if let Err(error) = write(&connection, &queue, &told) {
                eprintln!("the floor's writer: {error}");
            }
        });
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let state = State {
            database,
            appends,
            live,
            page,
        };
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let state = state.clone();
                tokio::spawn(async move {
                    socket.set_nodelay(true)?;
                    let answering = service_fn(|request| answer(state.clone(), request));
                    http1::Builder::new()
                        .serve_connection(TokioIo::new(socket), answering)
                        .await?;
                    Ok::<(), Failure>(())
                });
            }
        });
        Ok(Self { address })
    }
}

async fn answer(state: State, request: Request<Incoming>) -> Result<Response<Body>, Failure> {
    if request.method() == Method::POST {
        let event = request.into_body().collect().await?.to_bytes();
        let (told, place) = oneshot::channel();
        state.appends.send((event, told))?;
        return Ok(whole(Bytes::from(place.await?.to_string())));
    }
    if request.uri().path() == "/page" {
        return Ok(whole(state.page));
    }
    let live = state.live.subscribe();
    let frames = match request.uri().path() {
        "/log" => replay(open(&state.database)?).chain(follow(live)).boxed(),
        _ => follow(live).boxed(),
    };
    let body = StreamBody::new(frames.map(Frame::data).map(Ok));
    let mut response = Response::new(body.boxed_unsync());
    response.headers_mut().insert(
        "content-type",
        hyper::header::HeaderValue::from_static("text/event-stream"),
    );
    Ok(response)
}

fn whole(bytes: Bytes) -> Response<Body> {
    Response::new(Full::new(bytes).boxed_unsync())
}

/// Commits what waits, then answers it.
fn write(
    connection: &Connection,
    queue: &mpsc::Receiver<Append>,
    live: &broadcast::Sender<Bytes>,
) -> Result<(), rusqlite::Error> {
    let mut insert = connection.prepare("INSERT INTO events (event) VALUES (?1)")?;
    while let Ok(first) = queue.recv() {
        let batch: Vec<Append> = [first]
            .into_iter()
            .chain(queue.try_iter().take(LARGEST_BATCH - 1))
            .collect();
        connection.execute_batch("BEGIN IMMEDIATE")?;
        let mut places = Vec::with_capacity(batch.len());
        for (event, _) in &batch {
            insert.execute([&event[..]])?;
            places.push(connection.last_insert_rowid());
        }
        connection.execute_batch("COMMIT")?;
        for ((event, told), place) in batch.into_iter().zip(places) {
            let mut bytes = BytesMut::new();
            frame(&mut bytes, place, &event);
            // Whoever has gone away misses nothing.
            let _ = told.send(place);
            let _ = live.send(bytes.freeze());
        }
    }
    Ok(())
}

/// Everything in the log, a page at a time.
fn replay(connection: Connection) -> impl Stream<Item = Bytes> + Send {
    stream::unfold(
        (connection, 0),
        async |(connection, after)| match task::block_in_place(|| rows(&connection, after)) {
            Ok((last, bytes)) => (!bytes.is_empty()).then_some((bytes, (connection, last))),
            Err(error) => {
                eprintln!("the floor's reader: {error}");
                None
            }
        },
    )
}

fn rows(connection: &Connection, after: i64) -> Result<(i64, Bytes), rusqlite::Error> {
    let mut query = connection
        .prepare_cached("SELECT place, event FROM events WHERE place > ?1 ORDER BY place LIMIT ?2")?;
    let mut rows = query.query((after, PAGE_ROWS))?;
    let (mut last, mut bytes) = (after, BytesMut::with_capacity(PAGE_BYTES));
    while let Some(row) = rows.next()? {
        last = row.get(0)?;
        frame(&mut bytes, last, row.get_ref(1)?.as_blob()?);
    }
    Ok((last, bytes.freeze()))
}

fn follow(live: broadcast::Receiver<Bytes>) -> impl Stream<Item = Bytes> + Send {
    stream::unfold(live, async |mut live| Some((live.recv().await.ok()?, live)))
}

fn frame(out: &mut BytesMut, place: i64, event: &[u8]) {
    out.put_slice(format!("id: {place}\nevent: e\ndata: ").as_bytes());
    out.put_slice(event);
    out.put_slice(b"\n\n");
}

fn open(database: &Path) -> Result<Connection, rusqlite::Error> {
    let connection = Connection::open(database)?;
    connection
        .execute_batch("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 10000")?;
    Ok(connection)
}
