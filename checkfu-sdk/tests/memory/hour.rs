use std::time::Duration;

use checkfu_sdk::Client;
use checkfu_sdk::cursor::MemoryCursorStore;
use futures::StreamExt;

use super::clock::ManualClock;
use super::server::{EVENTS, Server};
use super::{alone, live};

const MINUTE: Duration = Duration::from_secs(60);

/// How much more may be held after 60 minutes than after 5, 74 bytes a minute: the test runner allocates a little on its own
/// thread.
const GROWTH: usize = 4 * 1024;

/// The longest wait before a reconnect; other timers are longer.
const LONGEST_WAIT: Duration = Duration::from_secs(8);

/// Passes the minutes of an hour, each with one connection whose every event `next` reads.
async fn pass_an_hour(clock: &ManualClock, mut next: impl AsyncFnMut() -> u64) {
    let (mut seq, mut early) = (0, 0);
    for minute in 1..=60 {
        loop {
            tokio::select! {
                biased;
                read = next() => {
                    assert_eq!(read, seq + 1);
                    seq = read;
                }
                _ = clock.slept(|wait| wait <= LONGEST_WAIT) => {
                    if seq == minute * EVENTS {
                        break;
                    }
                    // A connection was lost before it brought an event; it is made again within the minute.
                    clock.forget();
                    clock.advance(LONGEST_WAIT);
                }
            }
        }
        clock.forget();
        let held = live().await;
        if minute == 5 {
            early = held;
        }
        if minute == 60 {
            eprintln!("{early} bytes after 5 minutes, {held} after 60");
            assert!(held <= early + GROWTH, "{held} bytes are held, and {early} were");
        }
        clock.advance(MINUTE);
    }
}

fn client(server: &Server, clock: &ManualClock) -> Client {
    let builder = Client::builder().base_url(&server.url).api_key("key");
    builder.clock(clock.clone()).build().unwrap()
}

/// STR-8: a stream that loses its connection every minute holds no more after an hour than after five minutes.
#[test]
fn a_stream_of_an_hour_is_flat() {
    let _alone = alone();
    let server = Server::start();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.unwrap().block_on(async {
        let clock = ManualClock::new();
        let events = client(&server, &clock).sessions().events("sess_hour");
        let mut stream = events.stream().open();
        pass_an_hour(&clock, async || stream.next().await.unwrap().unwrap().seq().get()).await;
    });
}

/// STR-8, FOL-1: so it is with a follower, whose every event is committed.
#[test]
fn a_follow_of_an_hour_is_flat() {
    let _alone = alone();
    let server = Server::start();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    runtime.unwrap().block_on(async {
        let clock = ManualClock::new();
        let events = client(&server, &clock).sessions().events("sess_hour");
        let follow = events.follow("billing", MemoryCursorStore::new());
        let mut follower = follow.start().await.unwrap();
        pass_an_hour(&clock, async || {
            let delivery = follower.next().await.unwrap().unwrap();
            delivery.commit().await.unwrap().get()
        })
        .await;
    });
}
