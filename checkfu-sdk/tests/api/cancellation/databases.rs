use std::future::Future;

use checkfu_sdk::Event;
use checkfu_sdk::cursor::{CursorStore, PgCursorStore, SqliteCursorStore};
use sqlx::{Postgres, Row, Sqlite, Transaction};
use tempfile::TempDir;

use crate::support::pg_projection::PgProjection;
use crate::support::projection::{Projection, apply_for};

/// A database with a store and a table of effects, and a pool of one connection: what keeps hold of that stops all that
/// comes after it.
pub(super) trait Database: Sized {
    type Transaction: Send;
    type Store: CursorStore<Transaction = Self::Transaction> + Clone;

    /// `None`, said loudly, where there is no server.
    async fn open() -> Option<Self>;
    fn store(&self) -> Self::Store;
    fn apply(
        consumer: &str,
        transaction: &mut Self::Transaction,
        event: &Event,
    ) -> impl Future<Output = ()> + Send;
    /// The effects, in the order in which they were applied.
    async fn applied(&self, consumer: &str) -> Vec<i64>;
    async fn cursor(&self, consumer: &str) -> Option<i64>;
    /// The one connection is free, and in no transaction.
    async fn nothing_is_held(&self);
}

pub(super) struct OnSqlite {
    pub(super) projection: Projection,
    _directory: TempDir,
}

impl Database for OnSqlite {
    type Transaction = Transaction<'static, Sqlite>;
    type Store = SqliteCursorStore;

    async fn open() -> Option<Self> {
        let directory = tempfile::tempdir().unwrap();
        let projection = Projection::open(&directory.path().join("p.db"), 1).await;
        Some(Self {
            projection,
            _directory: directory,
        })
    }

    fn store(&self) -> SqliteCursorStore {
        self.projection.store.clone()
    }

    async fn apply(consumer: &str, transaction: &mut Self::Transaction, event: &Event) {
        apply_for(consumer, transaction, event).await.unwrap();
    }

    async fn applied(&self, consumer: &str) -> Vec<i64> {
        self.projection.applied_by(consumer).await
    }

    async fn cursor(&self, consumer: &str) -> Option<i64> {
        let select = sqlx::query_scalar("SELECT seq FROM checkfu_cursors WHERE consumer = ?");
        let select = select.bind(consumer);
        select.fetch_optional(&self.projection.pool).await.unwrap()
    }

    async fn nothing_is_held(&self) {
        let mut connection = self.projection.pool.acquire().await.unwrap();
        // It is refused within a transaction.
        for statement in ["BEGIN IMMEDIATE", "ROLLBACK"] {
            let statement = sqlx::raw_sql(statement);
            statement.execute(&mut *connection).await.unwrap();
        }
    }
}

pub(super) struct OnPostgres {
    pub(super) projection: PgProjection,
}

impl Database for OnPostgres {
    type Transaction = Transaction<'static, Postgres>;
    type Store = PgCursorStore;

    async fn open() -> Option<Self> {
        let projection = PgProjection::find(1).await?;
        Some(Self { projection })
    }

    fn store(&self) -> PgCursorStore {
        self.projection.store.clone()
    }

    async fn apply(consumer: &str, transaction: &mut Self::Transaction, event: &Event) {
        let seq = i64::try_from(event.seq().get()).unwrap();
        let insert = sqlx::query("INSERT INTO applied (consumer, seq) VALUES ($1, $2)");
        let insert = insert.bind(consumer).bind(seq);
        insert.execute(&mut **transaction).await.unwrap();
    }

    async fn applied(&self, consumer: &str) -> Vec<i64> {
        let select = "SELECT seq FROM applied WHERE consumer = $1 ORDER BY place";
        let select = sqlx::query_scalar(select).bind(consumer);
        select.fetch_all(&self.projection.pool).await.unwrap()
    }

    async fn cursor(&self, consumer: &str) -> Option<i64> {
        let select = sqlx::query_scalar("SELECT seq FROM checkfu_cursors WHERE consumer = $1");
        let select = select.bind(consumer);
        select.fetch_optional(&self.projection.pool).await.unwrap()
    }

    async fn nothing_is_held(&self) {
        // Within a transaction `now()` is when that began. The other protocol has several messages for a statement.
        let between = sqlx::raw_sql("SELECT now() = statement_timestamp()");
        let between = between.fetch_one(&self.projection.pool).await.unwrap();
        let between: bool = between.try_get(0).unwrap();
        assert!(between, "the connection is still in a transaction");
    }
}
