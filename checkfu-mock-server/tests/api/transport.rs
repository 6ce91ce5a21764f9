//! TLS, HTTP/2, and connections that are of no use.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use checkfu_mock_server::{Cut, Fault, GoAway, How, MockServer, On, Point, StartError, Tls};
use http_body_util::{BodyExt, Empty};
use hyper::client::conn::{http1, http2};
use hyper::{Request, Version};
use hyper_util::rt::{TokioExecutor, TokioIo};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, RootCertStore};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

use crate::faults::bytes::{End, exchange};
use crate::support::frames::PATIENCE;
use crate::support::world::World;

/// A connection of a client that trusts the server's certificate and nothing else.
async fn connect(server: &MockServer, name: &str, protocol: &[u8]) -> std::io::Result<TlsStream<TcpStream>> {
    let mut roots = RootCertStore::empty();
    let pem = server.certificate_pem().unwrap();
    roots
        .add(CertificateDer::from_pem_slice(pem.as_bytes()).unwrap())
        .unwrap();
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![protocol.to_vec()];
    let socket = TcpStream::connect(server.address()).await?;
    let name = ServerName::try_from(name.to_owned()).unwrap();
    TlsConnector::from(Arc::new(config)).connect(name, socket).await
}

type Sender = http2::SendRequest<Empty<Bytes>>;

async fn http2(server: &MockServer) -> (Sender, tokio::task::JoinHandle<hyper::Result<()>>) {
    let stream = connect(server, "localhost", b"h2").await.unwrap();
    assert_eq!(stream.get_ref().1.alpn_protocol(), Some(&b"h2"[..]));
    let (sender, connection) = http2::handshake(TokioExecutor::new(), TokioIo::new(stream))
        .await
        .unwrap();
    (sender, tokio::spawn(connection))
}

fn get(server: &MockServer, path: &str) -> Request<Empty<Bytes>> {
    Request::builder()
        .uri(format!("{}{path}", server.url()))
        .header("authorization", format!("Bearer {}", server.api_key()))
        .header("host", "localhost")
        .body(Empty::new())
        .unwrap()
}

/// TLS by a certificate that the server made: HTTP/1.1 and HTTP/2 by what the client asks for, for every name that it is
/// for and no other; plain HTTP is not served.
#[tokio::test]
async fn tls_is_served_with_a_generated_certificate() {
    let server = MockServer::builder()
        .tls(Tls::generated_for(["mock.test"]))
        .start()
        .await
        .unwrap();
    assert!(server.url().starts_with("https://127.0.0.1:"));
    for name in ["localhost", "127.0.0.1", "mock.test"] {
        let stream = connect(&server, name, b"http/1.1").await.unwrap();
        let (mut sender, connection) = http1::handshake(TokioIo::new(stream)).await.unwrap();
        tokio::spawn(connection);
        let response = sender.send_request(get(&server, "/v1/sessions")).await.unwrap();
        assert_eq!(
            (response.status().as_u16(), response.version()),
            (200, Version::HTTP_11)
        );
    }
    let (mut sender, _) = http2(&server).await;
    let response = sender.send_request(get(&server, "/v1/sessions")).await.unwrap();
    assert_eq!(
        (response.status().as_u16(), response.version()),
        (200, Version::HTTP_2)
    );
    assert!(response.headers().contains_key("request-id"));
    let error = connect(&server, "other.test", b"h2").await.unwrap_err();
    assert!(error.to_string().contains("certificate"), "{error}");
    let plain = exchange(server.address(), "GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n").await;
    assert!(!plain.text().contains("HTTP/1.1"), "{}", plain.text());
    server.shutdown().await;
}

/// With a data directory the certificate survives a restart, its key readable by its owner alone; other names make
/// another one.
#[tokio::test]
async fn a_generated_certificate_is_kept() {
    let directory = tempfile::tempdir().unwrap();
    let start = async |tls| {
        let server = MockServer::builder()
            .data_dir(directory.path())
            .tls(tls)
            .start()
            .await
            .unwrap();
        let pem = server.certificate_pem().unwrap().to_owned();
        connect(&server, "localhost", b"h2").await.unwrap();
        server.shutdown().await;
        pem
    };
    let first = start(Tls::generated()).await;
    assert_eq!(start(Tls::generated()).await, first);
    assert_ne!(start(Tls::generated_for(["mock.test"])).await, first);
    let key = std::fs::metadata(directory.path().join("tls-key.pem")).unwrap();
    assert_eq!(std::os::unix::fs::MetadataExt::mode(&key) & 0o777, 0o600);
    for garbage in ["", "garbage"] {
        let path = directory.path().join("tls-certificate.pem");
        std::fs::write(&path, garbage).unwrap();
        let builder = MockServer::builder()
            .data_dir(directory.path())
            .tls(Tls::generated());
        let error = builder.start().await.unwrap_err().to_string();
        assert!(error.contains("tls-certificate.pem is no certificate"), "{error}");
        assert_eq!(std::fs::read_to_string(path).unwrap(), garbage);
    }
}

