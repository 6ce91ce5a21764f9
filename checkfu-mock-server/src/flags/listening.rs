//! Flags of the listener.

use std::convert::Infallible;
use std::fs;
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::time::Duration;

use checkfu_mock_server::{MockServerBuilder, Tls};
use clap::{Args, value_parser};

use super::environment::parse_switch;
use super::error::FlagError;

/// Where and how to listen.
#[derive(Debug, Args)]
pub(super) struct Listening {
    /// Address to listen on.
    #[arg(long, env = "CHECKFU_MOCK_HOST", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,

    /// Port to listen on; 0 takes a free one.
    #[arg(long, env = "CHECKFU_MOCK_PORT", default_value_t = 0)]
    port: u16,

    /// Serve https (HTTP/1.1 and HTTP/2) with a certificate that the server makes, and keeps in the data directory.
    #[arg(long, env = "CHECKFU_MOCK_TLS", conflicts_with = "tls_certificate", value_parser = parse_switch)]
    tls: bool,

    /// Another host name or address for the certificate; may be repeated, or separated by commas.
    #[arg(
        long = "tls-name",
        env = "CHECKFU_MOCK_TLS_NAMES",
        value_delimiter = ',',
        value_parser = trimmed,
        requires = "tls",
        conflicts_with = "tls_certificate"
    )]
    tls_names: Vec<String>,

    /// Serve https with the certificate chain in this PEM file.
    #[arg(long, env = "CHECKFU_MOCK_TLS_CERTIFICATE", requires = "tls_key")]
    tls_certificate: Option<PathBuf>,

    /// The PEM file of that certificate's private key.
    #[arg(long, env = "CHECKFU_MOCK_TLS_KEY", requires = "tls_certificate")]
    tls_key: Option<PathBuf>,

    /// How long the body of a request may take to arrive, in milliseconds.
    #[arg(long, env = "CHECKFU_MOCK_BODY_LIMIT_MS", default_value_t = 60_000, value_parser = value_parser!(u64).range(1..))]
    body_limit_ms: u64,

    /// How long a head may take to arrive, and a connection may have nothing to do, in milliseconds.
    #[arg(long, env = "CHECKFU_MOCK_IDLE_LIMIT_MS", default_value_t = 60_000, value_parser = value_parser!(u64).range(1..))]
    idle_limit_ms: u64,

    /// How many connections are served at a time; further ones wait.
    #[arg(long, env = "CHECKFU_MOCK_MAX_CONNECTIONS", default_value_t = 10_000, value_parser = value_parser!(u32).range(1..))]
    max_connections: u32,

    /// How long a shutdown waits for requests that are being answered, in milliseconds; at most 10 minutes.
    #[arg(long, env = "CHECKFU_MOCK_DRAIN_MS", default_value_t = 9_000, value_parser = value_parser!(u64).range(..=600_000))]
    drain_ms: u64,
}

impl Listening {
    /// What was said about TLS.
    pub(super) fn tls_flags(&self) -> String {
        match (&self.tls_certificate, &self.tls_key) {
            (Some(certificate), Some(key)) => format!(
                "--tls-certificate {}, --tls-key {}",
                certificate.display(),
                key.display()
            ),
            _ => format!("--tls, --tls-name {}", self.tls_names.join(",")),
        }
    }

    pub(super) fn apply(&self, builder: MockServerBuilder) -> Result<MockServerBuilder, FlagError> {
        let builder = builder
            .host(self.host)
            .port(self.port)
            .body_limit(Duration::from_millis(self.body_limit_ms))
            .idle_limit(Duration::from_millis(self.idle_limit_ms))
            .max_connections(usize::try_from(self.max_connections).unwrap_or(usize::MAX))
            .drain(Duration::from_millis(self.drain_ms));
        if let (Some(certificate), Some(key)) = (&self.tls_certificate, &self.tls_key) {
            let tls = Tls::pem(
                read("--tls-certificate (CHECKFU_MOCK_TLS_CERTIFICATE)", certificate)?,
                read("--tls-key (CHECKFU_MOCK_TLS_KEY)", key)?,
            );
            return Ok(builder.tls(tls));
        }
        if self.tls {
            return Ok(builder.tls(Tls::generated_for(&self.tls_names)));
        }
        Ok(builder)
    }
}

/// Blanks around a name are those of a list.
fn trimmed(text: &str) -> Result<String, Infallible> {
    Ok(text.trim().to_owned())
}

fn read(flag: &'static str, path: &Path) -> Result<Vec<u8>, FlagError> {
    fs::read(path).map_err(|source| FlagError::File {
        flag,
        path: path.to_owned(),
        source,
    })
}
