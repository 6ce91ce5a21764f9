//! TLS: where the certificate comes from, and what is done with it.

use std::fmt;
use std::net::IpAddr;
use std::path::Path;
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tokio_rustls::TlsAcceptor;

use super::certificate::{self, Certificate};
use super::error::StartError;

/// Serves `https`, with HTTP/2 for clients that ask for it (by ALPN, before HTTP/1.1); plain `http` is then not served.
///
/// ```
/// use checkfu_mock_server::{MockServer, Tls};
///
/// # #[tokio::main]
/// # async fn main() -> Result<(), checkfu_mock_server::StartError> {
/// let server = MockServer::builder().tls(Tls::generated()).start().await?;
/// assert!(server.url().starts_with("https://127.0.0.1:"));
/// let trust_this = server.certificate_pem().unwrap_or_default();
/// assert!(trust_this.contains("BEGIN CERTIFICATE"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Tls(Source);

#[derive(Clone)]
enum Source {
    Generated { names: Vec<String> },
    Pem { certificates: Vec<u8>, key: Vec<u8> },
}

impl Tls {
    /// A certificate that the server makes for itself at its start, for `localhost`, `127.0.0.1`, `::1` and the address
    /// that it listens on. With a data directory it is kept there, so that it is the same after a restart.
    pub fn generated() -> Self {
        Self(Source::Generated { names: Vec::new() })
    }

    /// The same with more host names or addresses.
    pub fn generated_for(names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self(Source::Generated {
            names: names.into_iter().map(Into::into).collect(),
        })
    }

    /// A certificate with its chain, and its private key (PKCS#8, SEC1 or PKCS#1), both as PEM.
    pub fn pem(certificates: impl Into<Vec<u8>>, key: impl Into<Vec<u8>>) -> Self {
        Self(Source::Pem {
            certificates: certificates.into(),
            key: key.into(),
        })
    }

    /// Makes, finds or checks the certificate.
    pub(super) fn identity(&self, host: IpAddr, directory: Option<&Path>) -> Result<Identity, StartError> {
        match &self.0 {
            Source::Generated { names } => {
                let Certificate { pem, key_pem } = certificate::find_or_make(names, host, directory)?;
                identity(pem.as_bytes(), key_pem.as_bytes())
            }
            Source::Pem { certificates, key } => identity(certificates, key),
        }
    }
}

/// What TLS is spoken with.
#[derive(Clone)]
pub(super) struct Identity {
    pub(super) acceptor: TlsAcceptor,
    pub(super) certificate_pem: String,
}

fn identity(certificates: &[u8], key: &[u8]) -> Result<Identity, StartError> {
    let refused = |problem: String| StartError::Tls { problem };
    let chain = CertificateDer::pem_slice_iter(certificates)
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| refused(format!("the certificate is not PEM: {error}")))?;
    if chain.is_empty() {
        let problem = match PrivateKeyDer::from_pem_slice(certificates) {
            Ok(_) => {
                "the certificate's PEM text holds a private key, no certificate; give the two the other way round"
            }
            Err(_) => "there is no certificate in the PEM text",
        };
        return Err(refused(problem.to_owned()));
    }
    // What is wrong with a key is not told further than that.
    let key = PrivateKeyDer::from_pem_slice(key)
        .map_err(|_| refused("there is no private key in the PEM text".to_owned()))?;
    let mut config = ServerConfig::builder_with_provider(Arc::new(aws_lc_rs::default_provider()))
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, key))
        .map_err(|error| match error {
            rustls::Error::InconsistentKeys(_) => {
                refused("the private key does not belong to the certificate".to_owned())
            }
            other => refused(other.to_string()),
        })?;
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(Identity {
        acceptor: TlsAcceptor::from(Arc::new(config)),
        certificate_pem: String::from_utf8_lossy(certificates).into_owned(),
    })
}

impl fmt::Debug for Tls {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let source = match &self.0 {
            Source::Generated { .. } => "generated",
            Source::Pem { .. } => "pem",
        };
        formatter.debug_tuple("Tls").field(&source).finish()
    }
}

impl fmt::Debug for Identity {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Identity").finish_non_exhaustive()
    }
}
