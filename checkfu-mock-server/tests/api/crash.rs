//! SIGKILL at any instant: what was answered stands, once, and the program goes on from what stands.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::support::client::Client;
use crate::support::frames::{Frame, Frames, PATIENCE};
use crate::support::process::{Process, program};
use crate::support::random::Random;
use crate::support::world::{message, until_status};

const ROUNDS: u64 = 50;

/// SES-1, SES-5, A-IDEM, STR-2: the program is killed at a random instant, 50 times on one data directory, while a writer
/// appends keyed messages and a follower copies the log into a table. No acknowledged event is missing, no `seq` ever
/// has another id, a write whose answer was lost is sent again and stands once, every Run settles once, and the
/// follower's table is the log.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn kills_at_random_instants_lose_nothing_and_repeat_nothing() {
    let mut random = Random::seeded("kills_at_random_instants_lose_nothing_and_repeat_nothing");
    let directory = tempfile::tempdir().unwrap();
    let (addresses, address) = watch::channel(None);
    let mut process = start(directory.path()).await;
    let session = new_session(&process).await;
    addresses.send_replace(Some(process.client.clone()));
    let (stop, stopping) = watch::channel(false);
    let (settled, settling) = watch::channel(0);
    let writer = tokio::spawn(write(address.clone(), session.clone(), stopping, settling));
    let table = directory.path().join("follower.sqlite3");
    let follower = tokio::spawn(follow(address.clone(), session.clone(), table.clone(), settled));

    for _ in 0..ROUNDS {
        tokio::time::sleep(Duration::from_micros(random.below(120_000))).await;
        addresses.send_replace(None);
        process.kill().await;
        process = start(directory.path()).await;
        addresses.send_replace(Some(process.client.clone()));
    }
    stop.send_replace(true);
    let acknowledged = finish(writer).await;
    until_status(&process.client, &session, "idle").await;
    process
        .client
        .post(&format!("/v1/sessions/{session}/complete"), &json!({}))
        .await
        .ok(200);
    finish(follower).await;

    let log = whole_log(&process.client, &session).await;
    check_log(&log, &acknowledged);
    assert_eq!(
        table_rows(&table),
        log.iter().map(row_of).collect::<Vec<_>>(),
        "the follower's table is the log"
    );
    println!(
        "{} messages over {ROUNDS} kills, {} events",
        acknowledged.len(),
        log.len()
    );
    assert!(
        acknowledged.len() as u64 >= ROUNDS / 2,
        "the writer got nowhere: {}",
        acknowledged.len()
    );
}

async fn start(directory: &Path) -> Process {
    let mut command = program(directory);
    command.args(["--step-delay-ms", "2"]);
    Process::start(command).await
}

async fn new_session(process: &Process) -> String {
    let body = json!({
        "agent_deployment_id": process.announcement["agent_deployment_id"],
        "principal_id": process.announcement["principal_id"],
    });
    let created = process.client.post("/v1/sessions", &body).await.ok(201);
    created["id"].as_str().unwrap().to_owned()
}

/// Where the program listens now, once it does.
async fn current(address: &mut watch::Receiver<Option<Client>>) -> Client {
    let client = tokio::time::timeout(PATIENCE, address.wait_for(Option::is_some))
        .await
        .unwrap();
    client.unwrap().clone().unwrap()
}

/// Appends messages one after the other, each under its own key, and repeats each until it is answered. It stays at most
/// four Runs ahead of the agent.
async fn write(
    mut address: watch::Receiver<Option<Client>>,
    session: String,
    stopping: watch::Receiver<bool>,
    mut settled: watch::Receiver<usize>,
) -> Vec<Value> {
    let path = format!("/v1/sessions/{session}/events");
    let mut acknowledged = Vec::new();
    while !*stopping.borrow() {
        let number = acknowledged.len();
        let caught_up = settled.wait_for(|settled| number < settled + 4);
        if tokio::time::timeout(PATIENCE, caught_up).await.is_err() {
            panic!("the agent stands still behind {number} messages");
        }
        let body = Bytes::from(message(&format!("message {number}")).to_string());
        let accepted = loop {
            let client = current(&mut address)
                .await
                .with("idempotency-key", &format!("key-{number}"));
            match client.try_call("POST", &path, body.clone()).await {
                Ok(answer) => break answer.ok(202),
                Err(_) => tokio::task::yield_now().await,
            }
        };
        acknowledged.push(accepted);
    }
    acknowledged
}

