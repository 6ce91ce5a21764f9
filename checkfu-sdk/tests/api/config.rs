use checkfu_sdk::error::ConfigError;
use checkfu_sdk::{Client, Error};

use crate::support::alone::run_alone;

fn config_error(result: Result<Client, Error>) -> ConfigError {
    match result {
        Err(Error::Config(error)) => *error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_client_needs_a_key_and_a_usable_base_url() {
    assert!(matches!(
        config_error(Client::builder().build()),
        ConfigError::MissingApiKey
    ));
    for key in ["", " ", "a\nb", " padded", "caf\u{0}"] {
        let error = config_error(Client::builder().base_url("http://h").api_key(key).build());
        assert!(matches!(error, ConfigError::InvalidApiKey), "{key:?}: {error:?}");
    }
    for url in [
        "",
        "api.checkfu.com",
        "/v1",
        "ftp://h",
        "http://u:p@h",
        "http://h?x=1",
        "http://h#x",
        "mailto:a@b",
    ] {
        let error = config_error(Client::builder().base_url(url).api_key("k").build());
        assert!(
            matches!(error, ConfigError::InvalidBaseUrl { .. }),
            "{url:?}: {error:?}"
        );
        assert!(error.to_string().starts_with("base URL: it "), "{error}");
    }
    let workspace = Client::builder()
        .base_url("http://h")
        .api_key("k")
        .workspace("a\nb");
    assert!(matches!(
        config_error(workspace.build()),
        ConfigError::InvalidValue {
            name: "workspace",
            ..
        }
    ));
}

/// Without a TLS feature, https is refused when the client is built, and the default base URL is https.
#[cfg(not(any(feature = "rustls", feature = "native-tls")))]
#[test]
fn https_needs_a_tls_feature() {
    assert!(matches!(
        config_error(Client::builder().api_key("k").build()),
        ConfigError::TlsNotBuilt
    ));
}

/// A machine without any CA certificate builds a client for plain HTTP, and is told what it lacks for https.
#[test]
fn plain_http_needs_no_certificates() {
    let nowhere = [
        ("SSL_CERT_FILE", "/nowhere/cert.pem"),
        ("SSL_CERT_DIR", "/nowhere"),
    ];
    run_alone("config::alone_without_certificates", &nowhere);
}

#[tokio::test]
#[ignore = "half of plain_http_needs_no_certificates, which starts it in a process of its own"]
async fn alone_without_certificates() {
    let api = crate::support::fake_api::FakeApi::start().await;
    api.set_session(crate::support::event::session("idle", serde_json::Value::Null, 1));
    let client = api.client();
    client.sessions().retrieve(&api.session_id()).await.unwrap();
    #[cfg(feature = "rustls")]
    {
        let error = config_error(Client::builder().api_key("k").build());
        assert!(matches!(error, ConfigError::Tls { .. }), "{error:?}");
        assert!(std::error::Error::source(&error).is_some());
    }
}

/// The documented variables set up a client; the key and the workspace are sent.
#[test]
fn the_environment_sets_up_a_client() {
    run_alone("config::alone_in_an_empty_environment", &[]);
    let variables = [
        ("CHECKFU_API_KEY", "from-env"),
        ("CHECKFU_BASE_URL", "http://127.0.0.1:1"),
        ("CHECKFU_WORKSPACE_ID", "w"),
    ];
    run_alone("config::alone_in_a_full_environment", &variables);
}

#[test]
#[ignore = "half of the_environment_sets_up_a_client, which starts it in a process of its own"]
fn alone_in_an_empty_environment() {
    assert!(matches!(
        config_error(Client::from_env()),
        ConfigError::MissingApiKey
    ));
}

#[tokio::test]
#[ignore = "half of the_environment_sets_up_a_client, which starts it in a process of its own"]
async fn alone_in_a_full_environment() {
    let shown = format!("{:?}", Client::from_env().unwrap());
    assert!(
        shown.contains("http://127.0.0.1:1/") && !shown.contains("from-env"),
        "{shown}"
    );
    let api = crate::support::fake_api::FakeApi::start().await;
    api.set_session(crate::support::event::session("idle", serde_json::Value::Null, 1));
    let client = Client::builder()
        .environment()
        .unwrap()
        .base_url(api.url())
        .build()
        .unwrap();
    client.sessions().retrieve(&api.session_id()).await.unwrap();
    let request = &api.requests()[0];
    assert_eq!(request.headers["authorization"], "Bearer from-env");
    assert_eq!(request.headers["checkfu-workspace"], "w");
}
