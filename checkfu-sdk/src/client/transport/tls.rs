use crate::error::ConfigError;

/// What the caller adds to TLS, as PEM.
#[derive(Clone, Copy)]
pub(in crate::client) struct TlsSettings<'s> {
    pub(in crate::client) root_certificates: &'s [Vec<u8>],
    /// The certificate with its chain, and its private key.
    pub(in crate::client) client_certificate: Option<(&'s [u8], &'s [u8])>,
}

impl TlsSettings<'_> {
    fn is_empty(&self) -> bool {
        self.root_certificates.is_empty() && self.client_certificate.is_none()
    }
}

/// What is added to the platform's certificates, read and checked.
#[derive(Clone)]
pub(super) struct Tls {
    #[cfg(any(feature = "rustls", feature = "native-tls"))]
    roots: Vec<reqwest::Certificate>,
    #[cfg(any(feature = "rustls", feature = "native-tls"))]
    identity: Option<reqwest::Identity>,
}

#[cfg(not(any(feature = "rustls", feature = "native-tls")))]
impl Tls {
    pub(super) fn read(settings: TlsSettings<'_>) -> Result<Self, ConfigError> {
        if settings.is_empty() {
            Ok(Self {})
        } else {
            Err(ConfigError::TlsNotBuilt)
        }
    }

    pub(super) fn apply(&self, builder: reqwest::ClientBuilder, _: &str) -> reqwest::ClientBuilder {
        builder
    }
}

#[cfg(any(feature = "rustls", feature = "native-tls"))]
impl Tls {
    pub(super) fn read(settings: TlsSettings<'_>) -> Result<Self, ConfigError> {
        if settings.is_empty() {
            return Ok(Self {
                roots: Vec::new(),
                identity: None,
            });
        }
        let mut roots = Vec::new();
        for pem in settings.root_certificates {
            roots.extend(certificates("root_certificate_pem", pem)?);
        }
        let identity = settings
            .client_certificate
            .map(|(certificate, key)| identity(certificate, key))
            .transpose()?;
        Ok(Self { roots, identity })
    }

    /// Names the TLS back end and gives it what was added.
    ///
    /// The platform's CA certificates are loaded only where the base URL asks for TLS: a machine without any can
    /// still talk plain HTTP, and with redirects off no other scheme is ever reached.
    pub(super) fn apply(&self, builder: reqwest::ClientBuilder, scheme: &str) -> reqwest::ClientBuilder {
        let builder = back_end(builder);
        if scheme == "http" {
            return builder.tls_certs_only([]);
        }
        let builder = builder.tls_certs_merge(self.roots.iter().cloned());
        match &self.identity {
            Some(identity) => builder.identity(identity.clone()),
            None => builder,
        }
    }
}

#[cfg(any(feature = "rustls", feature = "native-tls"))]
fn back_end(builder: reqwest::ClientBuilder) -> reqwest::ClientBuilder {
    #[cfg(feature = "rustls")]
    let builder = builder.tls_backend_rustls();
    builder
}

/// Whether the TLS library takes it. Its own reason is not repeated: it may quote what it read.
#[cfg(any(feature = "rustls", feature = "native-tls"))]
fn is_taken(add: impl FnOnce(reqwest::ClientBuilder) -> reqwest::ClientBuilder) -> bool {
    let builder = back_end(reqwest::Client::builder()).no_proxy();
    add(builder).build().is_ok()
}

#[cfg(any(feature = "rustls", feature = "native-tls"))]
fn certificates(name: &'static str, pem: &[u8]) -> Result<Vec<reqwest::Certificate>, ConfigError> {
    let invalid = |reason| ConfigError::InvalidSetting { name, reason };
    let certificates = reqwest::Certificate::from_pem_bundle(pem).map_err(|_| {
        invalid("holds a block CERTIFICATE that is broken; give it in PEM, as the authority made it")
    })?;
    if certificates.is_empty() {
        return Err(invalid(
            "holds no certificate; give PEM with at least one block CERTIFICATE",
        ));
    }
    if !is_taken(|builder| builder.tls_certs_only(certificates.clone())) {
        return Err(invalid(
            "holds a certificate that cannot be read; give an X.509 certificate in PEM",
        ));
    }
    Ok(certificates)
}

#[cfg(any(feature = "rustls", feature = "native-tls"))]
fn identity(certificate: &[u8], key: &[u8]) -> Result<reqwest::Identity, ConfigError> {
    let invalid = |reason| ConfigError::InvalidSetting {
        name: "client_certificate_pem",
        reason,
    };
    certificates("client_certificate_pem", certificate)?;
    #[cfg(feature = "rustls")]
    let identity = reqwest::Identity::from_pem(&[certificate, b"\n", key].concat());
    #[cfg(not(feature = "rustls"))]
    let identity = reqwest::Identity::from_pkcs8_pem(certificate, from_its_block(key));
    let identity = identity.map_err(|_| {
        invalid("the private key cannot be read; give it in PEM, as PKCS #8 and without a password")
    })?;
    if !is_taken(|builder| builder.tls_certs_only([]).identity(identity.clone())) {
        return Err(invalid(
            "the private key is not that of the first certificate, or is of a kind that TLS does not take",
        ));
    }
    Ok(identity)
}

/// The key without the words before it: native-tls takes none, and rustls does.
#[cfg(all(feature = "native-tls", not(feature = "rustls")))]
fn from_its_block(key: &[u8]) -> &[u8] {
    const BEGIN: &[u8] = b"-----BEGIN PRIVATE KEY-----";
    let start = key.windows(BEGIN.len()).position(|window| window == BEGIN);
    start.and_then(|start| key.get(start..)).unwrap_or(key)
}
