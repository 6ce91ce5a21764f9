//! A certificate that the server makes for itself, and keeps.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::net::IpAddr;
use std::path::{Path, PathBuf};

use rcgen::{CertificateParams, DnType, ExtendedKeyUsagePurpose, KeyPair};
use rustls::pki_types::ServerName;

use super::error::StartError;
use crate::storage::error::StorageError;

const CERTIFICATE: &str = "tls-certificate.pem";
const KEY: &str = "tls-key.pem";

const HEADER: &str = "For ";

/// A certificate and its private key, as PEM.
pub(super) struct Certificate {
    pub(super) pem: String,
    pub(super) key_pem: String,
}

/// The one that the directory keeps if it is for the same names, else a new one, which is then kept.
pub(super) fn find_or_make(
    more: &[String],
    host: IpAddr,
    directory: Option<&Path>,
) -> Result<Certificate, StartError> {
    let is_name = |name: &&String| ServerName::try_from(name.as_str()).is_ok();
    if let Some(wrong) = more.iter().find(|name| !is_name(name)) {
        let problem = format!("{wrong:?} is neither a host name nor an address");
        return Err(StartError::Tls { problem });
    }
    let names = names(more, host);
    let Some(directory) = directory else {
        return make(&names);
    };
    let (certificate_path, key_path) = (directory.join(CERTIFICATE), directory.join(KEY));
    if let Some(kept) = find(&names, &certificate_path, &key_path)? {
        return Ok(kept);
    }
    let fresh = make(&names)?;
    write(&key_path, &fresh.key_pem, 0o600)?;
    write(&certificate_path, &fresh.pem, 0o644)?;
    Ok(fresh)
}

/// The names a client may reach the server by, each once, in a fixed order.
fn names(more: &[String], host: IpAddr) -> Vec<String> {
    let mut names: Vec<String> = ["localhost", "127.0.0.1", "::1"].map(str::to_owned).into();
    // What listens on every address cannot be reached by that one.
    names.extend((!host.is_unspecified()).then(|| host.to_string()));
    names.extend(more.iter().cloned());
    names.sort_unstable();
    names.dedup();
    names
}

fn find(names: &[String], certificate: &Path, key: &Path) -> Result<Option<Certificate>, StartError> {
    let read = |path: &Path| match fs::read_to_string(path) {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(source) => Err(failed(path, source)),
    };
    let (Some(pem), Some(key_pem)) = (read(certificate)?, read(key)?) else {
        return Ok(None);
    };
    let first = pem.lines().next().unwrap_or_default();
    if !first.starts_with(HEADER) {
        let problem = format!(
            "{} is no certificate that this server made; remove it, and a new one is made",
            certificate.display()
        );
        return Err(StartError::Tls { problem });
    }
    let same = first == header(names);
    Ok(same.then_some(Certificate { pem, key_pem }))
}

fn make(names: &[String]) -> Result<Certificate, StartError> {
    let refused = |error: rcgen::Error| StartError::Tls {
        problem: format!("a certificate for {} cannot be made: {error}", names.join(", ")),
    };
    let mut params = CertificateParams::new(names).map_err(refused)?;
    params
        .distinguished_name
        .push(DnType::CommonName, "checkfu-mock-server");
    params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
    let key = KeyPair::generate().map_err(refused)?;
    let certificate = params.self_signed(&key).map_err(refused)?;
    Ok(Certificate {
        pem: format!("{}\n{}", header(names), certificate.pem()),
        key_pem: key.serialize_pem(),
    })
}

/// Text before the first block of a PEM file explains it.
fn header(names: &[String]) -> String {
    format!("{HEADER}{}", names.join(", "))
}

fn write(path: &Path, text: &str, mode: u32) -> Result<(), StartError> {
    let mut options = OpenOptions::new();
    options.create(true).truncate(true).write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, mode);
    #[cfg(not(unix))]
    let _ = mode;
    options
        .open(path)
        .and_then(|mut file: File| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()))
        .map_err(|source| failed(path, source))
}

fn failed(path: &Path, source: io::Error) -> StartError {
    let path = PathBuf::from(path);
    StartError::Storage(StorageError::Io { path, source })
}

impl fmt::Debug for Certificate {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Certificate").finish_non_exhaustive()
    }
}
