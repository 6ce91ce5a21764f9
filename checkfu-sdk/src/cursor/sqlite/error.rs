/// Why a [`SqliteCursorStore`](super::SqliteCursorStore) failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SqliteCursorError {
    /// The database's own error.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
    /// The table of cursors is not there.
    #[error("the table {table} is missing: call `migrate`, or run the published SQL")]
    MissingTable {
        /// The table.
        table: String,
    },
    /// The table of cursors is of a version that this library does not know.
    #[error("the table {table} has schema version {found}, and this library knows version {known}")]
    SchemaVersion {
        /// The table.
        table: String,
        /// The version found.
        found: i64,
        /// The version known.
        known: i64,
    },
    /// The name of the table is none.
    #[error("the table name {table:?} must be letters, digits and underscores, and not begin with a digit")]
    InvalidTable {
        /// The name.
        table: String,
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
