//! SIGKILL at any instant: what was answered stands, once, and the program goes on from what stands.

mod followers;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinHandle;

use followers::{follow_by_hand, follow_by_sdk, row_of, rows as follower_rows};

use crate::support::client::Client;
use crate::support::frames::PATIENCE;
use crate::support::process::{Process, current, program};
use crate::support::random::Random;
use crate::support::world::{message, until_status};

const ROUNDS: u64 = 50;

/// SES-1, SES-5, A-IDEM, STR-2: the program is killed at a random instant, 50 times on one data directory, while a writer
/// appends keyed messages and two followers copy the log into tables. No acknowledged event is missing, no `seq` ever
/// has another id, a write whose answer was lost is sent again and stands once, every Run settles once, and the
/// followers' tables are the log.
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
    let tables = ["by-hand.sqlite3", "by-sdk.sqlite3"].map(|name| directory.path().join(name));
    let by_hand = follow_by_hand(address.clone(), session.clone(), tables[0].clone(), settled);
    let by_sdk = follow_by_sdk(address.clone(), session.clone(), tables[1].clone());
    let followers = [tokio::spawn(by_hand), tokio::spawn(by_sdk)];

    for _ in 0..ROUNDS {
        tokio::time::sleep(Duration::from_micros(random.below(120_000))).await;
        addresses.send_replace(None);
        process.kill().await;
        process = start(directory.path()).await;
        addresses.send_replace(Some(process.client.clone()));
    }
    stop.send_replace(true);
    let Written {
        acknowledged,
        sent_again,
    } = finish(writer).await;
    until_status(&process.client, &session, "idle").await;
    process
        .client
        .post(&format!("/v1/sessions/{session}/complete"), &json!({}))
        .await
        .ok(200);
    for follower in followers {
        finish(follower).await;
    }

    let log = whole_log(&process.client, &session).await;
    check_log(&log, &acknowledged);
    let rows: Vec<_> = log.iter().map(row_of).collect();
    for table in &tables {
        assert_eq!(follower_rows(table), rows, "{} is the log", table.display());
    }
    println!(
        "{} messages, {sent_again} sent again, {} events",
        acknowledged.len(),
        log.len()
    );
    assert!(
        acknowledged.len() as u64 >= ROUNDS / 2,
        "the writer got nowhere: {}",
        acknowledged.len()
    );
    assert!(sent_again > 0, "no kill cut a write off");
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

/// What a writer was answered, and how often it had to send a message again.
struct Written {
    acknowledged: Vec<Value>,
    sent_again: usize,
}

/// Appends messages one after the other, each under its own key, and repeats each until it is answered. It stays at most
/// sixteen Runs ahead of the agent.
async fn write(
    mut address: watch::Receiver<Option<Client>>,
    session: String,
    stopping: watch::Receiver<bool>,
    mut settled: watch::Receiver<usize>,
) -> Written {
    let path = format!("/v1/sessions/{session}/events");
    let mut acknowledged = Vec::new();
    let mut sent_again = 0;
    while !*stopping.borrow() {
        let number = acknowledged.len();
        let caught_up = settled.wait_for(|settled| number < settled + 16);
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
                Err(_) => sent_again += 1,
            }
            tokio::task::yield_now().await;
        };
        acknowledged.push(accepted);
    }
    Written {
        acknowledged,
        sent_again,
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
