//! How quickly a server is there.

use std::time::{Duration, Instant};

use checkfu_mock_server::MockServer;

/// In memory a server starts in under 20 ms; the best start counts, since the machine has other things to do.
#[tokio::test]
async fn a_server_in_memory_starts_in_under_20_milliseconds() {
    let mut best = Duration::MAX;
    for _ in 0..200 {
        let started = Instant::now();
        let server = MockServer::builder().start().await.unwrap();
        best = best.min(started.elapsed());
        server.shutdown().await;
        if best < Duration::from_millis(20) {
            return;
        }
    }
    panic!("{best:?}");
}

/// Many servers run side by side, each with its own log and key.
#[tokio::test]
async fn a_hundred_servers_run_side_by_side() {
    let mut servers = Vec::new();
    for _ in 0..100 {
        servers.push(MockServer::builder().start().await.unwrap());
    }
    let mut keys: Vec<&str> = servers.iter().map(|server| server.api_key()).collect();
    keys.sort_unstable();
    keys.dedup();
    assert_eq!(keys.len(), 100);
    for server in servers {
        server.shutdown().await;
    }
}
