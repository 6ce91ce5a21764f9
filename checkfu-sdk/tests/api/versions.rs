//! The version that a client speaks, and the workspace that it acts in, against the reference server.

use std::sync::{Arc, Mutex};

use checkfu_mock_server::MockServer;
use checkfu_sdk::client::ClientBuilder;
use checkfu_sdk::error::{ErrorCode, StopCause};
use checkfu_sdk::{Client, Error, SessionId};
use futures::StreamExt;
use http::StatusCode;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

/// Passes one request on for each connection, with another version of the same length, and remembers its head.
struct Translator {
    url: String,
    heads: Arc<Mutex<Vec<String>>>,
}

impl Translator {
    async fn start(server: &MockServer, version: &'static str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let heads = Arc::new(Mutex::new(Vec::new()));
        let (address, heard) = (server.address(), Arc::clone(&heads));
        tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                let mut server = TcpStream::connect(address).await.unwrap();
                let heard = Arc::clone(&heard);
                tokio::spawn(async move {
                    let mut head = Vec::new();
                    while !head.ends_with(b"\r\n\r\n") {
                        if client.read_buf(&mut head).await.unwrap_or(0) == 0 {
                            return;
                        }
                    }
                    let head = String::from_utf8(head).unwrap();
                    let translated = head.replace("checkfu-version: 2026-08-31", version);
                    heard.lock().unwrap().push(head);
                    server.write_all(translated.as_bytes()).await.unwrap();
                    let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
                });
            }
        });
        Self { url, heads }
    }

    fn builder(&self, server: &MockServer) -> ClientBuilder {
        Client::builder().base_url(&self.url).api_key(server.api_key())
    }
}

async fn session(server: &MockServer) -> SessionId {
    let client = Client::builder().base_url(server.url()).api_key(server.api_key());
    let client = client.build().unwrap();
    let create = client
        .sessions()
        .create(server.deployment_id(), server.principal_id());
    create.send().await.unwrap().id().clone()
}

/// A-VER: every request names the version, and a workspace only where one is set. A version that the server does not know
/// is a typed refusal of a call and of a stream, after one request each.
#[tokio::test]
async fn an_unknown_version_is_told_and_not_tried_again() {
    let server = MockServer::builder().start().await.unwrap();
    let id = session(&server).await;
    let translator = Translator::start(&server, "checkfu-version: 2026-08-32").await;
    // One for each, so that no connection has a second request.
    let client = || translator.builder(&server).build().unwrap();
    let call = client().sessions().retrieve(&id).await.unwrap_err();
    assert_eq!(call.attempts().unwrap().stopped, StopCause::NotRetryable);
    let mut events = client().sessions().events(&id).stream().open();
    let stream = events.next().await.unwrap().unwrap_err();
    assert!(events.next().await.is_none());
    for error in [call, stream] {
        assert!(!error.is_retryable());
        let Error::Api(error) = error else {
            panic!("{error:?}")
        };
        assert_eq!(error.status(), StatusCode::BAD_REQUEST);
        assert_eq!(error.code(), Some(&ErrorCode::UnsupportedVersion));
        assert_eq!(error.param(), Some("Checkfu-Version"));
    }
    let heads = translator.heads.lock().unwrap().clone();
    assert_eq!(heads.len(), 2);
    for head in heads {
        assert!(head.contains("\r\ncheckfu-version: 2026-08-31\r\n"), "{head}");
        assert!(!head.contains("checkfu-workspace"), "{head}");
    }
    server.shutdown().await;
}

/// A-VER: in the workspace of the key all is as without one; in another one the same ids are unknown, to a call and to a
/// stream.
#[tokio::test]
async fn ids_of_another_workspace_are_unknown() {
    let server = MockServer::builder().start().await.unwrap();
    let id = session(&server).await;
    let builder = || Client::builder().base_url(server.url()).api_key(server.api_key());
    let own = builder().workspace(server.workspace_id()).build().unwrap();
    assert_eq!(own.sessions().retrieve(&id).await.unwrap().id(), &id);
    let other = builder()
        .workspace("wksp_00000000000000000000000000000000")
        .build()
        .unwrap();
    let call = other.sessions().retrieve(&id).await.unwrap_err();
    let stream = other.sessions().events(&id).stream().open().next().await;
    for error in [call, stream.unwrap().unwrap_err()] {
        assert_eq!(error.status(), Some(StatusCode::NOT_FOUND));
        assert!(!error.is_retryable());
    }
    server.shutdown().await;
}
