//! The data directory: its lock, its database and its generated key.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::{Duration, Instant};

use super::error::StorageError;
use crate::api_key;

/// How long a lock that is held is tried again. A process that starts a child shares its locks with it until the child
/// runs its own program, so a lock can outlive its owner by a moment.
const PATIENCE: Duration = Duration::from_secs(1);
const PAUSE: Duration = Duration::from_millis(10);

const KEY: &str = "api-key";

/// A locked data directory. The lock ends with this value, or with the process, however it dies.
#[derive(Debug)]
pub(crate) struct DataDirectory {
    path: PathBuf,
    _lock: File,
}

impl DataDirectory {
    /// Creates the directory if absent and locks it.
    pub(crate) fn open(path: &Path) -> Result<Self, StorageError> {
        create(path).map_err(|source| failed(path, source))?;
        let lock_path = path.join("lock");
        let lock = OpenOptions::new()
            .create(true)
            .truncate(false)
            .write(true)
            .open(&lock_path)
            .map_err(|source| failed(&lock_path, source))?;
        let patience = Instant::now() + PATIENCE;
        loop {
            match lock.try_lock() {
                Ok(()) => {
                    return Ok(Self {
                        path: path.to_owned(),
                        _lock: lock,
                    });
                }
                Err(TryLockError::WouldBlock) if Instant::now() < patience => thread::sleep(PAUSE),
                Err(TryLockError::WouldBlock) => {
                    return Err(StorageError::InUse {
                        path: path.to_owned(),
                    });
                }
                Err(TryLockError::Error(source)) => return Err(failed(&lock_path, source)),
            }
        }
    }

    /// The log's file, which only its owner can read; a new one is made. A directory that has a key had a log too: an empty
    /// file is not taken for a new one.
    pub(crate) fn database(&self) -> Result<PathBuf, StorageError> {
        let path = self.path.join("log.sqlite3");
        let length = fs::metadata(&path).map(|found| found.len());
        match length {
            Ok(0) if self.path.join(KEY).exists() => return Err(StorageError::Emptied { path }),
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let made = private().create(true).truncate(false).open(&path);
                made.map_err(|source| failed(&path, source))?;
            }
            Err(source) => return Err(failed(&path, source)),
        }
        Ok(path)
    }

    /// The key that was generated for this directory, or `fresh`, which is then kept for the next start in a file that
    /// only its owner can read. A file that others can read is closed to them.
    pub(crate) fn generated_key(&self, fresh: &str) -> Result<String, StorageError> {
        let path = self.path.join(KEY);
        match fs::read_to_string(&path) {
            Ok(text) => {
                close_to_others(&path).map_err(|source| failed(&path, source))?;
                return match text.trim() {
                    key if api_key::is_valid(key) => Ok(key.to_owned()),
                    _ => Err(StorageError::KeyFile { path }),
                };
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) if error.kind() == io::ErrorKind::InvalidData => {
                return Err(StorageError::KeyFile { path });
            }
            Err(source) => return Err(failed(&path, source)),
        }
        write_private(&path, fresh).map_err(|source| failed(&path, source))?;
        Ok(fresh.to_owned())
    }
}

#[cfg(unix)]
fn close_to_others(path: &Path) -> io::Result<()> {
    use std::os::unix::fs::PermissionsExt;

    let mode = fs::metadata(path)?.permissions().mode() & 0o7777;
    if mode & 0o077 != 0 {
        fs::set_permissions(path, fs::Permissions::from_mode(mode & 0o600))?;
        tracing::warn!(path = %path.display(), "the key's file was open to others; it is closed to them now");
    }
    Ok(())
}

#[cfg(not(unix))]
fn close_to_others(_: &Path) -> io::Result<()> {
    Ok(())
}

/// A directory that was just made is durable only once the one that holds it is synced.
fn create(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Ok(());
    }
    if path.is_file() {
        let problem = "is a file, not a directory; choose another data directory";
        return Err(io::Error::new(io::ErrorKind::NotADirectory, problem));
    }
    fs::create_dir_all(path)?;
    match path.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        Some(parent) => File::open(parent)?.sync_all(),
        None => File::open(".")?.sync_all(),
    }
}

/// To write a file that only its owner can read.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// The file is there with all of its text or not at all: one that a crash left empty would be refused for good.
fn write_private(path: &Path, text: &str) -> io::Result<()> {
    let unfinished = path.with_extension("new");
    let mut file = private().create(true).truncate(true).open(&unfinished)?;
    writeln!(file, "{text}")?;
    file.sync_all()?;
    fs::rename(&unfinished, path)?;
    match path.parent() {
        Some(directory) => File::open(directory)?.sync_all(),
        None => Ok(()),
    }
}

fn failed(path: &Path, source: io::Error) -> StorageError {
    StorageError::Io {
        path: path.to_owned(),
        source,
    }
}
