mod error;

pub use error::SqliteCursorError;

use sqlx::{AssertSqlSafe, Row, Sqlite, SqlitePool, Transaction};

use super::key::{Cursor, CursorKey, Position};
use super::store::{Advance, CursorStore};
use crate::model::{EventId, Seq};

const TABLE: &str = "checkfu_cursors";
const VERSION: i64 = 1;

/// Cursors in a SQLite database, beside the effects of the events (`FOL-1`, `FOL-2`).
///
/// Each event's transaction is a `BEGIN IMMEDIATE`: it takes the database's one write lock when it begins, so
/// rivals queue there and not at commit. A rival waits as long as the pool's `busy_timeout`, 5 s unless set.
///
/// The table is [`SCHEMA_SQL`](Self::SCHEMA_SQL). [`migrate`](Self::migrate) runs it; a store whose database
/// has it already needs no right to create tables.
///
/// ```no_run
/// use checkfu_sdk::cursor::SqliteCursorStore;
/// use sqlx::SqlitePool;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let store = SqliteCursorStore::new(SqlitePool::connect("sqlite:projection.db?mode=rwc").await?);
/// store.migrate().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct SqliteCursorStore {
    pool: SqlitePool,
    table: String,
}

impl SqliteCursorStore {
    /// The tables, with their default names.
    pub const SCHEMA_SQL: &'static str = include_str!("sqlite/schema.sql");

    /// A store in the table `checkfu_cursors` of this database.
    pub fn new(pool: SqlitePool) -> Self {
        Self {
            pool,
            table: TABLE.to_owned(),
        }
    }

    /// A store in a table of another name.
    ///
    /// # Errors
    ///
    /// [`SqliteCursorError::InvalidTable`] if `table` is not letters, digits and underscores.
    pub fn with_table(pool: SqlitePool, table: impl Into<String>) -> Result<Self, SqliteCursorError> {
        let table = table.into();
        let word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_';
        let begins_well = table.bytes().next().is_some_and(|byte| !byte.is_ascii_digit());
        if begins_well && table.bytes().all(word) {
            Ok(Self { pool, table })
        } else {
            Err(SqliteCursorError::InvalidTable { table })
        }
    }

    /// The tables, with this store's names.
    pub fn schema_sql(&self) -> String {
        Self::SCHEMA_SQL.replace(TABLE, &self.table)
    }

    /// Creates the tables if they are missing. It may run any number of times.
    ///
    /// # Errors
    ///
    /// The database's error, or [`SqliteCursorError::SchemaVersion`] if a newer library made the tables.
    ///
    /// # Cancel safety
    ///
    /// It is one transaction: dropped, it did all or nothing.
    pub async fn migrate(&self) -> Result<(), SqliteCursorError> {
        let mut transaction = self.begin().await?;
        sqlx::raw_sql(AssertSqlSafe(self.schema_sql()))
            .execute(&mut *transaction)
            .await?;
        transaction.commit().await?;
        self.prepare().await
    }

    fn sql(&self, template: &str) -> AssertSqlSafe<String> {
        AssertSqlSafe(template.replace(TABLE, &self.table))
    }
}

impl CursorStore for SqliteCursorStore {
    type Transaction = Transaction<'static, Sqlite>;
    type Error = SqliteCursorError;

    async fn prepare(&self) -> Result<(), SqliteCursorError> {
        let tables = self.sql(
            "SELECT count(*) FROM sqlite_master WHERE name IN ('checkfu_cursors', 'checkfu_cursors_schema')",
        );
        let tables: i64 = sqlx::query_scalar(tables).fetch_one(&self.pool).await?;
        if tables < 2 {
            return Err(SqliteCursorError::MissingTable {
                table: self.table.clone(),
            });
        }
        let version = self.sql("SELECT max(version) FROM checkfu_cursors_schema");
        let version: Option<i64> = sqlx::query_scalar(version).fetch_one(&self.pool).await?;
        match version {
            Some(VERSION) => Ok(()),
            found => Err(SqliteCursorError::SchemaVersion {
                table: self.table.clone(),
                found: found.unwrap_or_default(),
                known: VERSION,
            }),
        }
    }

