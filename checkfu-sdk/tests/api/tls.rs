//! Certificates: whom the client trusts, and how it tells who it is.

use std::sync::{Arc, Mutex};

use checkfu_sdk::client::ClientBuilder;
use checkfu_sdk::error::{ConfigError, TransportErrorKind};
use checkfu_sdk::retry::RetryPolicy;
use checkfu_sdk::{Client, Error};
use rcgen::ExtendedKeyUsagePurpose::{ClientAuth, ServerAuth};
use rcgen::KeyPair;
use serde_json::json;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::support::event::session;
use crate::support::shown::shown;
use crate::support::tls::Authority;

/// A private key in the form of SEC 1, of this test alone.
const SEC1_KEY: &str = "-----BEGIN EC PRIVATE KEY-----
MHcCAQEEIKYtntzHmGs87Hu2H2bJHJoRMmAZGG/f9Olfg3kMb5LEoAoGCCqGSM49
AwEHoUQDQgAEm5v1qGiE1Ywy2Ebi7t89XuSGLuA/ctwDO0Sqgw1qtVgESuh9xqCC
fHH2BCWMQTzMCj3OS1tbT7JWcpCX9s/cdA==
-----END EC PRIVATE KEY-----
";

/// Answers every request over TLS with a Session, and writes down what it heard.
struct TlsServer {
    url: String,
    heads: Arc<Mutex<Vec<String>>>,
}

impl TlsServer {
    async fn start(acceptor: TlsAcceptor) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = format!("https://{}", listener.local_addr().unwrap());
        let heads = Arc::new(Mutex::new(Vec::new()));
        let heard = Arc::clone(&heads);
        tokio::spawn(async move {
            while let Ok((socket, _)) = listener.accept().await {
                let Ok(mut stream) = acceptor.accept(socket).await else {
                    continue;
                };
                let mut head = Vec::new();
                while !head.ends_with(b"\r\n\r\n")
                    && stream.read_buf(&mut head).await.is_ok_and(|read| read > 0)
                {}
                if head.is_empty() {
                    continue;
                }
                heard.lock().unwrap().push(String::from_utf8(head).unwrap());
                let body = session("idle", json!("end_turn"), 1).to_string();
                let head = format!(
                    "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
                    body.len()
                );
                let _ = stream.write_all(format!("{head}{body}").as_bytes()).await;
                let _ = stream.shutdown().await;
            }
        });
        Self { url, heads }
    }

    fn builder(&self) -> ClientBuilder {
        Client::builder()
            .base_url(&self.url)
            .api_key("key-of-the-test")
            .retry_policy(RetryPolicy::never())
    }

    fn heard(&self) -> usize {
        self.heads.lock().unwrap().len()
    }
}

async fn retrieve(builder: ClientBuilder) -> Result<(), Error> {
    let client = builder.build().unwrap();
    client.sessions().retrieve(&"sess_1".into()).await.map(drop)
}

/// A server whose authority nobody knows is not spoken to; with the authority as a further root it is. A root of another
/// name changes nothing, and the key goes nowhere before the server is known.
#[tokio::test]
async fn a_further_root_is_trusted_and_no_other() {
    let (authority, stranger) = (Authority::new("ours"), Authority::new("a stranger"));
    let server = TlsServer::start(authority.acceptor(&["http/1.1"], None)).await;
    for builder in [
        server.builder(),
        server.builder().root_certificate_pem(stranger.pem()),
    ] {
        let error = retrieve(builder).await.unwrap_err();
        let Error::Transport(transport) = &error else {
            panic!("{error:?}");
        };
        assert_eq!(transport.kind(), TransportErrorKind::Connect, "{error:?}");
        let shown = shown(&error);
        assert!(!shown.contains("key-of-the-test"), "{shown}");
    }
    assert_eq!(server.heard(), 0);
    let bundle = format!("{}\nwords between\n{}", stranger.pem(), authority.pem());
    retrieve(server.builder().root_certificate_pem(bundle))
        .await
        .unwrap();
    let both = server.builder().root_certificate_pem(stranger.pem());
    retrieve(both.root_certificate_pem(authority.pem()))
        .await
        .unwrap();
    assert_eq!(server.heard(), 2);
    assert!(server.heads.lock().unwrap()[0].contains("authorization: Bearer key-of-the-test"));
}

/// A further root is enough: the machine need not have any certificate of its own.
#[cfg(feature = "rustls")]
#[test]
fn a_further_root_is_enough() {
    let nowhere = [
        ("SSL_CERT_FILE", "/nowhere/cert.pem"),
        ("SSL_CERT_DIR", "/nowhere"),
    ];
    crate::support::alone::run_alone("tls::alone_with_one_root", &nowhere);
}

#[cfg(feature = "rustls")]
#[tokio::test]
#[ignore = "half of a_further_root_is_enough, which starts it in a process of its own"]
async fn alone_with_one_root() {
    let authority = Authority::new("ours");
    let server = TlsServer::start(authority.acceptor(&["http/1.1"], None)).await;
    retrieve(server.builder().root_certificate_pem(authority.pem()))
        .await
        .unwrap();
}

