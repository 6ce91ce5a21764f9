//! The log that a server stands on, opened.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::Connection;

use super::error::StartError;
use crate::api_key;
use crate::http::challenge;
use crate::http::page_token::SECRET_BYTES;
use crate::ledger::entropy::SystemEntropy;
use crate::storage::directory::DataDirectory;
use crate::storage::error::StorageError;
use crate::storage::reader::Reader;
use crate::storage::schema;

/// Where a log is kept.
#[derive(Debug, Clone)]
pub(super) enum Place {
    File(PathBuf),
    Memory(Arc<Mutex<Connection>>),
}

/// An opened log.
#[derive(Debug)]
pub(super) struct Store {
    pub(super) place: Place,
    pub(super) connection: Arc<Mutex<Connection>>,
    pub(super) reader: Reader,
    pub(super) directory: Option<DataDirectory>,
    pub(super) page_secret: [u8; SECRET_BYTES],
    pub(super) challenge_secret: [u8; challenge::SECRET_BYTES],
}

impl Store {
    /// Opens the log in a directory, or one in memory: the one that is there already, or a new one. Gives the key too:
    /// the one that was asked for, else the one that the directory keeps, else a fresh one.
    pub(super) fn open(
        directory: Option<&Path>,
        memory: Option<Arc<Mutex<Connection>>>,
        api_key: Option<String>,
    ) -> Result<(Self, String), StartError> {
        let given = api_key.map(checked).transpose()?;
        match directory {
            Some(path) => {
                let directory = DataDirectory::open(path)?;
                let database = directory.database()?;
                let connection = Connection::open(&database).map_err(StorageError::from)?;
                let mut store = Self::prepare(Arc::new(Mutex::new(connection)), &database)?;
                store.reader = Reader::of_file(database.clone());
                store.place = Place::File(database);
                let key = given.map_or_else(|| directory.generated_key(&fresh_key()), Ok)?;
                store.directory = Some(directory);
                Ok((store, key))
            }
            None => {
                let connection = match memory {
                    Some(connection) => connection,
                    None => Arc::new(Mutex::new(
                        Connection::open_in_memory().map_err(StorageError::from)?,
                    )),
                };
                let store = Self::prepare(connection, Path::new(":memory:"))?;
                Ok((store, given.unwrap_or_else(fresh_key)))
            }
        }
    }

    fn prepare(shared: Arc<Mutex<Connection>>, path: &Path) -> Result<Self, StorageError> {
        let (page_secret, challenge_secret) = {
            let mut connection = shared.lock().unwrap_or_else(PoisonError::into_inner);
            schema::prepare(&mut connection, path)?;
            (
                secret(&connection, "page", path)?,
                secret(&connection, "challenge", path)?,
            )
        };
        Ok(Self {
            place: Place::Memory(Arc::clone(&shared)),
            reader: Reader::sharing(Arc::clone(&shared)),
            connection: shared,
            directory: None,
            page_secret,
            challenge_secret,
        })
    }
}

/// A secret of this database, made once.
fn secret<const N: usize>(connection: &Connection, name: &str, path: &Path) -> Result<[u8; N], StorageError> {
    let secret = schema::secret(connection, name, &SystemEntropy::bytes::<N>())?;
    secret.try_into().map_err(|_| StorageError::Foreign {
        path: path.to_owned(),
    })
}

fn checked(key: String) -> Result<String, StartError> {
    if api_key::is_valid(&key) {
        Ok(key)
    } else {
        Err(StartError::ApiKey)
    }
}

/// A key that nobody can guess.
pub(super) fn fresh_key() -> String {
    format!(
        "cfk_{}",
        data_encoding::HEXLOWER.encode(&SystemEntropy::bytes::<24>())
    )
}
