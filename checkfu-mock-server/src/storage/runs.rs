//! Runs as resources.

use rusqlite::Connection;

use super::error::StorageError;
use super::resources::Table;
use crate::core::id::SessionId;
use crate::core::run::Run;
use crate::wire::run::RunResource;

/// Writes a Run as it is now.
pub(crate) fn save(
    connection: &Connection,
    session: i64,
    session_id: &SessionId,
    run: &Run,
) -> Result<(), StorageError> {
    let resource = serde_json::to_vec(&RunResource::new(session_id, run))?;
    Table::Runs.save(connection, session, run.created_seq, run.id.as_str(), &resource)
}