/// A server that asks for a certificate is given the client's, and speaks to nobody without one or with another's.
#[tokio::test]
async fn a_client_certificate_is_given_where_it_is_asked_for() {
    let (authority, clients) = (Authority::new("ours"), Authority::new("of clients"));
    let server = TlsServer::start(authority.acceptor(&["http/1.1"], Some(&clients))).await;
    let builder = || server.builder().root_certificate_pem(authority.pem());
    let mine = clients.issue("me", ClientAuth);
    let forged = Authority::new("of clients").issue("me", ClientAuth);
    for builder in [
        builder(),
        builder().client_certificate_pem(forged.certificate, forged.private_key),
    ] {
        let error = retrieve(builder).await.unwrap_err();
        assert!(
            error.is_retryable() && matches!(error, Error::Transport(_)),
            "{error:?}"
        );
        let shown = shown(&error);
        assert!(
            !shown.contains("key-of-the-test") && !shown.contains("PRIVATE"),
            "{shown}"
        );
    }
    assert_eq!(server.heard(), 0);
    let builder = builder().client_certificate_pem(mine.certificate, mine.private_key);
    assert_eq!(format!("{builder:#?}"), "ClientBuilder { .. }");
    retrieve(builder).await.unwrap();
    assert_eq!(server.heard(), 1);
}

/// A private key may stand among words, as programs that make one write them. In another form than PKCS #8 rustls takes it,
/// and native-tls does not: that is told when the client is built, with the form to give.
#[tokio::test]
async fn a_private_key_has_a_form_that_the_library_takes() {
    let (authority, clients) = (Authority::new("ours"), Authority::new("of clients"));
    let server = TlsServer::start(authority.acceptor(&["http/1.1"], Some(&clients))).await;
    let builder = || server.builder().root_certificate_pem(authority.pem());
    let mine = clients.issue("me", ClientAuth);
    let among_words = format!("Bag Attributes\n    friendlyName: me\n{}", mine.private_key);
    retrieve(builder().client_certificate_pem(mine.certificate, among_words))
        .await
        .unwrap();
    assert_eq!(server.heard(), 1);
    let other_form = KeyPair::from_pem(SEC1_KEY).unwrap();
    let builder = builder().client_certificate_pem(clients.certify("me", ClientAuth, &other_form), SEC1_KEY);
    if cfg!(feature = "rustls") {
        retrieve(builder).await.unwrap();
        assert_eq!(server.heard(), 2);
        return;
    }
    let error = builder.build().unwrap_err();
    let shown = shown(&error);
    assert!(
        matches!(&error, Error::Config(config) if matches!(&**config, ConfigError::InvalidSetting {
            name: "client_certificate_pem",
            ..
        })),
        "{error:?}"
    );
    assert!(
        shown.contains("give it in PEM, as PKCS #8") && !shown.contains("MHcC"),
        "{shown}"
    );
}

/// PEM that cannot be used is refused when the client is built, by the name of the setting and with what to do; nothing of
/// a private key is repeated.
#[test]
fn unusable_pem_is_refused_by_name() {
    let authority = Authority::new("ours");
    let (one, other) = (authority.issue("a", ClientAuth), authority.issue("b", ServerAuth));
    let block =
        |kind: &str, content: &str| format!("-----BEGIN {kind}-----\n{content}\n-----END {kind}-----\n");
    let no_certificate = block("CERTIFICATE", "c2VjcmV0IG1hdGVyaWFs");
    let roots = [
        String::new(),
        "secret material".to_owned(),
        one.private_key.clone(),
        no_certificate.clone(),
        block("CERTIFICATE", "secret!material"),
        format!("{}{no_certificate}", authority.pem()),
    ];
    let builder = || Client::builder().base_url("https://h.example").api_key("k");
    let mut cases: Vec<_> = roots
        .into_iter()
        .map(|pem| ("root_certificate_pem", builder().root_certificate_pem(pem)))
        .collect();
    for (certificate, key) in [
        (String::new(), one.private_key.clone()),
        (no_certificate, one.private_key.clone()),
        (one.certificate.clone(), String::new()),
        (one.certificate.clone(), "secret material".to_owned()),
        (one.certificate.clone(), one.certificate.clone()),
        (
            one.certificate.clone(),
            block("PRIVATE KEY", "c2VjcmV0IG1hdGVyaWFs"),
        ),
        (one.certificate.clone(), block("PRIVATE KEY", "secret!material")),
        (
            one.certificate.clone(),
            block("ENCRYPTED PRIVATE KEY", "c2VjcmV0IG1hdGVyaWFs"),
        ),
        (one.certificate.clone(), other.private_key.clone()),
    ] {
        cases.push((
            "client_certificate_pem",
            builder().client_certificate_pem(certificate, key),
        ));
    }
    let secret_lines: Vec<_> = [&one.private_key, &other.private_key]
        .into_iter()
        .flat_map(|key| key.lines().filter(|line| !line.starts_with('-')))
        .collect();
    for (number, (setting, builder)) in cases.into_iter().enumerate() {
        let error = builder.build().unwrap_err();
        let Error::Config(config) = &error else {
            panic!("{number}: {error:?}");
        };
        assert!(
            matches!(&**config, ConfigError::InvalidSetting { name, .. } if *name == setting),
            "{number}: {error:?}"
        );
        let shown = shown(&error);
        assert!(
            !shown.contains("secret")
                && !shown.contains("c2Vj")
                && !secret_lines.iter().any(|line| shown.contains(line)),
            "{number}: {shown}"
        );
        assert!(
            shown.contains("; give") || shown.contains("is not that"),
            "{number}: {shown}"
        );
    }
    builder()
        .client_certificate_pem(one.certificate, one.private_key)
        .build()
        .unwrap();
}
