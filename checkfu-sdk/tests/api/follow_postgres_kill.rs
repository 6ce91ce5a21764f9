use checkfu_sdk::Event;
use checkfu_sdk::cursor::{Cursor, CursorKey, CursorStore, PgCursorStore, Position, SqlxCursorError};
use checkfu_sdk::follow::FollowError;

use crate::support::kills::{Database, Without, be_killed, killed_rivals, kills};
use crate::support::pg_projection::{PgProjection, PgTransaction, apply};
use crate::support::postgres::Postgres;
use crate::support::random::Random;

const ALONE: &str = "follow_postgres_kill::alone_until_killed";

impl Database for PgProjection {
    type Transaction = PgTransaction;
    type Store = PgCursorStore;

    fn store(&self) -> &PgCursorStore {
        &self.store
    }

    async fn begin(&self) -> Result<PgTransaction, SqlxCursorError> {
        self.store.begin().await
    }

    async fn read(transaction: &mut PgTransaction, key: &CursorKey) -> Result<Cursor, SqlxCursorError> {
        let select = "SELECT seq FROM checkfu_cursors WHERE consumer = $1 AND session_id = $2";
        let select = sqlx::query_scalar::<_, i64>(select).bind(&key.consumer);
        let select = select.bind(key.session_id.as_str());
        let seq = select.fetch_optional(&mut **transaction).await?;
        let seq = seq.and_then(|seq| checkfu_sdk::Seq::new(u64::try_from(seq).unwrap()));
        Ok(Cursor::new(seq.map(|seq| Position::new(seq, None)), None))
    }

    async fn apply(transaction: &mut PgTransaction, event: &Event) -> Result<(), sqlx::Error> {
        apply(transaction, event).await
    }

    async fn state(&self) -> (Vec<i64>, i64) {
        let select = "SELECT coalesce((SELECT array_agg(seq ORDER BY place) FROM applied), '{}'), \
                      coalesce((SELECT seq FROM checkfu_cursors), 0)";
        sqlx::query_as(select).fetch_one(&self.pool).await.unwrap()
    }

    fn variables(&self) -> Vec<(&'static str, String)> {
        vec![
            ("CHECKFU_TEST_POSTGRES_URL", self.postgres.url.clone()),
            ("CHECKFU_TEST_NAMESPACE", self.postgres.namespace.clone()),
        ]
    }
}

/// FOL-1, FOL-2, FOL-3, STR-4: processes that are killed at any instant, while a rival is at work on the same cursor in
/// PostgreSQL and the server breaks off, repeats and splits, leave each effect once and in order, and the cursor at the last
/// one.
#[tokio::test]
async fn killed_rivals_on_postgres_apply_each_event_once() {
    let mut random = Random::new("killed_rivals_on_postgres_apply_each_event_once");
    let Some(projection) = PgProjection::find(4).await else {
        return;
    };
    let killed = killed_rivals(&projection, ALONE, Without::Nothing, kills(), &mut random).await;
    assert_eq!(killed, Ok(()));
}

/// FOL-1, FOL-2: the same processes go wrong where the cursor is not locked, and where one in memory decides.
#[tokio::test]
async fn killed_rivals_on_postgres_go_wrong_without_the_rules() {
    let mut random = Random::new("killed_rivals_on_postgres_go_wrong_without_the_rules");
    for without in [Without::Lock, Without::DuplicateCheck] {
        let Some(projection) = PgProjection::find(4).await else {
            return;
        };
        let killed = killed_rivals(&projection, ALONE, without, kills(), &mut random).await;
        let wrong = killed.expect_err(&format!("{without:?} is not needed"));
        eprintln!("without {without:?}: {wrong}");
    }
}

#[tokio::test]
#[ignore = "the process that the tests of this file kill"]
async fn alone_until_killed() -> Result<(), FollowError<SqlxCursorError>> {
    let variable = |name: &str| std::env::var(name).unwrap();
    let postgres = Postgres::at(
        variable("CHECKFU_TEST_POSTGRES_URL"),
        variable("CHECKFU_TEST_NAMESPACE"),
    );
    Box::pin(be_killed(PgProjection::open(postgres, 2).await)).await
}
