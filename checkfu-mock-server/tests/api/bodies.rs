//! Bodies that cannot be read, or do not come whole.

use bytes::Bytes;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::support::world::{World, message};

/// A-ERR: bodies that are not JSON, not UTF-8, too deep, too large or of another kind have their errors.
#[tokio::test]
async fn unreadable_bodies_are_refused() {
    let world = World::new().await;
    let session = world.session().await;
    let path = format!("/v1/sessions/{session}/events");
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let unreadable: [&[u8]; 6] = [
        b"",
        b"{",
        b"{\"type\": \"user.message\",}",
        b"\xff\xfe{}",
        b"nul",
        deep.as_bytes(),
    ];
    for body in unreadable {
        let answer = world
            .client
            .call("POST", &path, Bytes::copy_from_slice(body))
            .await;
        answer.refused(400, "request.invalid_body");
    }
    let exact = |length: usize| {
        let body = message("").to_string();
        message(&"x".repeat(length - body.len())).to_string()
    };
    let limit = 1024 * 1024;
    let large = world.client.call("POST", &path, exact(limit + 1)).await;
    large.refused(413, "request.too_large");
    world.client.call("POST", &path, exact(limit)).await.ok(202);
    let form = world
        .client
        .with("content-type", "application/x-www-form-urlencoded");
    let answer = form
        .post(&path, &message("hello"))
        .await
        .refused(415, "request.unsupported_media_type");
    let encoded = world.client.with("content-encoding", "gzip");
    let refused = encoded.post(&path, &message("hello")).await;
    let refused = refused.refused(415, "request.unsupported_media_type");
    assert_eq!(refused.param(), Some("Content-Encoding"));
    assert_eq!(answer.param(), Some("Content-Type"));
    for right in [
        "application/json; charset=utf-8",
        "Application/JSON;Charset=\"UTF-8\"",
    ] {
        let json = world.client.with("content-type", right);
        json.post(&path, &message("hello")).await.ok(202);
    }
    for wrong in [
        "application/json; charset=latin1",
        "application/json; a=b; charset=utf-16",
    ] {
        let json = world.client.with("content-type", wrong);
        let refused = json.post(&path, &message("hello")).await;
        refused.refused(415, "request.unsupported_media_type");
    }
}

/// A body that ends early changes nothing.
#[tokio::test]
async fn a_body_that_ends_early_changes_nothing() {
    let world = World::new().await;
    let session = world.session().await;
    let mut socket = TcpStream::connect(world.server.address()).await.unwrap();
    let head = format!(
        "POST /v1/sessions/{session}/events HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {}\r\ncontent-length: 500\r\n\r\n",
        world.server.api_key()
    );
    let whole = message("hello").to_string();
    socket
        .write_all(format!("{head}{whole}").as_bytes())
        .await
        .unwrap();
    socket.shutdown().await.unwrap();
    let mut rest = Vec::new();
    // Whatever the server says to half a request, it must not have taken it for a whole one.
    let _ = socket.read_to_end(&mut rest).await;
    assert!(!String::from_utf8_lossy(&rest).contains(" 202 "));
    assert_eq!(world.log(&session).await.len(), 1);
}
