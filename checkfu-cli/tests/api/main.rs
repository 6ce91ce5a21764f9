//! The program, run as a user runs it.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod chat;
mod endings;
mod environment;
mod events;
mod follow;
mod scripted;
mod session;
mod support;
mod threads;
