//! Proof that the suite's verdicts mean something: a correct server conforms, broken ones are caught, nothing is
//! praised for nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod command;
mod equivalents;
mod fenced;
mod forms;
mod mutant;
mod mutants;
mod null_servers;
mod proof;
mod reference;
mod relay;
mod retries;
mod server;
mod trace;
mod traffic;
mod verdicts;
