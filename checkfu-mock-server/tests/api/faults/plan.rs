//! Chance, and the seed that decides it.

use checkfu_mock_server::{Answer, Fault, MockServer, On};

use super::bytes::{exchange, request};
use crate::support::world::World;

async fn statuses(seed: u64) -> Vec<u16> {
    let fault = Fault::new(On::any().always().probability(0.5), Answer::new(503));
    let world = World::with(MockServer::builder().seed(seed).fault(fault)).await;
    assert_eq!(world.server.control().faults().seed(), seed);
    let mut statuses = Vec::new();
    for _ in 0..40 {
        let healthz = request(&world, "GET", "/healthz", &[], "");
        statuses.push(exchange(world.server.address(), &healthz).await.status());
    }
    let [status] = &world.server.control().faults().all()[..] else {
        panic!()
    };
    let failed = statuses.iter().filter(|status| **status == 503).count() as u64;
    assert_eq!((status.planned, status.met, status.fired), (None, failed, failed));
    statuses
}

/// The same seed and the same requests give the same faults; another seed gives others.
#[tokio::test]
async fn the_seed_decides() {
    let first = statuses(42).await;
    assert!(first.contains(&200) && first.contains(&503));
    assert_eq!(first, statuses(42).await);
    assert_ne!(first, statuses(43).await);
}
