//! The table of Sessions: what was fixed at admission, and the projections of the log that lists are filtered by.

use rusqlite::{Connection, OptionalExtension, Row};

use super::error::StorageError;
use super::position::{MAX_SEQ, position, seq_of};
use crate::core::admission::Admission;
use crate::core::id::{SessionId, WorkspaceId};
use crate::core::moment::Moment;
use crate::core::session::{Head, Session};
use crate::core::status::SessionStatus;
use crate::mutant::{self, Mutant};

/// A Session as it stands in the database.
#[derive(Debug)]
pub(crate) struct StoredSession {
    pub(crate) row: i64,
    pub(crate) admission: Admission,
    pub(crate) head: Head,
}

/// What a list of Sessions is narrowed to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Filter {
    pub(crate) status: Option<SessionStatus>,
    pub(crate) deployment: Option<String>,
}

/// Inserts a Session before its first event and returns its row.
pub(crate) fn insert(connection: &Connection, session: &Session) -> Result<i64, StorageError> {
    let admission = &session.admission;
    connection
        .prepare_cached(
            "INSERT INTO sessions (id, workspace, deployment, admission, status, first_seq, unfinished)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0)",
        )?
        .execute((
            admission.id.as_str(),
            admission.workspace_id.as_str(),
            admission.agent_deployment_id.as_str(),
            serde_json::to_string(&**admission)?,
            session.head.status.as_str(),
            session.head.first_seq.cast_signed(),
        ))?;
    Ok(connection.last_insert_rowid())
}

/// Writes the projections again.
pub(crate) fn update(connection: &Connection, row: i64, session: &Session) -> Result<(), StorageError> {
    let usage = session
        .head
        .usage
        .as_ref()
        .map(serde_json::to_string)
        .transpose()?;
    let lagging = if mutant::active(Mutant::StatusLags) {
        earlier_status(connection, row)?
    } else {
        None
    };
    connection
        .prepare_cached(
            "UPDATE sessions SET status = ?2, stop_reason = ?3, usage = ?4, first_seq = ?5, unfinished = ?6 WHERE row = ?1",
        )?
        .execute((
            row,
            lagging.as_deref().unwrap_or(session.head.status.as_str()),
            session.head.stop_reason.as_deref(),
            usage,
            session.head.first_seq.cast_signed(),
            !session.unfinished.is_empty(),
        ))?;
    Ok(())
}

/// One Session of a Workspace.
pub(crate) fn find(
    connection: &Connection,
    workspace: &WorkspaceId,
    id: &SessionId,
) -> Result<Option<StoredSession>, StorageError> {
    let mut query = connection.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM sessions WHERE id = ?1 AND workspace = ?2"
    ))?;
    let columns = query
        .query_row((id.as_str(), workspace.as_str()), Columns::read)
        .optional()?;
    columns.map(|columns| columns.decode(connection)).transpose()
}

/// One Session by its row.
pub(crate) fn at(connection: &Connection, row: i64) -> Result<Option<StoredSession>, StorageError> {
    let mut query = connection.prepare_cached(&format!("SELECT {COLUMNS} FROM sessions WHERE row = ?1"))?;
    let columns = query.query_row([row], Columns::read).optional()?;
    columns.map(|columns| columns.decode(connection)).transpose()
}

/// Sessions of a Workspace after a row, in the order in which they were created.
pub(crate) fn list(
    connection: &Connection,
    workspace: &WorkspaceId,
    filter: &Filter,
    after_row: i64,
    limit: usize,
) -> Result<Vec<StoredSession>, StorageError> {
    let mut query = connection.prepare_cached(&format!(
        "SELECT {COLUMNS} FROM sessions WHERE workspace = ?1 AND row > ?2
         AND (?3 IS NULL OR status = ?3) AND (?4 IS NULL OR deployment = ?4) ORDER BY row"
    ))?;
    let status = filter.status.map(SessionStatus::as_str);
    let parameters = (
        workspace.as_str(),
        after_row,
        status,
        filter.deployment.as_deref(),
    );
    let mut found = Vec::new();
    let mut rows = query.query(parameters)?;
    while found.len() < limit
        && let Some(row) = rows.next()?
    {
        let decoded = Columns::read(row)
            .map_err(StorageError::from)
            .and_then(|columns| columns.decode(connection));
        match decoded {
            Ok(session) => found.push(session),
            // The others are still to be found behind it.
            Err(error) if error.is_damage() => {
                tracing::error!(row = row.get::<_, i64>(0)?, %error, "a damaged Session is left out");
            }
            Err(error) => return Err(error),
        }
    }
    Ok(found)
}

/// Rows of the Sessions that have a Run which has not settled.
pub(crate) fn unfinished(connection: &Connection) -> Result<Vec<i64>, StorageError> {
    let mut query =
        connection.prepare_cached("SELECT row FROM sessions WHERE unfinished = 1 ORDER BY row")?;
    let rows = query.query_map([], |row| row.get(0))?;
    Ok(rows.collect::<Result<_, _>>()?)
}

const COLUMNS: &str = "row, admission, status, stop_reason, usage, first_seq";

struct Columns {
    row: i64,
    admission: String,
    status: String,
    stop_reason: Option<String>,
    usage: Option<String>,
    first_seq: i64,
}

impl Columns {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        Ok(Self {
            row: row.get(0)?,
            admission: row.get(1)?,
            status: row.get(2)?,
            stop_reason: row.get(3)?,
            usage: row.get(4)?,
            first_seq: row.get(5)?,
        })
    }

    fn decode(self, connection: &Connection) -> Result<StoredSession, StorageError> {
        let admission: Admission = serde_json::from_str(&self.admission)?;
        let (last_seq, updated_at) = newest(connection, self.row)?.unwrap_or((0, admission.created_at));
        let head = Head {
            status: serde_json::from_value(self.status.into())?,
            stop_reason: self.stop_reason,
            first_seq: self.first_seq.cast_unsigned(),
            last_seq,
            usage: self.usage.as_deref().map(serde_json::from_str).transpose()?,
            updated_at,
        };
        Ok(StoredSession {
            row: self.row,
            admission,
            head,
        })
    }
}

/// What the log's last status event but one says, where the promise is broken.
fn earlier_status(connection: &Connection, session: i64) -> Result<Option<String>, StorageError> {
    let mut query = connection.prepare_cached(
        "SELECT replace(type, 'session.status_', '') FROM events
         WHERE position > ?1 AND position <= ?2 AND type GLOB 'session.status_*' ORDER BY position DESC LIMIT 1 OFFSET 1",
    )?;
    let bounds = (position(session, 0), position(session, MAX_SEQ));
    Ok(query.query_row(bounds, |row| row.get(0)).optional()?)
}

/// The end of the log: its last event, or the state that stands for events which are gone.
fn newest(connection: &Connection, session: i64) -> Result<Option<(u64, Moment)>, StorageError> {
    let bounds = (position(session, 0), position(session, MAX_SEQ));
    let mut newest = None;
    for query in [
        "SELECT position, at FROM events WHERE position > ?1 AND position <= ?2 ORDER BY position DESC LIMIT 1",
        "SELECT position, at FROM snapshots WHERE position > ?1 AND position <= ?2 ORDER BY position DESC LIMIT 1",
    ] {
        let found = connection
            .prepare_cached(query)?
            .query_row(bounds, |row| {
                Ok((seq_of(row.get(0)?), Moment::from_milliseconds(row.get(1)?)))
            })
            .optional()?;
        newest = newest.max(found);
    }
    Ok(newest)
}
