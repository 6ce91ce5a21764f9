//! The table of ActionApprovals: a projection of the log, as resources.

use rusqlite::{Connection, OptionalExtension};

use super::error::StorageError;
use super::json;
use crate::core::id::SessionId;
use crate::core::wait::WaitRecord;
use crate::wire::approval::ApprovalResource;

/// An ActionApproval resource and its place in the list of its Session.
#[derive(Debug)]
pub(crate) struct StoredApproval {
    pub(crate) created_seq: u64,
    pub(crate) resource: Vec<u8>,
}

/// Writes an approval as it is now.
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
    connection
        .prepare_cached(
            "INSERT INTO action_approvals (session, created_seq, id, resource) VALUES (?1, ?2, ?3, ?4)
             ON CONFLICT (session, created_seq) DO UPDATE SET resource = excluded.resource",
        )?
        .execute((
            session,
            approval.created_seq.cast_signed(),
            approval.id.as_str(),
            resource,
        ))?;
    Ok(())
}

/// One approval of a Session.
pub(crate) fn find(connection: &Connection, session: i64, id: &str) -> Result<Option<Vec<u8>>, StorageError> {
    let mut query =
        connection.prepare_cached("SELECT resource FROM action_approvals WHERE session = ?1 AND id = ?2")?;
    let found: Option<Vec<u8>> = query.query_row((session, id), |row| row.get(0)).optional()?;
    if let Some(resource) = &found {
        json::check(resource)?;
    }
    Ok(found)
}

/// Approvals of a Session in the order in which they were requested.
pub(crate) fn list(
    connection: &Connection,
    session: i64,
    after: u64,
    limit: usize,
) -> Result<Vec<StoredApproval>, StorageError> {
    let mut query = connection.prepare_cached(
        "SELECT created_seq, resource FROM action_approvals WHERE session = ?1 AND created_seq > ?2
         ORDER BY created_seq LIMIT ?3",
    )?;
    let limit = i64::try_from(limit).unwrap_or(i64::MAX);
    let rows = query.query_map((session, after.cast_signed(), limit), |row| {
        Ok(StoredApproval {
            created_seq: row.get::<_, i64>(0)?.cast_unsigned(),
            resource: row.get(1)?,
        })
    })?;
    let found = rows.collect::<Result<Vec<StoredApproval>, _>>()?;
    for approval in &found {
        json::check(&approval.resource)?;
    }
    Ok(found)
}
