//! The contract judged by itself: document, fixtures, prose and judge agree.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod document;
mod fixtures;
mod hostile;
mod judge;
mod mutations;
mod protocol;
mod sse;
mod streams;
mod walk;
