use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

use checkfu_sdk::follow::FollowError;
use serde_json::{Value, json};

use crate::support::event::{idle, message, session};
use crate::support::fake_api::FakeApi;
use crate::support::pg_projection::{PgProjection, apply, apply_rest};
use crate::support::postgres::Postgres;
use crate::support::random::Random;

const ALONE: &str = "follow_postgres_kill::alone_until_killed";

/// How many processes are killed; 30 if it is not set.
const KILLS: &str = "CHECKFU_TEST_KILLS";

/// The most places that a process passes after the one at which it is to be killed. Three places are one event.
const BEYOND: u64 = 6;

/// The most events that one process and its rival apply, and one more.
const EVENTS_A_KILL: u64 = 10;

/// Starts this binary again as a follower that tells each place it passes, and kills it at the place `at`, or soon after.
fn start(api: &FakeApi, projection: &PgProjection, at: u64, parks: bool) -> Child {
    let last = if parks { at } else { at + BEYOND };
    Command::new(std::env::current_exe().unwrap())
        .args(["--exact", ALONE, "--include-ignored", "--nocapture"])
        .env("CHECKFU_TEST_URL", api.url())
        .env("CHECKFU_TEST_POSTGRES_URL", &projection.postgres.url)
        .env("CHECKFU_TEST_NAMESPACE", &projection.postgres.namespace)
        .env("CHECKFU_TEST_PLACES", last.to_string())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

async fn kill(mut child: Child, at: u64) {
    // The process ends with this pipe, so a test that fails leaves none behind.
    let _stdin = child.stdin.take().unwrap();
    let stdout = child.stdout.take().unwrap();
    let killed = tokio::task::spawn_blocking(move || {
        let mut lines = BufReader::new(stdout).lines().map_while(Result::ok);
        let reached = lines.any(|line| line.ends_with(&format!("PLACE {at}")));
        child.kill().unwrap();
        child.wait().unwrap();
        reached
    });
    assert!(killed.await.unwrap(), "the process never reached place {at}");
}

/// A rival in this process: it applies so many events, leaves the next one half done and goes.
async fn rival(api: &FakeApi, projection: &PgProjection, events: u64) {
    let session = api.client().sessions().events("sess_1");
    let follow = session.follow("billing", projection.store.clone());
    let mut follower = follow.start().await.unwrap();
    for left in (0..=events).rev() {
        let mut delivery = follower.next().await.unwrap().unwrap();
        let (event, transaction) = delivery.parts();
        apply(transaction, event).await.unwrap();
        if left > 0 {
            delivery.commit().await.unwrap();
        }
    }
}

/// FOL-1, FOL-2, FOL-3: processes that are killed at any instant, while a rival is at work on the same cursor in
/// PostgreSQL, leave each effect once and in order, and the cursor at the last one.
#[tokio::test]
async fn killed_rivals_on_postgres_apply_each_event_once() {
    let mut random = Random::new("killed_rivals_on_postgres_apply_each_event_once");
    let Some(projection) = PgProjection::find(4).await else {
        return;
    };
    let kills: u64 = std::env::var(KILLS).map_or(30, |kills| kills.parse().unwrap());
    let events = kills * EVENTS_A_KILL + 1;
    let log: Vec<Value> = (1..events)
        .map(message)
        .chain([idle(events, "end_turn")])
        .collect();
    let api = FakeApi::start().await;
    api.set_session(session("running", json!(null), events))
        .set_log(log)
        .set_page(100)
        .stream_the_log();
    let mut held = 0;
    for number in 0..kills {
        let (at, parks) = (1 + random.below(9), random.below(2) == 0);
        let child = start(&api, &projection, at, parks);
        tokio::join!(kill(child, at), rival(&api, &projection, random.below(4)));
        // The database takes its time to see that a process is gone; the lock is free once it has.
        let (applied, cursor) = state(&projection).await;
        let expected: Vec<i64> = (1..=cursor).collect();
        assert_eq!(applied, expected, "after {} kills", number + 1);
        held += u64::from(parks && at % 3 != 0);
    }
    eprintln!("{held} of {kills} died in a transaction");
    let session = api.client().sessions().events("sess_1");
    let follow = session.follow("billing", projection.store.clone());
    let mut follower = follow.start().await.unwrap();
    apply_rest(&mut follower).await;
    let expected: Vec<i64> = (1..=i64::try_from(events).unwrap()).collect();
    assert_eq!(
        state(&projection).await,
        (expected, i64::try_from(events).unwrap())
    );
}

/// The effects and the cursor, as one statement sees them.
async fn state(projection: &PgProjection) -> (Vec<i64>, i64) {
    let select = "SELECT coalesce((SELECT array_agg(seq ORDER BY place) FROM applied), '{}'), \
                  coalesce((SELECT seq FROM checkfu_cursors), 0)";
    sqlx::query_as(select).fetch_one(&projection.pool).await.unwrap()
}

#[tokio::test]
#[ignore = "half of killed_rivals_on_postgres_apply_each_event_once, which starts it in a process of its own"]
async fn alone_until_killed() -> Result<(), FollowError<checkfu_sdk::cursor::SqlxCursorError>> {
    std::thread::spawn(|| {
        let _ = std::io::stdin().read_to_end(&mut Vec::new());
        std::process::exit(1);
    });
    let variable = |name: &str| std::env::var(name).unwrap();
    let last: u64 = variable("CHECKFU_TEST_PLACES").parse().unwrap();
    let postgres = Postgres::at(
        variable("CHECKFU_TEST_POSTGRES_URL"),
        variable("CHECKFU_TEST_NAMESPACE"),
    );
    let projection = PgProjection::open(postgres, 2).await;
    let client = checkfu_sdk::Client::builder()
        .base_url(variable("CHECKFU_TEST_URL"))
        .api_key("k")
        .build()
        .unwrap();
    let events = client.sessions().events("sess_1");
    let mut follower = events.follow("billing", projection.store.clone()).start().await?;
    let mut passed = 0;
    let mut pass = async || {
        passed += 1;
        println!("\nPLACE {passed}");
        if passed == last {
            std::future::pending::<()>().await;
        }
    };
    while let Some(mut delivery) = follower.next().await? {
        pass().await;
        let (event, transaction) = delivery.parts();
        apply(transaction, event).await.unwrap();
        pass().await;
        delivery.commit().await?;
        pass().await;
    }
    Ok(())
}