/// A certificate from outside is used as it is; what is none is refused, without a word of the key.
#[tokio::test]
async fn certificates_from_outside_are_used_or_refused() {
    let directory = tempfile::tempdir().unwrap();
    let builder = MockServer::builder()
        .data_dir(directory.path())
        .tls(Tls::generated());
    builder.start().await.unwrap().shutdown().await;
    let read = |name: &str| std::fs::read_to_string(directory.path().join(name)).unwrap();
    let (certificate, key) = (read("tls-certificate.pem"), read("tls-key.pem"));
    let server = MockServer::builder()
        .tls(Tls::pem(&*certificate, &*key))
        .start()
        .await
        .unwrap();
    assert_eq!(server.certificate_pem(), Some(&*certificate));
    connect(&server, "localhost", b"http/1.1").await.unwrap();
    server.shutdown().await;
    let other = directory.path().join("other");
    MockServer::builder()
        .data_dir(&other)
        .tls(Tls::generated())
        .start()
        .await
        .unwrap()
        .shutdown()
        .await;
    let other_key = std::fs::read_to_string(other.join("tls-key.pem")).unwrap();
    for (certificate, key) in [
        ("", &*key),
        ("nonsense", &*key),
        (&*certificate, "nonsense"),
        (&*certificate, &*other_key),
    ] {
        let error = MockServer::builder()
            .tls(Tls::pem(certificate, key))
            .start()
            .await
            .unwrap_err();
        assert!(matches!(error, StartError::Tls { .. }), "{error}");
        assert!(key.len() < 20 || !format!("{error} {error:?}").contains(&key[40..60]));
    }
}

/// HTTP/2 carries a stream and other requests side by side on one connection; a stream that is cut resets itself alone,
/// and a connection that is told to go away says so and ends after its answers.
#[tokio::test]
async fn http2_carries_streams_side_by_side() {
    let server = MockServer::builder().tls(Tls::generated()).start().await.unwrap();
    let (mut sender, connection) = http2(&server).await;
    let body = serde_json::json!({
        "agent_deployment_id": server.deployment_id(), "principal_id": server.principal_id(),
    });
    // A Session, created on a connection of its own.
    let stream = connect(&server, "localhost", b"h2").await.unwrap();
    let handshake = http2::handshake(TokioExecutor::new(), TokioIo::new(stream))
        .await
        .unwrap();
    let (mut poster, posting) = handshake;
    tokio::spawn(posting);
    let request = Request::post(format!("{}/v1/sessions", server.url()))
        .header("authorization", format!("Bearer {}", server.api_key()))
        .header("content-type", "application/json")
        .body(http_body_util::Full::new(Bytes::from(body.to_string())))
        .unwrap();
    let created = poster.send_request(request).await.unwrap();
    let created: serde_json::Value =
        serde_json::from_slice(&created.into_body().collect().await.unwrap().to_bytes()).unwrap();
    let session = created["id"].as_str().unwrap();
    let path = format!("/v1/sessions/{session}/events/stream");
    let mut open = sender
        .send_request(get(&server, &path))
        .await
        .unwrap()
        .into_body();
    let first = open.frame().await.unwrap().unwrap().into_data().unwrap();
    assert!(first.starts_with(b": connected\n\n"));
    let beside = sender.send_request(get(&server, "/v1/sessions")).await.unwrap();
    assert_eq!(beside.status(), 200);

    let faults = server.control().faults();
    faults.plan(Fault::new(On::any(), Cut::new(How::Reset, Point::Event).after(1)));
    let mut cut = sender
        .send_request(get(&server, &path))
        .await
        .unwrap()
        .into_body();
    let ended = loop {
        match cut.frame().await {
            Some(Ok(_)) => {}
            ended => break ended,
        }
    };
    let error = ended.expect("the stream was closed, not reset").unwrap_err();
    assert!(
        error.to_string().contains("stream") || format!("{error:?}").contains("Reset"),
        "{error:?}"
    );
    let beside = sender.send_request(get(&server, "/v1/sessions")).await.unwrap();
    assert_eq!(beside.status(), 200);

    drop(open);
    faults.plan(Fault::new(On::any(), GoAway {}));
    let last = sender.send_request(get(&server, "/v1/sessions")).await.unwrap();
    assert_eq!(last.status(), 200);
    last.into_body().collect().await.unwrap();
    tokio::time::timeout(PATIENCE, connection)
        .await
        .unwrap()
        .unwrap()
        .unwrap();
    server.shutdown().await;
}

