//! ActionApprovals as resources.

use rusqlite::Connection;

use super::error::StorageError;
use super::resources::Table;
use crate::core::id::SessionId;
use crate::core::wait::WaitRecord;
use crate::wire::approval::ApprovalResource;

/// Writes the approval of a wait as it is now, if it has one.
pub(crate) fn save(
    connection: &Connection,
    session: i64,
    session_id: &SessionId,
    record: &WaitRecord,
) -> Result<(), StorageError> {
    let Some(approval) = &record.approval else {
        return Ok(());
    };
    let resource = serde_json::to_vec(&ApprovalResource::new(session_id, record, approval))?;
    let id = approval.id.as_str();
    Table::ActionApprovals.save(connection, session, approval.created_seq, id, &resource)
}
