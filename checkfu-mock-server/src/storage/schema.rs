//! The database's tables and its format number.

use std::path::Path;

use rusqlite::{Connection, ErrorCode};

use super::error::StorageError;

/// The one format that this version reads and writes.
const FORMAT: i64 = 2;

/// "CHKF", in the database's header.
const APPLICATION: i64 = 0x4348_4B46;

const TABLES: &str = "
CREATE TABLE secrets (name TEXT PRIMARY KEY, value BLOB NOT NULL) WITHOUT ROWID;
CREATE TABLE sessions (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    workspace TEXT NOT NULL,
    deployment TEXT NOT NULL,
    admission TEXT NOT NULL,
    status TEXT NOT NULL,
    stop_reason TEXT,
    usage TEXT,
    first_seq INTEGER NOT NULL,
    unfinished INTEGER NOT NULL
);
CREATE INDEX sessions_of_workspace ON sessions (workspace, row);
CREATE INDEX sessions_unfinished ON sessions (row) WHERE unfinished = 1;
CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    at INTEGER NOT NULL,
    type TEXT NOT NULL,
    child INTEGER,
    local INTEGER NOT NULL,
    envelope BLOB NOT NULL
);
CREATE INDEX events_of_children ON events (child, position) WHERE child IS NOT NULL;
CREATE TABLE snapshots (position INTEGER PRIMARY KEY, at INTEGER NOT NULL, event TEXT, state BLOB NOT NULL);
CREATE TABLE erased (position INTEGER PRIMARY KEY);
CREATE TABLE threads (
    session INTEGER NOT NULL,
    place INTEGER NOT NULL,
    id TEXT NOT NULL,
    state BLOB NOT NULL,
    PRIMARY KEY (session, place)
) WITHOUT ROWID;
CREATE UNIQUE INDEX threads_by_id ON threads (session, id);
CREATE TABLE action_approvals (
    session INTEGER NOT NULL,
    created_seq INTEGER NOT NULL,
    id TEXT NOT NULL,
    resource BLOB NOT NULL,
    PRIMARY KEY (session, created_seq)
) WITHOUT ROWID;
CREATE UNIQUE INDEX action_approvals_by_id ON action_approvals (session, id);
CREATE TABLE runs (
    session INTEGER NOT NULL,
    created_seq INTEGER NOT NULL,
    id TEXT NOT NULL,
    resource BLOB NOT NULL,
    PRIMARY KEY (session, created_seq)
) WITHOUT ROWID;
CREATE UNIQUE INDEX runs_by_id ON runs (session, id);
CREATE TABLE idempotency (
    scope TEXT NOT NULL,
    key TEXT NOT NULL,
    body_hash BLOB NOT NULL,
    status INTEGER NOT NULL,
    body BLOB NOT NULL,
    expires_at INTEGER NOT NULL,
    PRIMARY KEY (scope, key)
) WITHOUT ROWID;
";

/// How every connection behaves: a commit has reached the disk when it returns.
pub(crate) fn configure(connection: &Connection) -> Result<(), StorageError> {
    connection.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 10000; PRAGMA temp_store = MEMORY;",
    )?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(())
}

/// Creates the tables in an empty database; refuses one that this version cannot read, without a change to it.
pub(crate) fn prepare(connection: &mut Connection, path: &Path) -> Result<(), StorageError> {
    let number = |query: &str| {
        let number: rusqlite::Result<i64> = connection.query_row(query, [], |row| row.get(0));
        number.map_err(|error| match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => StorageError::Foreign {
                path: path.to_owned(),
            },
            _ => StorageError::from(error),
        })
    };
    let application = number("PRAGMA application_id")?;
    let format = number("PRAGMA user_version")?;
    let objects = number("SELECT count(*) FROM sqlite_schema")?;
    if objects == 0 && application == 0 && format == 0 {
        configure(connection)?;
        let transaction = connection.transaction()?;
        transaction.execute_batch(TABLES)?;
        transaction.pragma_update(None, "application_id", APPLICATION)?;
        transaction.pragma_update(None, "user_version", FORMAT)?;
        transaction.commit()?;
        return Ok(());
    }
    if application != APPLICATION {
        return Err(StorageError::Foreign {
            path: path.to_owned(),
        });
    }
    if format != FORMAT {
        let path = path.to_owned();
        return Err(StorageError::UnsupportedFormat {
            path,
            found: format,
            supported: FORMAT,
        });
    }
    configure(connection)
}

/// A secret of this database, made once.
pub(crate) fn secret(connection: &Connection, name: &str, fresh: &[u8]) -> Result<Vec<u8>, StorageError> {
    connection.execute(
        "INSERT OR IGNORE INTO secrets (name, value) VALUES (?1, ?2)",
        (name, fresh),
    )?;
    Ok(
        connection.query_row("SELECT value FROM secrets WHERE name = ?1", [name], |row| {
            row.get(0)
        })?,
    )
}
