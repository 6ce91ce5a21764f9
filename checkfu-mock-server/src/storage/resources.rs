//! Projections of the log that are kept as resources: Runs and ActionApprovals, in the order in which they came to be.

use rusqlite::{Connection, OptionalExtension};

use super::error::StorageError;
use super::json;

/// Which of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Table {
    Runs,
    ActionApprovals,
}

/// A resource and its place in the list of its Session.
#[derive(Debug)]
pub(crate) struct Stored {
    pub(crate) created_seq: u64,
    pub(crate) resource: Vec<u8>,
}

impl Table {
    /// Its name, in the database and in the seals of page tokens.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Runs => "runs",
            Self::ActionApprovals => "action_approvals",
        }
    }

    /// Writes a resource as it is now.
    pub(crate) fn save(
        self,
        connection: &Connection,
        session: i64,
        created_seq: u64,
        id: &str,
        resource: &[u8],
    ) -> Result<(), StorageError> {
        let statement = match self {
            Self::Runs => {
                "INSERT INTO runs (session, created_seq, id, resource) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (session, created_seq) DO UPDATE SET resource = excluded.resource"
            }
            Self::ActionApprovals => {
                "INSERT INTO action_approvals (session, created_seq, id, resource) VALUES (?1, ?2, ?3, ?4)
                 ON CONFLICT (session, created_seq) DO UPDATE SET resource = excluded.resource"
            }
        };
        connection
            .prepare_cached(statement)?
            .execute((session, created_seq.cast_signed(), id, resource))?;
        Ok(())
    }

    /// One resource of a Session.
    pub(crate) fn find(
        self,
        connection: &Connection,
        session: i64,
        id: &str,
    ) -> Result<Option<Vec<u8>>, StorageError> {
        let query = format!(
            "SELECT resource FROM {} WHERE session = ?1 AND id = ?2",
            self.name()
        );
        let mut query = connection.prepare_cached(&query)?;
        let found: Option<Vec<u8>> = query.query_row((session, id), |row| row.get(0)).optional()?;
        if let Some(resource) = &found {
            json::check(resource)?;
        }
        Ok(found)
    }

    /// Resources of a Session after a place.
    pub(crate) fn list(
        self,
        connection: &Connection,
        session: i64,
        after: u64,
        limit: usize,
    ) -> Result<Vec<Stored>, StorageError> {
        let query = format!(
            "SELECT created_seq, resource FROM {} WHERE session = ?1 AND created_seq > ?2
             ORDER BY created_seq LIMIT ?3",
            self.name()
        );
        let mut query = connection.prepare_cached(&query)?;
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let rows = query.query_map((session, after.cast_signed(), limit), |row| {
            Ok(Stored {
                created_seq: row.get::<_, i64>(0)?.cast_unsigned(),
                resource: row.get(1)?,
            })
        })?;
        let found = rows.collect::<Result<Vec<Stored>, _>>()?;
        for stored in &found {
            json::check(&stored.resource)?;
        }
        Ok(found)
    }
}
