use std::sync::Arc;

use checkfu_sdk::follow::FollowError;
use futures::future::try_join_all;
use serde_json::json;
use tokio::sync::Notify;
use tokio::task::JoinSet;

use crate::support::alone::{open_files, run_with_open_files};
use crate::support::event::{frames, idle, message, session};
use crate::support::fake_api::{FakeApi, Step, stream};
use crate::support::pg_projection::PgProjection;

const FOLLOWERS: usize = 1_000;
const CONNECTIONS: u32 = 5;

/// A follower needs a socket, and the server of the test another.
const OPEN_FILES: u64 = 4_096;

/// No connection and no transaction of the database is held while streams are silent: 1,000 followers of as many consumers
/// live on a pool of five, all five are free while they wait, and each follower is still there for its next event.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_idle_followers_share_five_connections() {
    if open_files() < OPEN_FILES {
        let test = "follow_postgres_idle::a_thousand_idle_followers_share_five_connections";
        return run_with_open_files(test, OPEN_FILES);
    }
    let Some(projection) = PgProjection::find(CONNECTIONS).await else {
        return;
    };
    let api = FakeApi::start().await;
    api.set_session(session("running", json!(null), 99));
    let signals: Vec<Arc<Notify>> = (0..FOLLOWERS).map(|_| Arc::default()).collect();
    for signal in &signals {
        let mut script = stream(frames(&[message(1)]));
        script.push(Step::Until(Arc::clone(signal)));
        script.push(Step::Send(frames(&[idle(2, "end_turn")]).into_bytes()));
        script.push(Step::Hang);
        api.on_stream(script);
    }
    let events = api.client().sessions().events("sess_1");
    let mut followers = JoinSet::new();
    for consumer in 0..FOLLOWERS {
        let follow = events.follow(format!("consumer-{consumer}"), projection.store.clone());
        followers.spawn(async move {
            let mut follower = follow.start().await?;
            while let Some(delivery) = follower.next().await? {
                delivery.commit().await?;
            }
            Ok::<_, FollowError<_>>(follower.settlement().unwrap().seq.get())
        });
    }
    let count = async |seq: i64| {
        let count = sqlx::query_scalar("SELECT count(*) FROM checkfu_cursors WHERE seq = $1").bind(seq);
        let count: i64 = count.fetch_one(&projection.pool).await.unwrap();
        usize::try_from(count).unwrap()
    };
    while count(1).await < FOLLOWERS {
        assert!(followers.try_join_next().is_none(), "a follower stopped");
    }
    let held = try_join_all((0..CONNECTIONS).map(|_| projection.pool.acquire()));
    let mut held = held.await.unwrap();
    assert!(projection.pool.size() <= CONNECTIONS && projection.pool.try_acquire().is_none());
    let open = "SELECT count(*) FROM pg_stat_activity WHERE application_name = $1 AND xact_start IS NOT NULL \
                AND pid <> pg_backend_pid()";
    let open = sqlx::query_scalar::<_, i64>(open).bind(&projection.postgres.namespace);
    assert_eq!(
        open.fetch_one(&mut *held[0]).await.unwrap(),
        0,
        "a transaction is open"
    );
    drop(held);
    signals.iter().for_each(|signal| signal.notify_one());
    while let Some(settled) = followers.join_next().await {
        assert_eq!(settled.unwrap().unwrap(), 2);
    }
    assert_eq!(count(2).await, FOLLOWERS);
}
