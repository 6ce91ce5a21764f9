//! Tests of the SDK over real sockets, real files and real processes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

mod calls;
mod config;
mod fixtures;
#[cfg(feature = "sqlx-sqlite")]
mod follow;
#[cfg(feature = "sqlx-sqlite")]
mod follow_failures;
mod follow_head;
#[cfg(feature = "sqlx-sqlite")]
mod follow_kill;
mod follow_quiet;
#[cfg(feature = "sqlx-sqlite")]
mod follow_rivals;
mod hostile;
#[cfg(feature = "sqlx-sqlite")]
mod mock_server;
mod model;
mod paging;
mod redaction;
mod refusals;
mod retries;
mod send_bounds;
mod settlement;
#[cfg(feature = "sqlx-sqlite")]
mod sqlite_store;
mod sse;
mod stream_end;
mod stream_liveness;
mod stream_protocol;
mod stream_resume;
mod threads;
#[cfg(feature = "tracing")]
mod traces;
