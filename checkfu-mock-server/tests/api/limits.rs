//! What a request may take.

use std::time::Duration;

use checkfu_mock_server::MockServer;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::frames::PATIENCE;
use crate::support::world::{World, message};

/// A body that does not arrive whole in time is refused, its connection is closed, and nothing was changed; one that
/// comes in pieces within the time is taken.
#[tokio::test]
async fn a_body_has_to_arrive_in_time() {
    let world = World::with(MockServer::builder().body_limit(Duration::from_millis(50))).await;
    let session = world.session().await;
    let body = message("hello").to_string();
    for path in [
        "/v1/sessions".to_owned(),
        format!("/v1/sessions/{session}/events"),
        format!("/v1/sessions/{session}/cancel"),
    ] {
        let (head, first) = (head(&world, &path, body.len()), &body[..9]);
        let mut socket = TcpStream::connect(world.server.address()).await.unwrap();
        socket
            .write_all(format!("{head}{first}").as_bytes())
            .await
            .unwrap();
        let answer = to_end(&mut socket).await;
        assert!(answer.starts_with("HTTP/1.1 400 "), "{answer}");
        assert!(answer.contains("request.invalid_body"), "{answer}");
        assert!(answer.contains("did not arrive whole within 50ms"), "{answer}");
    }
    assert_eq!(world.log(&session).await.len(), 1);

    let patient = World::with(MockServer::builder().body_limit(PATIENCE)).await;
    let session = patient.session().await;
    let mut socket = TcpStream::connect(patient.server.address()).await.unwrap();
    let head = head(&patient, &format!("/v1/sessions/{session}/events"), body.len());
    socket.write_all(head.as_bytes()).await.unwrap();
    for piece in body.as_bytes().chunks(9) {
        socket.write_all(piece).await.unwrap();
        tokio::task::yield_now().await;
    }
    let answer = to_end(&mut socket).await;
    assert!(answer.starts_with("HTTP/1.1 202 "), "{answer}");
}

fn head(world: &World, path: &str, length: usize) -> String {
    let key = world.server.api_key();
    format!(
        "POST {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {key}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n"
    )
}

async fn to_end(socket: &mut TcpStream) -> String {
    let mut answer = String::new();
    tokio::time::timeout(PATIENCE, socket.read_to_string(&mut answer))
        .await
        .expect("the connection stays open")
        .unwrap();
    answer
}
