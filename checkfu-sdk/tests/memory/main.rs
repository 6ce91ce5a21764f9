//! How much of the heap the SDK holds. These tests count every allocation of their process, so the server that they talk to is
//! a process of its own, and they run one after the other.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]
#![allow(clippy::future_not_send, reason = "each test stays on one thread")]

#[path = "../api/support/clock.rs"]
mod clock;
mod decoder;
mod hour;
mod idle;
mod server;

use std::sync::{Mutex, MutexGuard};

use peak_alloc::PeakAlloc;

#[global_allocator]
static HEAP: PeakAlloc = PeakAlloc;

/// Nothing else in this process allocates meanwhile.
fn alone() -> MutexGuard<'static, ()> {
    static TURN: Mutex<()> = Mutex::new(());
    TURN.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// The bytes that are allocated once every task has done what it could.
async fn live() -> usize {
    let mut same = 0;
    let mut bytes = HEAP.current_usage();
    while same < 20 {
        for _ in 0..100 {
            tokio::task::yield_now().await;
        }
        let now = HEAP.current_usage();
        same = if now == bytes { same + 1 } else { 0 };
        bytes = now;
    }
    bytes
}
