use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use checkfu_sdk::Event;
use checkfu_sdk::cursor::SqliteCursorStore;
use checkfu_sdk::follow::{Delivery, Follower};
use sqlx::SqlitePool;
use sqlx::sqlite::{SqliteConnectOptions, SqliteConnection, SqlitePoolOptions};
use tempfile::TempDir;

/// A database file with the cursors and one table of effects, in which an effect that came twice stands twice.
#[derive(Clone)]
pub(crate) struct Projection {
    pub(crate) pool: SqlitePool,
    pub(crate) store: SqliteCursorStore,
    directory: Option<Arc<TempDir>>,
}

impl Projection {
    pub(crate) async fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        let mut projection = Self::open(&directory.path().join("projection.db"), 4).await;
        projection.directory = Some(Arc::new(directory));
        projection
    }

    pub(crate) async fn open(path: &Path, connections: u32) -> Self {
        let options = SqliteConnectOptions::new().filename(path).create_if_missing(true);
        let options = options.busy_timeout(Duration::from_secs(60));
        let pool = SqlitePoolOptions::new()
            .max_connections(connections)
            .connect_with(options)
            .await
            .unwrap();
        let store = SqliteCursorStore::new(pool.clone());
        store.migrate().await.unwrap();
        let create = "CREATE TABLE IF NOT EXISTS applied (consumer TEXT NOT NULL, seq INTEGER NOT NULL)";
        sqlx::query(create).execute(&pool).await.unwrap();
        Self {
            pool,
            store,
            directory: None,
        }
    }

    pub(crate) fn path(&self) -> std::path::PathBuf {
        self.directory.as_ref().unwrap().path().join("projection.db")
    }

    /// The effects, in the order in which they were applied.
    pub(crate) async fn applied(&self) -> Vec<i64> {
        self.applied_by("billing").await
    }

    pub(crate) async fn applied_by(&self, consumer: &str) -> Vec<i64> {
        let select = "SELECT seq FROM applied WHERE consumer = ? ORDER BY rowid";
        sqlx::query_scalar(select)
            .bind(consumer)
            .fetch_all(&self.pool)
            .await
            .unwrap()
    }

    /// The stored cursor: its place and the event there.
    pub(crate) async fn cursor(&self) -> Option<(i64, Option<String>)> {
        let select = "SELECT seq, event_id FROM checkfu_cursors WHERE consumer = 'billing'";
        sqlx::query_as(select).fetch_optional(&self.pool).await.unwrap()
    }
}

/// The effect of an event: one more row.
pub(crate) async fn apply(connection: &mut SqliteConnection, event: &Event) -> Result<(), sqlx::Error> {
    apply_for("billing", connection, event).await
}

/// The next event of a follower, applied and not committed.
pub(crate) async fn apply_next(
    follower: &mut Follower<SqliteCursorStore>,
) -> Delivery<'_, SqliteCursorStore> {
    let mut delivery = follower.next().await.unwrap().unwrap();
    let (event, transaction) = delivery.parts();
    apply(transaction, event).await.unwrap();
    delivery
}

/// Applies all that a follower still delivers.
pub(crate) async fn apply_rest(follower: &mut Follower<SqliteCursorStore>) {
    while let Some(mut delivery) = follower.next().await.unwrap() {
        let (event, transaction) = delivery.parts();
        apply(transaction, event).await.unwrap();
        delivery.commit().await.unwrap();
    }
}

pub(crate) async fn apply_for(
    consumer: &str,
    connection: &mut SqliteConnection,
    event: &Event,
) -> Result<(), sqlx::Error> {
    let seq = i64::try_from(event.seq().get()).unwrap();
    let insert = sqlx::query("INSERT INTO applied (consumer, seq) VALUES (?, ?)");
    insert
        .bind(consumer)
        .bind(seq)
        .execute(connection)
        .await
        .map(drop)
}
