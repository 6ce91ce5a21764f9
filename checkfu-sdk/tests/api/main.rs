//! Tests of the SDK over real sockets, real files and real processes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

mod calls;
mod model;
mod paging;
mod settlement;
mod sse;
