//! Many servers in one process: a test of its own program, so that nobody else opens files or starts threads beside it.
#![cfg(target_os = "linux")]
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::collections::BTreeSet;
use std::fs;
use std::sync::Arc;
use std::time::Duration;

use checkfu_mock_server::{Expected, MockServer};
use checkfu_sdk::Client;
use checkfu_sdk::input::UserMessage;
use tokio::runtime::Runtime;
use tokio::sync::Barrier;
use tokio::task::JoinSet;

const SERVERS: usize = 200;

/// Long enough for anything that is bound to happen.
const PATIENCE: Duration = Duration::from_secs(120);

/// 200 servers start at once, are there at the same time, do their work and stop; no two have one port, and neither a
/// thread nor a file descriptor is left.
#[test]
fn two_hundred_servers_at_once_leave_nothing_behind() {
    // What the process opens once and keeps is opened here.
    let first = Runtime::new().unwrap();
    first.block_on(use_once(Arc::new(Barrier::new(1)), Arc::new(Barrier::new(1))));
    drop(first);
    let before = (descriptors(), threads(""));
    assert_eq!(threads("checkfu-writer"), 0);

    let runtime = Runtime::new().unwrap();
    let ports = runtime.block_on(async {
        let (used, seen) = (barrier(), barrier());
        let mut servers = JoinSet::new();
        for _ in 0..SERVERS {
            servers.spawn(use_once(Arc::clone(&used), Arc::clone(&seen)));
        }
        used.wait().await;
        assert_eq!(threads("checkfu-writer"), SERVERS);
        assert!(descriptors() >= before.0 + SERVERS);
        seen.wait().await;
        servers.join_all().await
    });
    assert_eq!(ports.into_iter().collect::<BTreeSet<_>>().len(), SERVERS);
    assert_eq!(threads("checkfu-writer"), 0);
    // The runtime's own threads, and the connections of the clients, go with it.
    drop(runtime);
    assert_eq!((descriptors(), threads("")), before);
}

/// Waits for every server, and for the one who counts.
fn barrier() -> Arc<Barrier> {
    Arc::new(Barrier::new(SERVERS + 1))
}

/// Starts a server, has it do a turn, and shuts it down once everybody has seen it; gives its port.
async fn use_once(used: Arc<Barrier>, seen: Arc<Barrier>) -> u16 {
    let server = MockServer::builder()
        .step_delay(Duration::ZERO)
        .start()
        .await
        .unwrap();
    let client = Client::builder().base_url(server.url()).api_key(server.api_key());
    let client = client.build().unwrap();
    let created = client
        .sessions()
        .create(server.deployment_id(), server.principal_id());
    let session = created.send().await.unwrap();
    let hello = UserMessage::new("hello").by(server.principal_id());
    client.sessions().events(session.id()).send(hello).await.unwrap();
    let settled = server.until_settled(session.id(), PATIENCE).await.unwrap();
    settled.received().exactly([Expected::message("hello")]).unwrap();
    used.wait().await;
    seen.wait().await;
    let port = server.address().port();
    server.shutdown().await;
    port
}

fn descriptors() -> usize {
    fs::read_dir("/proc/self/fd").unwrap().count()
}

/// How many threads have a name that begins so.
fn threads(name: &str) -> usize {
    let tasks = fs::read_dir("/proc/self/task").unwrap();
    // A thread may be gone by the time its name is read.
    let names = tasks.filter_map(|task| fs::read_to_string(task.unwrap().path().join("comm")).ok());
    names.filter(|found| found.starts_with(name)).count()
}