    /// A `begin` that is dropped half-way can leave its pooled connection inside a transaction. A task of its own
    /// always brings it to an end: what it began is then rolled back by dropping it.
    async fn begin(&self) -> Result<Self::Transaction, SqliteCursorError> {
        let pool = self.pool.clone();
        let begun = tokio::spawn(async move { pool.begin_with("BEGIN IMMEDIATE").await }).await;
        match begun {
            Ok(transaction) => Ok(transaction?),
            Err(failure) => match failure.try_into_panic() {
                Ok(panic) => std::panic::resume_unwind(panic),
                Err(_) => Err(SqliteCursorError::RuntimeShutDown),
            },
        }
    }

    async fn lock(
        &self,
        transaction: &mut Self::Transaction,
        key: &CursorKey,
    ) -> Result<Cursor, SqliteCursorError> {
        let select = self.sql(
            "SELECT seq, event_id, settlement FROM checkfu_cursors \
             WHERE consumer = ? AND session_id = ? AND session_thread_id = ?",
        );
        let row = sqlx::query(select)
            .bind(&key.consumer)
            .bind(key.session_id.as_str())
            .bind(thread(key))
            .fetch_optional(&mut **transaction)
            .await?;
        let Some(row) = row else {
            return Ok(Cursor::default());
        };
        let seq = u64::try_from(row.try_get::<i64, _>("seq")?)
            .ok()
            .and_then(Seq::new);
        let seq = seq.ok_or(SqliteCursorError::UnreadableCursor { column: "seq" })?;
        let event_id = row.try_get::<Option<String>, _>("event_id")?.map(EventId::from);
        let settlement = row.try_get::<Option<String>, _>("settlement")?;
        let settlement = settlement
            .map(|json| serde_json::from_str(&json))
            .transpose()
            .map_err(|_| SqliteCursorError::UnreadableCursor { column: "settlement" })?;
        Ok(Cursor::new(Some(Position::new(seq, event_id)), settlement))
    }

    async fn advance(
        &self,
        transaction: &mut Self::Transaction,
        key: &CursorKey,
        from: Option<Seq>,
        to: &Cursor,
    ) -> Result<Advance, SqliteCursorError> {
        let Some(position) = &to.position else {
            return Ok(Advance::Superseded);
        };
        let upsert = self.sql(
            "INSERT INTO checkfu_cursors (consumer, session_id, session_thread_id, seq, event_id, settlement) \
             SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE ?7 IS (SELECT seq FROM checkfu_cursors \
             WHERE consumer = ?1 AND session_id = ?2 AND session_thread_id = ?3) \
             ON CONFLICT (consumer, session_id, session_thread_id) DO UPDATE SET \
             seq = excluded.seq, event_id = excluded.event_id, settlement = excluded.settlement, \
             updated_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')",
        );
        let settlement = to.settlement.as_ref().map(serde_json::to_string).transpose();
        let settlement =
            settlement.map_err(|_| SqliteCursorError::UnreadableCursor { column: "settlement" })?;
        let written = sqlx::query(upsert)
            .bind(&key.consumer)
            .bind(key.session_id.as_str())
            .bind(thread(key))
            .bind(number(position.seq))
            .bind(position.event_id.as_ref().map(EventId::as_str))
            .bind(settlement)
            .bind(from.map(number))
            .execute(&mut **transaction)
            .await?;
        Ok(if written.rows_affected() == 1 {
            Advance::Moved
        } else {
            Advance::Superseded
        })
    }

    async fn commit(&self, transaction: Self::Transaction) -> Result<(), SqliteCursorError> {
        Ok(transaction.commit().await?)
    }
}

fn thread(key: &CursorKey) -> &str {
    key.session_thread_id
        .as_ref()
        .map_or("", |thread| thread.as_str())
}

/// A `Seq` never passes 2^53, so it always fits.
fn number(seq: Seq) -> i64 {
    i64::try_from(seq.get()).unwrap_or(i64::MAX)
}
