//! Files of the operator, which may be a device without an end.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

/// A history of a million operations is a fraction of it.
pub(crate) const HISTORY: u64 = 256 << 20;
pub(crate) const BASELINE: u64 = 16 << 20;

/// Why a file was not read.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unreadable {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("it has more than {0} bytes, which is too much")]
    TooLong(u64),
    #[error("it is not UTF-8: {0}")]
    NoText(#[from] std::string::FromUtf8Error),
}

/// The text of a file of at most so many bytes.
pub(crate) fn read(path: &Path, limit: u64) -> Result<String, Unreadable> {
    let mut bytes = Vec::new();
    File::open(path)?
        .take(limit.saturating_add(1))
        .read_to_end(&mut bytes)?;
    match u64::try_from(bytes.len()) {
        Ok(length) if length <= limit => Ok(String::from_utf8(bytes)?),
        _ => Err(Unreadable::TooLong(limit)),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn a_file_is_read_up_to_its_bound() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all("h\u{e9}llo".as_bytes()).unwrap();
        assert_eq!(read(file.path(), 6).unwrap(), "h\u{e9}llo");
        assert!(matches!(read(file.path(), 5), Err(Unreadable::TooLong(5))));
        file.write_all(b"\xff").unwrap();
        assert!(matches!(read(file.path(), 7), Err(Unreadable::NoText(_))));
    }
}
