use checkfu_sdk::Event;
use checkfu_sdk::cursor::{Cursor, CursorKey, Position, SqliteCursorStore, SqlxCursorError};
use checkfu_sdk::follow::FollowError;
use serde_json::json;
use sqlx::{Sqlite, Transaction};

use crate::support::event::{frames, idle, message, session};
use crate::support::fake_api::{FakeApi, stream};
use crate::support::kills::{Database, Without, be_killed, killed_rivals, kills};
use crate::support::place::{kill_at, pass};
use crate::support::projection::{Projection, apply, apply_rest};
use crate::support::random::Random;

const ALONE: &str = "follow_kill::alone_until_killed";
const ALONE_WITH_A_RIVAL: &str = "follow_kill::alone_with_a_rival_until_killed";

/// Kills a follower in a process of its own at the place `stop_at`.
async fn run_and_kill(api: &FakeApi, projection: &Projection, stop_at: &str) {
    let database = projection.path().into_os_string().into_string().unwrap();
    let variables = [
        ("CHECKFU_TEST_URL", api.url()),
        ("CHECKFU_TEST_DATABASE", &*database),
    ];
    kill_at(ALONE, stop_at, &variables).await;
}

/// FOL-3, REP-7: a process killed between the effect and the cursor, and one killed right after the commit, leave each
/// effect once in the database.
#[tokio::test]
async fn a_killed_follower_applies_each_event_once() {
    let api = FakeApi::start().await;
    let log = [message(1), message(2), message(3), idle(4, "end_turn")];
    api.set_session(session("running", json!(null), 4))
        .set_log(log.to_vec());
    for _ in 0..5 {
        api.on_stream(stream(frames(&log)));
    }
    let projection = Projection::new().await;
    for (stop_at, applied) in [
        ("1 effect", vec![]),
        ("1 commit", vec![1]),
        ("3 effect", vec![1, 2]),
        ("3 effect", vec![1, 2]),
    ] {
        run_and_kill(&api, &projection, stop_at).await;
        assert_eq!(projection.applied().await, applied, "killed after {stop_at}");
        assert_eq!(
            projection.cursor().await.map(|(seq, _)| seq),
            applied.last().copied()
        );
    }
    let events = api.client().sessions().events("sess_1");
    let mut follower = events
        .follow("billing", projection.store.clone())
        .start()
        .await
        .unwrap();
    apply_rest(&mut follower).await;
    assert_eq!(projection.applied().await, [1, 2, 3, 4]);
}

#[tokio::test]
#[ignore = "half of a_killed_follower_applies_each_event_once, which starts it in a process of its own"]
async fn alone_until_killed() {
    let variable = |name: &str| std::env::var(name).unwrap();
    let projection = Projection::open(std::path::Path::new(&variable("CHECKFU_TEST_DATABASE")), 2).await;
    let client = checkfu_sdk::Client::builder()
        .base_url(variable("CHECKFU_TEST_URL"))
        .api_key("k")
        .build()
        .unwrap();
    let follow = client
        .sessions()
        .events("sess_1")
        .follow("billing", projection.store.clone());
    let mut follower = follow.start().await.unwrap();
    while let Some(mut delivery) = follower.next().await.unwrap() {
        let seq = delivery.event().seq();
        let (event, transaction) = delivery.parts();
        apply(transaction, event).await.unwrap();
        pass(&format!("{seq} effect")).await;
        delivery.commit().await.unwrap();
        pass(&format!("{seq} commit")).await;
    }
}

impl Database for Projection {
    type Transaction = Transaction<'static, Sqlite>;
    type Store = SqliteCursorStore;

    fn store(&self) -> &SqliteCursorStore {
        &self.store
    }

    async fn begin(&self) -> Result<Self::Transaction, SqlxCursorError> {
        let mut transaction = self.pool.begin().await?;
        // Two that wait for each other need not wait for long.
        sqlx::query("PRAGMA busy_timeout = 100")
            .execute(&mut *transaction)
            .await?;
        Ok(transaction)
    }

    async fn read(transaction: &mut Self::Transaction, key: &CursorKey) -> Result<Cursor, SqlxCursorError> {
        let select = "SELECT seq FROM checkfu_cursors WHERE consumer = ? AND session_id = ?";
        let select = sqlx::query_scalar::<_, i64>(select).bind(&key.consumer);
        let select = select.bind(key.session_id.as_str());
        let seq = select.fetch_optional(&mut **transaction).await?;
        let seq = seq.and_then(|seq| checkfu_sdk::Seq::new(u64::try_from(seq).unwrap()));
        Ok(Cursor::new(seq.map(|seq| Position::new(seq, None)), None))
    }

    async fn apply(transaction: &mut Self::Transaction, event: &Event) -> Result<(), sqlx::Error> {
        apply(transaction, event).await
    }

    async fn state(&self) -> (Vec<i64>, i64) {
        let select = "SELECT coalesce((SELECT json_group_array(seq) FROM (SELECT seq FROM applied ORDER BY rowid)), '[]'), \
                      coalesce((SELECT seq FROM checkfu_cursors), 0)";
        let state: (String, i64) = sqlx::query_as(select).fetch_one(&self.pool).await.unwrap();
        (serde_json::from_str(&state.0).unwrap(), state.1)
    }

    fn variables(&self) -> Vec<(&'static str, String)> {
        let path = self.path().into_os_string().into_string();
        vec![("CHECKFU_TEST_DATABASE", path.unwrap())]
    }
}

/// FOL-1, FOL-2, FOL-3, STR-4: processes that are killed at any instant, while a rival is at work on the same cursor in
/// SQLite and the server breaks off, repeats and splits, leave each effect once and in order, and the cursor at the last one.
#[tokio::test]
async fn killed_rivals_apply_each_event_once() {
    let mut random = Random::new("killed_rivals_apply_each_event_once");
    let projection = Projection::new().await;
    let killed = killed_rivals(
        &projection,
        ALONE_WITH_A_RIVAL,
        Without::Nothing,
        kills(),
        &mut random,
    )
    .await;
    assert_eq!(killed, Ok(()));
}

/// FOL-1, FOL-2: the same processes go wrong where the cursor is not locked, and where one in memory decides.
#[tokio::test]
async fn killed_rivals_go_wrong_without_the_rules() {
    let mut random = Random::new("killed_rivals_go_wrong_without_the_rules");
    for without in [Without::Lock, Without::DuplicateCheck] {
        let projection = Projection::new().await;
        let killed = killed_rivals(&projection, ALONE_WITH_A_RIVAL, without, kills(), &mut random).await;
        let wrong = killed.expect_err(&format!("{without:?} is not needed"));
        eprintln!("without {without:?}: {wrong}");
    }
}

#[tokio::test]
#[ignore = "the process that the tests with a rival kill"]
async fn alone_with_a_rival_until_killed() -> Result<(), FollowError<SqlxCursorError>> {
    let path = std::env::var("CHECKFU_TEST_DATABASE").unwrap();
    be_killed(Projection::open(std::path::Path::new(&path), 2).await).await
}
