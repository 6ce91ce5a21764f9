use jiff::Timestamp;
use sqlx::{AssertSqlSafe, PgPool, Postgres, Row, Transaction};

use super::key::{Cursor, CursorKey};
use super::sql::{ENDED, Schema, SqlxCursorError, StoredCursor, Table, begin, number, thread};
use super::store::{Advance, CursorStore};
use crate::model::Seq;

const SCHEMA: Schema = Schema {
    tables: PgCursorStore::SCHEMA_SQL,
    upgrades: PgCursorStore::UPGRADES,
};

/// Each statement sees what others committed before it, whatever the database's default is: the lock is followed by
/// reading what its last holder wrote.
const BEGIN: &str = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE";

/// Keeps processes that migrate at once apart. It is a transaction's lock, not a session's.
const MIGRATION_LOCK: &str = "SELECT pg_advisory_xact_lock(hashtext('checkfu_cursors'))";

/// Cursors in a PostgreSQL database, beside the effects of the events (`FOL-1`, `FOL-2`).
///
/// Each event's transaction locks the row of its cursor by `SELECT … FOR UPDATE`, and makes the row first if there is
/// none; rivals wait there. It is `READ COMMITTED`, whatever the database's default is.
///
/// The tables are [`SCHEMA_SQL`](Self::SCHEMA_SQL). [`migrate`](Self::migrate) makes or upgrades them; a store whose
/// database has them already needs no right to create tables.
///
/// It works behind a pooler that gives out its connections by the transaction, such as PgBouncer in transaction mode:
/// every statement stands in a transaction, none is prepared by name, and no lock or setting outlives its transaction.
/// Your own statements must keep to that too: use `.persistent(false)`, or a pool whose options set
/// `statement_cache_capacity(0)`.
///
/// ```no_run
/// use checkfu_sdk::cursor::PgCursorStore;
/// use sqlx::PgPool;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let store = PgCursorStore::new(PgPool::connect("postgres://localhost/billing").await?);
/// store.migrate().await?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct PgCursorStore {
    pool: PgPool,
    table: Table,
}

impl PgCursorStore {
    /// The tables, of the newest version and with their default names.
    pub const SCHEMA_SQL: &'static str = include_str!("postgres/schema.sql");

    /// What leads from one version of the tables to the next; the first is from version 1 to version 2.
    pub const UPGRADES: &'static [&'static str] = &[];

    /// A store in the table `checkfu_cursors`, found by the search path.
    pub fn new(pool: PgPool) -> Self {
        Self {
            pool,
            table: Table::default(),
        }
    }

    /// A store in a table of another name, `my_cursors` or `my_schema.my_cursors`. Upper and lower case count.
    ///
    /// # Errors
    ///
    /// [`SqlxCursorError::InvalidTable`] if `table`, or what stands on either side of its dot, is not letters, digits
    /// and underscores, begins with a digit, or is longer than 56 bytes.
    pub fn with_table(pool: PgPool, table: impl Into<String>) -> Result<Self, SqlxCursorError> {
        let table = Table::qualified(table.into())?;
        Ok(Self { pool, table })
    }

    /// The tables, with this store's names.
    pub fn schema_sql(&self) -> String {
        self.table.text(Self::SCHEMA_SQL)
    }

    /// Creates the tables if they are missing, or upgrades them. It may run any number of times, by many processes at
    /// once, and needs the right to create only if there is something to do.
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
        sqlx::raw_sql(MIGRATION_LOCK).execute(&mut *transaction).await?;
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
        let delete = "DELETE FROM \"checkfu_cursors\" WHERE updated_at < $1::timestamptz AND";
        let delete = self.table.sql(&format!("{delete} {ENDED}"));
        let mut transaction = self.begin().await?;
        let delete = sqlx::query(delete).persistent(false).bind(before.to_string());
        let pruned = delete.execute(&mut *transaction).await?.rows_affected();
        self.commit(transaction).await?;
        Ok(pruned)
    }

    /// The version of the tables; `None` where one is missing.
    async fn version(
        &self,
        transaction: &mut Transaction<'static, Postgres>,
    ) -> Result<Option<i64>, SqlxCursorError> {
        let [cursors, versions] = self.table.quoted();
        // A checked name holds no quote that would end the text.
        let exist =
            format!("SELECT to_regclass('{cursors}') IS NOT NULL AND to_regclass('{versions}') IS NOT NULL");
        let exist = sqlx::raw_sql(AssertSqlSafe(exist));
        if !exist.fetch_one(&mut **transaction).await?.try_get::<bool, _>(0)? {
            return Ok(None);
        }
        let version = self
            .table
            .sql("SELECT coalesce(max(version), 0) FROM \"checkfu_cursors_schema\"");
        let version = sqlx::raw_sql(version).fetch_one(&mut **transaction).await?;
        Ok(Some(version.try_get(0)?))
    }
}

