//! What can go wrong with the data directory.

use std::path::PathBuf;

/// A data directory that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StorageError {
    /// The directory or a file in it cannot be read or written.
    #[error("{path}: {source}")]
    Io {
        /// The file or directory.
        path: PathBuf,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// Another server has the directory open.
    #[error("{path} is in use by another server; stop it or choose another data directory")]
    InUse {
        /// The directory.
        path: PathBuf,
    },
    /// The database was written by something else.
    #[error("{path} is not a Checkfu event log; choose an empty data directory")]
    Foreign {
        /// The database.
        path: PathBuf,
    },
    /// The directory was in use, and its log is gone.
    #[error(
        "{path} is empty, and the directory has been in use: put the log back, or remove the file to begin another"
    )]
    Emptied {
        /// The database.
        path: PathBuf,
    },
    /// The database has a format that this version does not read.
    #[error(
        "{path} has data format {found}, this server reads format {supported}; use the server that wrote it"
    )]
    UnsupportedFormat {
        /// The database.
        path: PathBuf,
        /// The format in the file.
        found: i64,
        /// The one format that this version reads and writes.
        supported: i64,
    },
    /// The file of the generated key holds no key.
    #[error(
        "{path} must hold one API key of 1 to 512 visible ASCII characters; remove it to have one made up"
    )]
    KeyFile {
        /// The file.
        path: PathBuf,
    },
    /// SQLite refused.
    #[error("the event log's database: {0}")]
    Database(#[from] rusqlite::Error),
    /// A stored value cannot be decoded: the database is damaged.
    #[error("the event log holds a value that cannot be read: {0}")]
    Damaged(#[from] serde_json::Error),
    /// The server is shutting down.
    #[error("the server is shutting down")]
    Closed,
}

impl StorageError {
    /// Whether the log itself cannot be read, so that trying again is of no use.
    pub(crate) fn is_damage(&self) -> bool {
        match self {
            Self::Damaged(_) => true,
            Self::Database(rusqlite::Error::SqliteFailure(failure, _)) => matches!(
                failure.code,
                rusqlite::ErrorCode::DatabaseCorrupt | rusqlite::ErrorCode::NotADatabase
            ),
            Self::Database(error) => matches!(
                error,
                rusqlite::Error::FromSqlConversionFailure(..)
                    | rusqlite::Error::IntegralValueOutOfRange(..)
                    | rusqlite::Error::InvalidColumnType(..)
                    | rusqlite::Error::Utf8Error(..)
            ),
            _ => false,
        }
    }
}
