//! Every public future is dropped wherever it waits. What it leaves is what its documentation says: the same client,
//! stream, follower or store goes on, nothing is lost and nothing stands twice.
#![allow(
    clippy::future_not_send,
    clippy::large_futures,
    reason = "each test stays on one thread"
)]

mod calls;
mod coverage;
mod databases;
mod follows;
mod keys;
mod lists;
mod maintenance;
mod resources;
mod stores;
mod streams;

/// More places than any operation here waits at.
const PLACES: u64 = 2_000;

/// How often an operation must come to its end in a row: one that waits may find what it waits for at once, by chance.
const ENDS: u32 = 8;

/// How often it is tried where it was not yet seen to wait as often as it does: a database may be quick for a while.
const TRIES: u32 = 500;

/// The places at which an operation waits, one after the other, until it comes to its end without being dropped. It is dropped
/// once at each.
struct Cuts {
    operation: &'static [&'static str],
    least: u64,
    place: u64,
    runs: u64,
    ends: u32,
}

impl Cuts {
    /// The public functions that are dropped. `coverage` compares these names with the public API, and looks for a call
    /// of each in the function that names it.
    fn of(operation: &'static [&'static str]) -> Self {
        Self {
            operation,
            least: 1,
            place: 0,
            runs: 0,
            ends: 0,
        }
    }

    /// It waits at so many places or more.
    fn at_least(self, places: u64) -> Self {
        Self {
            least: places,
            ..self
        }
    }

    /// How often the operation may wait before it is dropped; `None` once it came to its end.
    fn place(&mut self) -> Option<u64> {
        let enough = if self.place < self.least { TRIES } else { ENDS };
        if self.ends >= enough {
            return None;
        }
        assert!(self.place < PLACES, "{:?} has no end", self.operation);
        self.runs += 1;
        Some(self.place)
    }

    /// Which run of the operation this is, from 1.
    fn run(&self) -> u64 {
        self.runs
    }

    /// Takes what became of it; `None` means that it was dropped.
    fn cut<T>(&mut self, done: Option<T>) -> Option<T> {
        if done.is_some() {
            self.ends += 1;
        } else {
            self.ends = 0;
            self.place += 1;
        }
        done
    }

    /// It waited as often as it had to, so it was dropped as often.
    fn waited(&self) {
        eprintln!("{:?} was dropped at {} places", self.operation, self.place);
        assert!(self.place >= self.least, "{:?}", self.operation);
    }
}