impl CursorStore for PgCursorStore {
    type Transaction = Transaction<'static, Postgres>;
    type Error = SqlxCursorError;

    async fn prepare(&self) -> Result<(), SqlxCursorError> {
        let mut transaction = self.begin().await?;
        let found = self.version(&mut transaction).await?;
        self.commit(transaction).await?;
        SCHEMA.check(&self.table, found)
    }

    async fn begin(&self) -> Result<Self::Transaction, SqlxCursorError> {
        begin(&self.pool, BEGIN).await
    }

    async fn lock(
        &self,
        transaction: &mut Self::Transaction,
        key: &CursorKey,
    ) -> Result<Cursor, SqlxCursorError> {
        loop {
            let select = self.table.sql(
                "SELECT seq, event_id, settlement FROM \"checkfu_cursors\" \
                 WHERE consumer = $1 AND session_id = $2 AND session_thread_id = $3 FOR UPDATE",
            );
            let row = sqlx::query(select)
                .persistent(false)
                .bind(&key.consumer)
                .bind(key.session_id.as_str())
                .bind(thread(key))
                .fetch_optional(&mut **transaction)
                .await?;
            if let Some(row) = row {
                let stored = StoredCursor {
                    seq: row.try_get("seq")?,
                    event_id: row.try_get("event_id")?,
                    settlement: row.try_get("settlement")?,
                };
                return stored.read();
            }
            // A rival that makes the same row is waited for here. If it commits, its row is locked next.
            let insert = self.table.sql(
                "INSERT INTO \"checkfu_cursors\" (consumer, session_id, session_thread_id, seq) \
                 VALUES ($1, $2, $3, 0) ON CONFLICT DO NOTHING",
            );
            sqlx::query(insert)
                .persistent(false)
                .bind(&key.consumer)
                .bind(key.session_id.as_str())
                .bind(thread(key))
                .execute(&mut **transaction)
                .await?;
        }
    }

    async fn advance(
        &self,
        transaction: &mut Self::Transaction,
        key: &CursorKey,
        from: Option<Seq>,
        to: &Cursor,
    ) -> Result<Advance, SqlxCursorError> {
        let upsert = self.table.sql(
            "INSERT INTO \"checkfu_cursors\" AS stored \
             (consumer, session_id, session_thread_id, seq, event_id, settlement) \
             SELECT $1, $2, $3, $4, $5, $6 WHERE $7 = coalesce((SELECT seq FROM \"checkfu_cursors\" \
             WHERE consumer = $1 AND session_id = $2 AND session_thread_id = $3), 0) \
             ON CONFLICT (consumer, session_id, session_thread_id) DO UPDATE SET \
             seq = excluded.seq, event_id = excluded.event_id, settlement = excluded.settlement, \
             updated_at = now() WHERE stored.seq = $7",
        );
        let stored = StoredCursor::write(to)?;
        let written = sqlx::query(upsert)
            .persistent(false)
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
             WHERE consumer = $1 AND session_id = $2 AND session_thread_id = $3",
        );
        let deleted = sqlx::query(delete)
            .persistent(false)
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
