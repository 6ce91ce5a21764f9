/// Why a store of cursors in a database of sqlx failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SqlxCursorError {
    /// The database's own error.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
    /// The table of cursors is not there.
    #[error("the table {table} is missing: call `migrate`, or run the published SQL")]
    MissingTable {
        /// The table.
        table: String,
    },
    /// The table of cursors is older than this library, or newer.
    #[error("the table {table} has schema version {found}, and this library needs version {known}: {}", fix(*found, *known))]
    SchemaVersion {
        /// The table.
        table: String,
        /// The version found.
        found: i64,
        /// The version that this library needs.
        known: i64,
    },
    /// The name of the table is none.
    #[error("the table name {table:?} {reason}")]
    InvalidTable {
        /// The name.
        table: String,
        /// What it must be.
        reason: &'static str,
    },
    /// A stored cursor cannot be read.
    #[error("the stored cursor cannot be read: {column}")]
    UnreadableCursor {
        /// The column.
        column: &'static str,
    },
    /// The runtime shut down while a transaction began.
    #[error("the runtime shut down while a transaction began")]
    RuntimeShutDown,
}

fn fix(found: i64, known: i64) -> &'static str {
    if found < known {
        "call `migrate`, or run the published upgrades"
    } else {
        "use a newer release of it"
    }
}
