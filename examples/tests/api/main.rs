//! The examples, run as a user runs them.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod quickstart;
mod readme;
mod run;
