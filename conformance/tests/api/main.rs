//! Proof that the suite's verdicts mean something: a correct server conforms, broken ones are caught, nothing is
//! praised for nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod baseline;
mod bounds;
mod capability;
mod clean_up;
mod command;
mod configuration;
mod fenced;
mod forms;
mod hostile;
mod listing;
mod model;
mod output;
mod program;
mod prove;
mod recipe;
mod reference;
mod retries;
mod scope;
mod server;
mod stimulus;
mod trace;
mod verdicts;
