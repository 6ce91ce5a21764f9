//! Two followers that copy a log into a table, cursor and row in one transaction: one of plain SQL on the tests' own
//! client, one of the SDK.

use std::path::{Path, PathBuf};
use std::time::Duration;

use checkfu_sdk::cursor::SqliteCursorStore;
use checkfu_sdk::follow::FollowError;
use checkfu_sdk::retry::ReconnectPolicy;
use serde_json::Value;
use sqlx::SqlitePool;
use sqlx::sqlite::{SqliteConnectOptions, SqlitePoolOptions};
use tokio::sync::watch;

use crate::support::client::Client;
use crate::support::frames::{Frame, Frames};
use crate::support::process::current;

/// A row of the table.
pub(super) type Row = (u64, String, String);

/// The table's keys refuse a `seq` that comes a second time and an id that moves.
const TABLE: &str =
    "CREATE TABLE seen (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, type TEXT NOT NULL);";

/// Follows with plain SQL until the Session has ended, resuming from the cursor after every kill; tells how many Runs
/// it has seen settle.
pub(super) async fn follow_by_hand(
    mut address: watch::Receiver<Option<Client>>,
    session: String,
    table: PathBuf,
    settled: watch::Sender<usize>,
) {
    let mut database = rusqlite::Connection::open(table).unwrap();
    let cursor = "CREATE TABLE cursor (seq INTEGER NOT NULL); INSERT INTO cursor VALUES (0);";
    database.execute_batch(&format!("{TABLE} {cursor}")).unwrap();
    loop {
        let cursor: i64 = database
            .query_row("SELECT seq FROM cursor", [], |row| row.get(0))
            .unwrap();
        let client = current(&mut address).await;
        let Ok(mut stream) = Frames::try_open(&client, &session, Some(cursor.cast_unsigned())).await else {
            tokio::task::yield_now().await;
            continue;
        };
        while let Ok(Some(frame)) = stream.try_next().await {
            let Frame::Event(event) = frame else { continue };
            let (seq, id, type_name) = row_of(&event);
            let seq = seq.cast_signed();
            let transaction = database.transaction().unwrap();
            transaction
                .execute("INSERT INTO seen VALUES (?1, ?2, ?3)", (seq, &id, &type_name))
                .unwrap();
            transaction.execute("UPDATE cursor SET seq = ?1", [seq]).unwrap();
            transaction.commit().unwrap();
            match type_name.as_str() {
                "run.completed" => settled.send_modify(|settled| *settled += 1),
                "session.status_completed" => return,
                _ => {}
            }
        }
    }
}

/// Follows with the SDK, turn after turn, until the Session has ended.
pub(super) async fn follow_by_sdk(
    mut address: watch::Receiver<Option<Client>>,
    session: String,
    table: PathBuf,
) {
    let pool = open(&table).await;
    sqlx::raw_sql(TABLE).execute(&pool).await.unwrap();
    let store = SqliteCursorStore::new(pool);
    store.migrate().await.unwrap();
    loop {
        let client = current(&mut address).await;
        let sdk = checkfu_sdk::Client::builder()
            .base_url(format!("http://{}", client.authority))
            .api_key(client.key.unwrap())
            .reconnect_policy(ReconnectPolicy::default().max_reconnects(0))
            .build()
            .unwrap();
        match follow_one_turn(&sdk, &session, &store).await {
            Ok(true) => return,
            // At rest, or between two lives of the program.
            Ok(false) => tokio::time::sleep(Duration::from_millis(2)).await,
            Err(error) if error.is_retryable() => tokio::task::yield_now().await,
            Err(error) => panic!("{error}"),
        }
    }
}

/// Whether the Session has ended.
async fn follow_one_turn(
    sdk: &checkfu_sdk::Client,
    session: &str,
    store: &SqliteCursorStore,
) -> Result<bool, FollowError<<SqliteCursorStore as checkfu_sdk::cursor::CursorStore>::Error>> {
    let follow = sdk.sessions().events(session).follow("table", store.clone());
    let mut follower = follow.start().await?;
    let mut ended = false;
    while let Some(mut delivery) = follower.next().await? {
        let (event, transaction) = delivery.parts();
        let type_name = event.event_type().to_string();
        ended |= type_name == "session.status_completed";
        sqlx::query("INSERT INTO seen VALUES (?1, ?2, ?3)")
            .bind(event.seq().get().cast_signed())
            .bind(event.id().to_string())
            .bind(type_name)
            .execute(&mut **transaction)
            .await
            .unwrap();
        delivery.commit().await?;
    }
    Ok(ended)
}

async fn open(table: &Path) -> SqlitePool {
    let options = SqliteConnectOptions::new()
        .filename(table)
        .create_if_missing(true);
    SqlitePoolOptions::new()
        .max_connections(2)
        .connect_with(options)
        .await
        .unwrap()
}

/// What a follower keeps of an event.
pub(super) fn row_of(event: &Value) -> Row {
    let text = |member: &str| event[member].as_str().unwrap().to_owned();
    (event["seq"].as_u64().unwrap(), text("id"), text("type"))
}

/// What a follower has kept.
pub(super) fn rows(table: &Path) -> Vec<Row> {
    let database = rusqlite::Connection::open(table).unwrap();
    let mut query = database
        .prepare("SELECT seq, id, type FROM seen ORDER BY seq")
        .unwrap();
    let rows = query
        .query_map([], |row| {
            Ok((row.get::<_, i64>(0)?.cast_unsigned(), row.get(1)?, row.get(2)?))
        })
        .unwrap();
    rows.collect::<Result<_, _>>().unwrap()
}
