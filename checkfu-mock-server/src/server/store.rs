//! The log that a server stands on, opened.

use std::path::Path;
use std::sync::{Arc, Mutex};

use rusqlite::Connection;

use super::error::StartError;
use crate::api_key;
use crate::http::page_token::SECRET_BYTES;
use crate::ledger::entropy::SystemEntropy;
use crate::storage::directory::DataDirectory;
use crate::storage::error::StorageError;
use crate::storage::reader::Reader;
use crate::storage::schema;

/// An opened log, with the key that opens its server.
#[derive(Debug)]
pub(super) struct Store {
    pub(super) connection: Arc<Mutex<Connection>>,
    pub(super) reader: Reader,
    pub(super) directory: Option<DataDirectory>,
    pub(super) page_secret: [u8; SECRET_BYTES],
}

impl Store {
    /// Opens the log in a directory, or one in memory. Gives the key too: the one that was asked for, else the one
    /// that the directory keeps, else a fresh one.
    pub(super) fn open(
        directory: Option<&Path>,
        api_key: Option<String>,
    ) -> Result<(Self, String), StartError> {
        let given = api_key.map(checked).transpose()?;
        match directory {
            Some(path) => {
                let directory = DataDirectory::open(path)?;
                let database = directory.database();
                let connection = Connection::open(&database).map_err(StorageError::from)?;
                let mut store = Self::prepare(connection, &database)?;
                store.reader = Reader::of_file(database);
                let key = given.map_or_else(|| directory.generated_key(&fresh_key()), Ok)?;
                store.directory = Some(directory);
                Ok((store, key))
            }
            None => {
                let connection = Connection::open_in_memory().map_err(StorageError::from)?;
                let store = Self::prepare(connection, Path::new(":memory:"))?;
                Ok((store, given.unwrap_or_else(fresh_key)))
            }
        }
    }

    fn prepare(mut connection: Connection, path: &Path) -> Result<Self, StorageError> {
        schema::prepare(&mut connection, path)?;
        let secret = schema::secret(&connection, "page", &SystemEntropy::bytes::<SECRET_BYTES>())?;
        let page_secret = secret.try_into().map_err(|_| StorageError::Foreign {
            path: path.to_owned(),
        })?;
        let connection = Arc::new(Mutex::new(connection));
        let reader = Reader::sharing(Arc::clone(&connection));
        Ok(Self {
            connection,
            reader,
            directory: None,
            page_secret,
        })
    }
}

fn checked(key: String) -> Result<String, StartError> {
    if api_key::is_valid(&key) {
        Ok(key)
    } else {
        Err(StartError::ApiKey)
    }
}

fn fresh_key() -> String {
    format!(
        "cfk_{}",
        data_encoding::HEXLOWER.encode(&SystemEntropy::bytes::<24>())
    )
}
