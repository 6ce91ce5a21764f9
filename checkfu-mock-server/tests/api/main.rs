//! The server over real HTTP. Every answer that these tests receive is judged by the contract with its schemas closed.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

mod authors;
mod binary;
mod bodies;
mod capabilities;
mod control;
mod crash;
mod damage;
mod deadlines;
mod diffs;
mod endings;
mod errors;
mod faults;
mod flags;
mod forks;
mod idempotency;
mod inspect;
mod interrupts;
mod kills;
mod limits;
mod list;
#[cfg(feature = "mutants")]
mod mutants;
mod operations;
mod outcomes;
mod overlap;
mod previews;
mod prompts;
mod requests;
mod restart;
mod retention;
mod scenarios;
mod sessions;
mod shutdown;
mod start;
mod stream;
mod threads;
mod transport;
mod turn;
mod waits;
