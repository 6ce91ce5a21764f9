use std::sync::Arc;

use rcgen::{
    BasicConstraints, CertificateParams, CertifiedIssuer, DnType, ExtendedKeyUsagePurpose, IsCa, KeyPair,
    KeyUsagePurpose,
};
use rustls::crypto::aws_lc_rs;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig};
use tokio_rustls::TlsAcceptor;

/// A certificate authority of a test's own, which no machine knows.
pub(crate) struct Authority(CertifiedIssuer<'static, KeyPair>);

/// A certificate and its private key, as PEM.
pub(crate) struct Certified {
    pub(crate) certificate: String,
    pub(crate) private_key: String,
}

impl Authority {
    pub(crate) fn new(name: &str) -> Self {
        let mut params = CertificateParams::new(Vec::new()).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::DigitalSignature];
        let key = KeyPair::generate().unwrap();
        Self(CertifiedIssuer::self_signed(params, key).unwrap())
    }

    pub(crate) fn pem(&self) -> String {
        self.0.pem()
    }

    pub(crate) fn issue(&self, name: &str, purpose: ExtendedKeyUsagePurpose) -> Certified {
        let key = KeyPair::generate().unwrap();
        Certified {
            certificate: self.certify(name, purpose, &key),
            private_key: key.serialize_pem(),
        }
    }

    /// A certificate for a key that is there, as PEM.
    pub(crate) fn certify(&self, name: &str, purpose: ExtendedKeyUsagePurpose, key: &KeyPair) -> String {
        let mut params = CertificateParams::new(vec![name.to_owned()]).unwrap();
        params.distinguished_name.push(DnType::CommonName, name);
        params.extended_key_usages = vec![purpose];
        params.signed_by(key, &self.0).unwrap().pem()
    }

    /// A server of 127.0.0.1 that speaks these protocols over TLS, and asks for a client's certificate by `clients`.
    pub(crate) fn acceptor(&self, protocols: &[&str], clients: Option<&Authority>) -> TlsAcceptor {
        let server = self.issue("127.0.0.1", ExtendedKeyUsagePurpose::ServerAuth);
        let provider = Arc::new(aws_lc_rs::default_provider());
        let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .unwrap();
        let builder = match clients {
            Some(clients) => {
                let mut roots = RootCertStore::empty();
                roots.add(clients.0.der().clone()).unwrap();
                let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
                builder.with_client_cert_verifier(verifier.build().unwrap())
            }
            None => builder.with_no_client_auth(),
        };
        let certificate = CertificateDer::from_pem_slice(server.certificate.as_bytes()).unwrap();
        let key = PrivateKeyDer::from_pem_slice(server.private_key.as_bytes()).unwrap();
        let mut config = builder.with_single_cert(vec![certificate], key).unwrap();
        config.alpn_protocols = protocols.iter().map(|name| name.as_bytes().to_vec()).collect();
        TlsAcceptor::from(Arc::new(config))
    }
}
