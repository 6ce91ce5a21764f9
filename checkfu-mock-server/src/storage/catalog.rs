//! The tables of what a Workspace has: AgentDeployments with their immutable revisions, and Principals.

use rusqlite::{Connection, OptionalExtension};

use super::error::StorageError;
use crate::core::id::WorkspaceId;
use crate::core::moment::Moment;

const TABLES: &str = "
CREATE TABLE IF NOT EXISTS deployments (
    row INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    workspace TEXT NOT NULL,
    name TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    UNIQUE (workspace, name)
);
CREATE TABLE IF NOT EXISTS revisions (
    deployment INTEGER NOT NULL,
    number INTEGER NOT NULL,
    scenario TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (deployment, number)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS principals (
    id TEXT NOT NULL,
    workspace TEXT NOT NULL,
    permissions TEXT,
    PRIMARY KEY (workspace, id)
) WITHOUT ROWID;
";

/// A deployment as it stands in the database, oldest revision first.
#[derive(Debug)]
pub(crate) struct StoredDeployment {
    pub(crate) row: i64,
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) created_at: Moment,
    pub(crate) revisions: Vec<StoredRevision>,
}

/// A revision as it stands in the database.
#[derive(Debug)]
pub(crate) struct StoredRevision {
    pub(crate) number: u32,
    pub(crate) scenario: String,
    pub(crate) created_at: Moment,
}

/// Creates the tables in a database that has none of them.
pub(crate) fn prepare(connection: &Connection) -> Result<(), StorageError> {
    Ok(connection.execute_batch(TABLES)?)
}

/// Adds a deployment unless its identifier or its name is taken; gives the row of the one with the identifier.
pub(crate) fn add_deployment(
    connection: &Connection,
    workspace: &WorkspaceId,
    id: &str,
    name: &str,
    created_at: Moment,
) -> Result<Option<i64>, StorageError> {
    connection.execute(
        "INSERT OR IGNORE INTO deployments (id, workspace, name, created_at) VALUES (?1, ?2, ?3, ?4)",
        (id, workspace.as_str(), name, created_at.milliseconds()),
    )?;
    let row = connection
        .query_row("SELECT row FROM deployments WHERE id = ?1", [id], |row| {
            row.get(0)
        })
        .optional()?;
    Ok(row)
}

/// Adds a revision unless there is one with its number.
pub(crate) fn add_revision(
    connection: &Connection,
    deployment: i64,
    number: u32,
    scenario: &str,
    created_at: Moment,
) -> Result<(), StorageError> {
    connection.execute(
        "INSERT OR IGNORE INTO revisions (deployment, number, scenario, created_at) VALUES (?1, ?2, ?3, ?4)",
        (deployment, number, scenario, created_at.milliseconds()),
    )?;
    Ok(())
}

/// All deployments of a Workspace, in the order of their publication.
pub(crate) fn deployments(
    connection: &Connection,
    workspace: &WorkspaceId,
) -> Result<Vec<StoredDeployment>, StorageError> {
    let mut query = connection
        .prepare("SELECT row, id, name, created_at FROM deployments WHERE workspace = ?1 ORDER BY row")?;
    let found = query.query_map([workspace.as_str()], |row| {
        Ok(StoredDeployment {
            row: row.get(0)?,
            id: row.get(1)?,
            name: row.get(2)?,
            created_at: Moment::from_milliseconds(row.get(3)?),
            revisions: Vec::new(),
        })
    })?;
    let mut deployments = found.collect::<Result<Vec<_>, _>>()?;
    let mut query = connection.prepare(
        "SELECT number, scenario, created_at FROM revisions WHERE deployment = ?1 ORDER BY number",
    )?;
    for deployment in &mut deployments {
        let found = query.query_map([deployment.row], |row| {
            Ok(StoredRevision {
                number: row.get(0)?,
                scenario: row.get(1)?,
                created_at: Moment::from_milliseconds(row.get(2)?),
            })
        })?;
        deployment.revisions = found.collect::<Result<_, _>>()?;
    }
    Ok(deployments)
}

/// Adds a Principal that was never there; one that was removed stays so.
pub(crate) fn add_principal(
    connection: &Connection,
    workspace: &WorkspaceId,
    id: &str,
    permissions: &[&str],
) -> Result<(), StorageError> {
    connection.execute(
        "INSERT OR IGNORE INTO principals (id, workspace, permissions) VALUES (?1, ?2, ?3)",
        (id, workspace.as_str(), serde_json::to_string(permissions)?),
    )?;
    Ok(())
}

/// Writes what a Principal may; nothing removes it.
pub(crate) fn set_principal(
    connection: &Connection,
    workspace: &WorkspaceId,
    id: &str,
    permissions: Option<&[&str]>,
) -> Result<(), StorageError> {
    let permissions = permissions.map(serde_json::to_string).transpose()?;
    connection.execute(
        "INSERT OR REPLACE INTO principals (id, workspace, permissions) VALUES (?1, ?2, ?3)",
        (id, workspace.as_str(), permissions),
    )?;
    Ok(())
}

/// The Principals that were not removed, with what they may.
pub(crate) fn principals(
    connection: &Connection,
    workspace: &WorkspaceId,
) -> Result<Vec<(String, Vec<String>)>, StorageError> {
    let mut query = connection.prepare(
        "SELECT id, permissions FROM principals WHERE workspace = ?1 AND permissions IS NOT NULL ORDER BY id",
    )?;
    let found = query.query_map([workspace.as_str()], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
    })?;
    found
        .map(|pair| {
            let (id, permissions) = pair?;
            Ok((id, serde_json::from_str(&permissions)?))
        })
        .collect()
}
