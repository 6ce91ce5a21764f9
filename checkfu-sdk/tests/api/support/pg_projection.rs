use checkfu_sdk::Event;
use checkfu_sdk::cursor::{CursorStore, PgCursorStore};
use checkfu_sdk::follow::Follower;
use sqlx::postgres::PgConnection;
use sqlx::{PgPool, Postgres as Database, Transaction};

use super::postgres::Postgres;

pub(crate) type PgTransaction = Transaction<'static, Database>;

/// A namespace with the cursors and one table of effects, in which an effect that came twice stands twice.
#[derive(Clone)]
pub(crate) struct PgProjection {
    pub(crate) postgres: Postgres,
    pub(crate) pool: PgPool,
    pub(crate) store: PgCursorStore,
}

impl PgProjection {
    /// `None`, said loudly, where there is no server.
    pub(crate) async fn find(connections: u32) -> Option<Self> {
        let projection = Self::open(Postgres::find().await?, connections).await;
        projection.store.migrate().await.unwrap();
        let create = "CREATE TABLE applied (place BIGSERIAL, consumer TEXT NOT NULL, seq BIGINT NOT NULL)";
        sqlx::raw_sql(create).execute(&projection.pool).await.unwrap();
        Some(projection)
    }

    /// A namespace whose tables are there.
    pub(crate) async fn open(postgres: Postgres, connections: u32) -> Self {
        let pool = postgres.pool(connections).await;
        Self {
            postgres,
            store: PgCursorStore::new(pool.clone()),
            pool,
        }
    }

    /// The effects, in the order in which they were applied.
    pub(crate) async fn applied(&self) -> Vec<i64> {
        let select = "SELECT seq FROM applied WHERE consumer = 'billing' ORDER BY place";
        sqlx::query_scalar(select).fetch_all(&self.pool).await.unwrap()
    }

    /// The place of the stored cursor; 0 where nothing was applied yet.
    pub(crate) async fn cursor(&self) -> Option<i64> {
        let select = "SELECT seq FROM checkfu_cursors WHERE consumer = 'billing'";
        sqlx::query_scalar(select)
            .fetch_optional(&self.pool)
            .await
            .unwrap()
    }
}

/// The effect of an event: one more row.
pub(crate) async fn apply(connection: &mut PgConnection, event: &Event) -> Result<(), sqlx::Error> {
    let seq = i64::try_from(event.seq().get()).unwrap();
    let insert = sqlx::query("INSERT INTO applied (consumer, seq) VALUES ('billing', $1)");
    let insert = insert.persistent(false).bind(seq);
    insert.execute(connection).await.map(drop)
}

/// Applies all that a follower still delivers.
pub(crate) async fn apply_rest<S: CursorStore<Transaction = PgTransaction>>(follower: &mut Follower<S>) {
    while let Some(mut delivery) = follower.next().await.unwrap() {
        let (event, transaction) = delivery.parts();
        apply(transaction, event).await.unwrap();
        delivery.commit().await.unwrap();
    }
}

impl PgProjection {
    /// Waits until a transaction of this namespace waits for a lock.
    pub(crate) async fn someone_waits(&self) {
        let waiting =
            "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1 AND wait_event_type = 'Lock'";
        loop {
            let waiting = sqlx::query_scalar::<_, i64>(waiting).bind(&self.postgres.namespace);
            if waiting.fetch_one(&self.pool).await.unwrap() > 0 {
                return;
            }
        }
    }
}
