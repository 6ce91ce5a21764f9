//! Reads of committed data, beside the writer.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use rusqlite::{Connection, OpenFlags};

use super::error::StorageError;
use super::schema;
use crate::mutant;

/// Runs queries off the async threads. Clones share their connections.
#[derive(Debug, Clone)]
pub(crate) struct Reader {
    source: Arc<Source>,
}

#[derive(Debug)]
enum Source {
    /// A file: idle connections, as many as were ever needed at once.
    File {
        path: PathBuf,
        idle: Mutex<Vec<Connection>>,
    },
    /// In memory there is one connection, and the writer has it too.
    Shared(Arc<Mutex<Connection>>),
}

impl Reader {
    pub(crate) fn of_file(path: PathBuf) -> Self {
        Self {
            source: Arc::new(Source::File {
                path,
                idle: Mutex::default(),
            }),
        }
    }

    pub(crate) fn sharing(connection: Arc<Mutex<Connection>>) -> Self {
        Self {
            source: Arc::new(Source::Shared(connection)),
        }
    }

    /// Runs a query on a thread that may block.
    pub(crate) async fn read<T: Send + 'static>(
        &self,
        query: impl FnOnce(&Connection) -> Result<T, StorageError> + Send + 'static,
    ) -> Result<T, StorageError> {
        let reader = self.clone();
        let work = mutant::hand_over(move || reader.read_blocking(query));
        let result = tokio::task::spawn_blocking(work).await;
        result.unwrap_or(Err(StorageError::Closed))
    }

    /// Runs a query on this thread.
    pub(crate) fn read_blocking<T>(
        &self,
        query: impl FnOnce(&Connection) -> Result<T, StorageError>,
    ) -> Result<T, StorageError> {
        match &*self.source {
            Source::Shared(connection) => {
                snapshot(&connection.lock().unwrap_or_else(PoisonError::into_inner), query)
            }
            Source::File { path, idle } => {
                let reused = idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
                let connection = match reused {
                    Some(connection) => connection,
                    None => open(path)?,
                };
                let result = snapshot(&connection, query);
                idle.lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(connection);
                result
            }
        }
    }
}

/// One transaction for the whole query: a status and the `seq` it belongs to must come from one commit (A-HEAD).
fn snapshot<T>(
    connection: &Connection,
    query: impl FnOnce(&Connection) -> Result<T, StorageError>,
) -> Result<T, StorageError> {
    let transaction = connection.unchecked_transaction()?;
    let result = query(&transaction);
    transaction.finish()?;
    result
}

fn open(path: &PathBuf) -> Result<Connection, StorageError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    schema::configure(&connection)?;
    connection.execute_batch("PRAGMA query_only = ON")?;
    Ok(connection)
}
