use jiff::Timestamp;
use sqlx::{Row, Sqlite, SqliteConnection, SqlitePool, Transaction};

use super::key::{Cursor, CursorKey};
use super::sql::{ENDED, Schema, SqlxCursorError, StoredCursor, Table, begin, number, thread};
use super::store::{Advance, CursorStore};
use crate::model::Seq;

const SCHEMA: Schema = Schema {
    tables: SqliteCursorStore::SCHEMA_SQL,
    upgrades: SqliteCursorStore::UPGRADES,
};

/// Cursors in a SQLite database, beside the effects of the events (`FOL-1`, `FOL-2`).
///
/// Each event's transaction is a `BEGIN IMMEDIATE`: it takes the database's one write lock when it begins, so
/// rivals queue there and not at commit. A rival waits as long as the pool's `busy_timeout`, 5 s unless set.
///
/// The tables are [`SCHEMA_SQL`](Self::SCHEMA_SQL). [`migrate`](Self::migrate) makes or upgrades them; a store whose
/// database has them already creates nothing.
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
    table: Table,
}

impl SqliteCursorStore {
    /// The tables, of the newest version and with their default names.
    pub const SCHEMA_SQL: &'static str = include_str!("sqlite/schema.sql");

    /// What leads from one version of the tables to the next; the first is from version 1 to version 2.
    pub const UPGRADES: &'static [&'static str] = &[];

    /// A store in the table `checkfu_cursors` of this database.
    pub fn new(pool: SqlitePool) -> Self {
        Self {
            pool,
            table: Table::default(),
        }
    }

    /// A store in a table of another name.
    ///
    /// # Errors
    ///
    /// [`SqlxCursorError::InvalidTable`] if `table` is not letters, digits and underscores, begins with a digit, or is
    /// longer than 56 bytes.
    pub fn with_table(pool: SqlitePool, table: impl Into<String>) -> Result<Self, SqlxCursorError> {
        let table = Table::plain(table.into())?;
        Ok(Self { pool, table })
    }

    /// The tables, with this store's names.
    pub fn schema_sql(&self) -> String {
        self.table.text(Self::SCHEMA_SQL)
    }

    /// Creates the tables if they are missing, or upgrades them. It may run any number of times.
    ///
    /// # Errors
    ///
    /// The database's error, or [`SqlxCursorError::SchemaVersion`] if a newer library made the tables.
    ///
    /// # Cancel safety
    ///
    /// It is one transaction: dropped, it did all or nothing.
    pub async fn migrate(&self) -> Result<(), SqlxCursorError> {
        let mut transaction = self.begin().await?;
        let found = self.version(&mut transaction).await?;
        for step in SCHEMA.steps(found) {
            sqlx::raw_sql(self.table.sql(step))
                .execute(&mut *transaction)
                .await?;
        }
        let found = self.version(&mut transaction).await?;
        SCHEMA.check(&self.table, found)?;
        self.commit(transaction).await
    }

    /// Removes the cursors of Sessions and children that ended for good and that were last moved before `before`. Returns how many.
    ///
    /// A cursor that can still move is never removed (`FOL-8`). A consumer that follows such a log again applies
    /// its events anew, so forget the effects, too, or never follow it again.
    ///
    /// # Errors
    ///
    /// The database's error.
    ///
    /// # Cancel safety
    ///
    /// It is one transaction: dropped, it did all or nothing.
    pub async fn prune(&self, before: Timestamp) -> Result<u64, SqlxCursorError> {
        let delete = "DELETE FROM \"checkfu_cursors\" \
                      WHERE updated_at < strftime('%Y-%m-%dT%H:%M:%fZ', ?) AND";
        let delete = self.table.sql(&format!("{delete} {ENDED}"));
        let mut transaction = self.begin().await?;
        let delete = sqlx::query(delete).bind(before.to_string());
        let pruned = delete.execute(&mut *transaction).await?.rows_affected();
        self.commit(transaction).await?;
        Ok(pruned)
    }

    /// The version of the tables; `None` where one is missing.
    async fn version(&self, connection: &mut SqliteConnection) -> Result<Option<i64>, SqlxCursorError> {
        let [cursors, versions] = self.table.names();
        let tables = "SELECT count(*) FROM sqlite_master \
                      WHERE type = 'table' AND name COLLATE NOCASE IN (?, ?)";
        let tables = sqlx::query_scalar::<_, i64>(tables).bind(cursors).bind(versions);
        if tables.fetch_one(&mut *connection).await? < 2 {
            return Ok(None);
        }
        let version = self
            .table
            .sql("SELECT coalesce(max(version), 0) FROM \"checkfu_cursors_schema\"");
        Ok(Some(sqlx::query_scalar(version).fetch_one(connection).await?))
    }
}

