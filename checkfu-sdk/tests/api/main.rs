//! Tests of the SDK over real sockets, real files and real processes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

mod calls;
mod config;
mod fixtures;
mod hostile;
mod model;
mod paging;
mod retries;
mod settlement;
mod sse;
mod stream_end;
mod stream_liveness;
mod stream_protocol;
mod stream_resume;
