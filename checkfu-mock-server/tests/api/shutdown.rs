//! Stopping while someone has not finished.

use std::time::Duration;

use checkfu_mock_server::MockServer;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use crate::support::frames::{Frames, PATIENCE};
use crate::support::world::{STEP, World};

/// A request that never becomes complete holds up a shutdown for the drain and no longer.
#[tokio::test]
async fn a_shutdown_cuts_what_does_not_end() {
    let world = World::with(MockServer::builder().drain(Duration::from_millis(50))).await;
    let mut held = Vec::new();
    let head = format!(
        "POST /v1/sessions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\n",
        world.server.api_key()
    );
    for sent in ["", "POST /v1/se", &format!("{head}content-length: 100\r\n\r\n{{")] {
        let mut socket = TcpStream::connect(world.server.address()).await.unwrap();
        socket.write_all(sent.as_bytes()).await.unwrap();
        held.push(socket);
    }
    // An answer on a later connection shows that the earlier ones were accepted.
    world.client.get("/healthz").await.ok(200);
    let World { server, .. } = world;
    tokio::time::timeout(PATIENCE / 4, server.shutdown())
        .await
        .unwrap();
    for mut socket in held {
        let mut rest = Vec::new();
        let ended = tokio::time::timeout(PATIENCE, socket.read_to_end(&mut rest))
            .await
            .unwrap();
        assert!(ended.is_err() || rest.is_empty());
    }
}

/// SES-9, A-SRV: shutting down closes streams without a settlement; the log says the same afterwards.
#[tokio::test]
async fn a_shutdown_closes_streams() {
    let clock = crate::support::world::clock();
    let world = World::with(MockServer::builder().clock(clock).step_delay(STEP)).await;
    let session = world.session().await;
    world.say(&session, "hello").await;
    let mut stream = Frames::open(&world.client, &session, None).await;
    stream.until("run.created").await;
    let World { server, .. } = world;
    server.shutdown().await;
    assert_eq!(stream.event().await, None);
}

/// Once the server stops, a stream ends after the page that it is sending, not after the whole backlog.
#[tokio::test]
async fn a_shutdown_ends_a_stream_between_two_pages() {
    let world = World::with(MockServer::builder().drain(PATIENCE)).await;
    let (mut socket, backlog) = stalled_reader(&world).await;
    let address = world.server.address();
    let World { server, .. } = world;
    let stopped = tokio::spawn(server.shutdown());
    let deadline = tokio::time::Instant::now() + PATIENCE;
    while TcpStream::connect(address).await.is_ok() {
        assert!(tokio::time::Instant::now() < deadline, "still listening");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let mut rest = Vec::new();
    socket.read_to_end(&mut rest).await.unwrap();
    assert!(rest.ends_with(b"0\r\n\r\n"), "the answer was cut");
    assert!(rest.len() < backlog, "{} of {backlog} bytes", rest.len());
    stopped.await.unwrap();
}

/// STR-7: a reader that has taken nothing for as long as it likes is not cut while the server runs, gets everything when
/// it goes on, and is cut by a shutdown when the drain is over.
#[tokio::test]
async fn a_stalled_reader_is_cut_at_shutdown_alone() {
    let limit = Duration::from_millis(50);
    let world = World::with(MockServer::builder().idle_limit(limit).drain(limit)).await;
    let (mut socket, backlog) = stalled_reader(&world).await;
    let (mut cut, _) = stalled_reader(&world).await;
    // Many times the limits; the server has other things to do meanwhile.
    tokio::time::sleep(limit * 10).await;
    let mut taken = 0;
    let mut buffer = vec![0; 64 * 1024];
    while taken < backlog {
        let count = tokio::time::timeout(PATIENCE, socket.read(&mut buffer))
            .await
            .unwrap()
            .unwrap();
        assert_ne!(count, 0, "closed after {taken} of {backlog} bytes");
        taken += count;
    }
    let World { server, .. } = world;
    tokio::time::timeout(limit + Duration::from_secs(2), server.shutdown())
        .await
        .unwrap();
    let mut rest = Vec::new();
    let ended = tokio::time::timeout(PATIENCE, cut.read_to_end(&mut rest))
        .await
        .unwrap();
    assert!(
        ended.is_err() || !rest.ends_with(b"0\r\n\r\n"),
        "the answer was ended, not cut"
    );
    assert!(rest.len() < backlog, "{} of {backlog} bytes", rest.len());
}

/// A stream of a log that no buffer holds, of which only the beginning was read; gives the log's size.
async fn stalled_reader(world: &World) -> (TcpStream, usize) {
    const MESSAGES: usize = 24;
    let session = world.session().await;
    let text = "x".repeat(900_000);
    for _ in 0..MESSAGES {
        world.say(&session, &text).await;
    }
    let socket = TcpSocket::new_v4().unwrap();
    socket.set_recv_buffer_size(4096).unwrap();
    let mut socket = socket.connect(world.server.address()).await.unwrap();
    let request = format!(
        "GET /v1/sessions/{session}/events/stream HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\n\r\n",
        world.server.api_key()
    );
    socket.write_all(request.as_bytes()).await.unwrap();
    socket.read_exact(&mut [0; 2000]).await.unwrap();
    (socket, MESSAGES * text.len())
}