impl CursorStore for SqliteCursorStore {
    type Transaction = Transaction<'static, Sqlite>;
    type Error = SqlxCursorError;

    async fn prepare(&self) -> Result<(), SqlxCursorError> {
        let found = self.version(&mut *self.pool.acquire().await?).await?;
        SCHEMA.check(&self.table, found)
    }

    async fn begin(&self) -> Result<Self::Transaction, SqlxCursorError> {
        begin(&self.pool, "BEGIN IMMEDIATE").await
    }

    async fn lock(
        &self,
        transaction: &mut Self::Transaction,
        key: &CursorKey,
    ) -> Result<Cursor, SqlxCursorError> {
        let select = self.table.sql(
            "SELECT seq, event_id, settlement FROM \"checkfu_cursors\" \
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
        let stored = StoredCursor {
            seq: row.try_get("seq")?,
            event_id: row.try_get("event_id")?,
            settlement: row.try_get("settlement")?,
        };
        stored.read()
    }

    async fn advance(
        &self,
        transaction: &mut Self::Transaction,
        key: &CursorKey,
        from: Option<Seq>,
        to: &Cursor,
    ) -> Result<Advance, SqlxCursorError> {
        let upsert = self.table.sql(
            "INSERT INTO \"checkfu_cursors\" \
             (consumer, session_id, session_thread_id, seq, event_id, settlement) \
             SELECT ?1, ?2, ?3, ?4, ?5, ?6 WHERE ?7 = coalesce((SELECT seq FROM \"checkfu_cursors\" \
             WHERE consumer = ?1 AND session_id = ?2 AND session_thread_id = ?3), 0) \
             ON CONFLICT (consumer, session_id, session_thread_id) DO UPDATE SET \
             seq = excluded.seq, event_id = excluded.event_id, settlement = excluded.settlement, \
             updated_at = strftime('%Y-%m-%dT%H:%M:%fZ', 'now')",
        );
        let stored = StoredCursor::write(to)?;
        let written = sqlx::query(upsert)
            .bind(&key.consumer)
            .bind(key.session_id.as_str())
            .bind(thread(key))
            .bind(stored.seq)
            .bind(stored.event_id)
            .bind(stored.settlement)
            .bind(number(from))
            .execute(&mut **transaction)
            .await?;
        Ok(Advance::of_rows(written.rows_affected()))
    }

    async fn forget(
        &self,
        transaction: &mut Self::Transaction,
        key: &CursorKey,
    ) -> Result<bool, SqlxCursorError> {
        let delete = self.table.sql(
            "DELETE FROM \"checkfu_cursors\" \
             WHERE consumer = ? AND session_id = ? AND session_thread_id = ?",
        );
        let deleted = sqlx::query(delete)
            .bind(&key.consumer)
            .bind(key.session_id.as_str())
            .bind(thread(key))
            .execute(&mut **transaction)
            .await?;
        Ok(deleted.rows_affected() > 0)
    }

    async fn commit(&self, transaction: Self::Transaction) -> Result<(), SqlxCursorError> {
        Ok(transaction.commit().await?)
    }
}