/// Copies the log into a table, cursor and row in one transaction, and resumes from that cursor after every kill, until
/// the Session has ended.
async fn follow(
    mut address: watch::Receiver<Option<Client>>,
    session: String,
    table: PathBuf,
    settled: watch::Sender<usize>,
) {
    let mut database = rusqlite::Connection::open(table).unwrap();
    database
        .execute_batch(
            "CREATE TABLE seen (seq INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, type TEXT NOT NULL);
             CREATE TABLE cursor (seq INTEGER NOT NULL); INSERT INTO cursor VALUES (0);",
        )
        .unwrap();
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
            let transaction = database.transaction().unwrap();
            // The table's keys refuse a `seq` that comes a second time and an id that moves.
            transaction
                .execute(
                    "INSERT INTO seen VALUES (?1, ?2, ?3)",
                    (seq.cast_signed(), &id, &type_name),
                )
                .unwrap();
            transaction
                .execute("UPDATE cursor SET seq = ?1", [seq.cast_signed()])
                .unwrap();
            transaction.commit().unwrap();
            match type_name.as_str() {
                "run.completed" => settled.send_modify(|settled| *settled += 1),
                "session.status_completed" => return,
                _ => {}
            }
        }
    }
}

async fn finish<T>(task: JoinHandle<T>) -> T {
    tokio::time::timeout(PATIENCE * 2, task)
        .await
        .expect("it does not come to an end")
        .unwrap()
}

async fn whole_log(client: &Client, session: &str) -> Vec<Value> {
    let mut log: Vec<Value> = Vec::new();
    loop {
        let after = log.last().map_or(0, |event| event["seq"].as_u64().unwrap());
        let path = format!("/v1/sessions/{session}/events?limit=1000&after={after}");
        let page = client.get(&path).await.ok(200);
        let data = page["data"].as_array().unwrap();
        if data.is_empty() {
            return log;
        }
        log.extend(data.iter().cloned());
    }
}

fn check_log(log: &[Value], acknowledged: &[Value]) {
    let seqs: Vec<u64> = log.iter().map(|event| event["seq"].as_u64().unwrap()).collect();
    assert!(seqs.is_sorted_by(|one, next| one < next), "seq rises");
    let ids: BTreeSet<&str> = log.iter().map(|event| event["id"].as_str().unwrap()).collect();
    assert_eq!(ids.len(), log.len(), "no id stands twice");
    let by_seq: BTreeMap<u64, &Value> = log
        .iter()
        .map(|event| (event["seq"].as_u64().unwrap(), event))
        .collect();
    for accepted in acknowledged {
        assert_eq!(
            by_seq[&accepted["seq"].as_u64().unwrap()],
            accepted,
            "an acknowledged event is as it was answered"
        );
    }
    let texts: Vec<&Value> = log
        .iter()
        .filter(|event| event["type"] == "user.message")
        .map(|event| &event["payload"]["content"][0]["text"])
        .collect();
    let expected: Vec<Value> = (0..acknowledged.len())
        .map(|number| json!(format!("message {number}")))
        .collect();
    assert_eq!(
        texts,
        expected.iter().collect::<Vec<_>>(),
        "each message stands once, in order"
    );
    for (type_name, count) in [
        ("run.created", 1),
        ("run.completed", 1),
        ("run.started", 1),
        ("agent.message", 3),
    ] {
        let mut runs: BTreeMap<&str, usize> = BTreeMap::new();
        for event in log.iter().filter(|event| event["type"] == type_name) {
            *runs.entry(event["run_id"].as_str().unwrap()).or_default() += 1;
        }
        assert_eq!(runs.len(), acknowledged.len(), "{type_name} of every Run");
        assert!(
            runs.values().all(|found| *found == count),
            "{type_name}, {count} a Run: {runs:?}"
        );
    }
}

fn row_of(event: &Value) -> (u64, String, String) {
    let text = |member: &str| event[member].as_str().unwrap().to_owned();
    (event["seq"].as_u64().unwrap(), text("id"), text("type"))
}

fn table_rows(table: &Path) -> Vec<(u64, String, String)> {
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