/// A connection that sends no request, a head that never ends, and a handshake that never comes are closed after the idle
/// limit; one with a request under way is not.
#[tokio::test]
async fn connections_of_no_use_are_closed() {
    for tls in [false, true] {
        let mut builder = MockServer::builder().idle_limit(Duration::from_millis(100));
        if tls {
            builder = builder.tls(Tls::generated());
        }
        let server = builder.start().await.unwrap();
        for sent in ["", "GET /heal", "GET /healthz HTTP/1.1\r\nhost: x\r\nx-never: "] {
            let mut socket = TcpStream::connect(server.address()).await.unwrap();
            socket.write_all(sent.as_bytes()).await.unwrap();
            let mut rest = Vec::new();
            // Closed is closed, in whichever way.
            let _ = tokio::time::timeout(PATIENCE, socket.read_to_end(&mut rest))
                .await
                .unwrap();
        }
        if tls {
            let (mut sender, connection) = http2(&server).await;
            let answer = sender.send_request(get(&server, "/v1/sessions")).await.unwrap();
            answer.into_body().collect().await.unwrap();
            tokio::time::timeout(PATIENCE, connection)
                .await
                .unwrap()
                .unwrap()
                .unwrap();
        }
        server.shutdown().await;
    }
    let world = World::with(MockServer::builder().idle_limit(Duration::from_millis(50))).await;
    let session = world.session().await;
    let mut stream = crate::support::frames::Frames::open(&world.client, &session, Some(1)).await;
    stream.next().await.unwrap();
    let silent = tokio::time::timeout(Duration::from_millis(300), stream.next()).await;
    assert!(silent.is_err(), "a stream under way was closed: {silent:?}");
}

/// More connections than the limit wait until another one ends.
#[tokio::test]
async fn connections_over_the_limit_wait() {
    let world = World::with(MockServer::builder().max_connections(2)).await;
    let session = world.session().await;
    let open = async || crate::support::frames::Frames::open(&world.client, &session, None).await;
    let (one, mut two) = (open().await, open().await);
    let waiting = world.client.clone();
    let mut third = tokio::spawn(async move { waiting.get("/healthz").await.status });
    let early = tokio::time::timeout(Duration::from_millis(200), &mut third).await;
    assert!(early.is_err(), "the third connection was served");
    drop(one);
    assert_eq!(tokio::time::timeout(PATIENCE, third).await.unwrap().unwrap(), 200);
    assert_eq!(two.event().await.unwrap()["seq"], 1);
}

/// WIRE-2: heads that are too large, targets that are too long, and bytes that are no HTTP get their answers, each in
/// bounded time and memory, and nothing changes.
#[tokio::test]
async fn what_is_no_request_is_refused() {
    let world = World::new().await;
    let key = world.server.api_key();
    let many = (0..200)
        .map(|number| format!("x-{number}: y\r\n"))
        .collect::<String>();
    let large = format!("x-large: {}\r\n", "y".repeat(1024 * 1024));
    for (request, status) in [
        (
            format!("GET /v1/sessions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer {key}\r\n{many}\r\n"),
            431,
        ),
        (
            format!("GET /v1/sessions HTTP/1.1\r\nhost: x\r\n{large}\r\n"),
            431,
        ),
        (
            format!("GET /{} HTTP/1.1\r\nhost: x\r\n\r\n", "y".repeat(70_000)),
            414,
        ),
        ("NONSENSE\r\n\r\n".to_owned(), 400),
        (
            format!("GET /v1/sessions HTTP/1.1\r\nauthorization: Bearer {key}\r\n\r\n"),
            400,
        ),
        (
            format!("GET /v1/sessions HTTP/1.1\r\nhost: x\r\nhost: y\r\nauthorization: Bearer {key}\r\n\r\n"),
            400,
        ),
        ("GET / HTTP/9.9\r\n\r\n".to_owned(), 400),
        (
            "GET /v1/sessions HTTP/1.1\r\nhost: x\r\nbad header\r\n\r\n".to_owned(),
            400,
        ),
        (
            "POST /v1/sessions HTTP/1.1\r\nhost: x\r\ncontent-length: ten\r\n\r\n".to_owned(),
            400,
        ),
    ] {
        let mut socket = TcpStream::connect(world.server.address()).await.unwrap();
        // The server may have answered and closed before everything was sent.
        let _ = socket.write_all(request.as_bytes()).await;
        let mut head = [0; 12];
        match tokio::time::timeout(PATIENCE, socket.read_exact(&mut head))
            .await
            .unwrap()
        {
            Ok(_) => assert_eq!(&head, format!("HTTP/1.1 {status}").as_bytes()),
            // RST overtakes an answer to what was not read.
            Err(error) => assert_eq!((status, error.kind()), (431, std::io::ErrorKind::ConnectionReset)),
        }
    }
    let sessions = world.client.get("/v1/sessions").await.ok(200);
    assert_eq!(sessions["data"], serde_json::json!([]));
    let closed = exchange(world.server.address(), "NONSENSE\r\n\r\n").await;
    assert_eq!(closed.end, End::Closed);
}
