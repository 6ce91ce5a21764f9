//! Tests of the SDK over real sockets, real files and real processes.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

mod support;

mod calls;
mod cancellation;
mod config;
mod copies;
mod cursor_suite;
mod endpoints;
mod fixtures;
mod follow;
mod follow_batches;
mod follow_catch_up;
mod follow_failures;
mod follow_head;
mod follow_kill;
mod follow_postgres;
mod follow_postgres_idle;
mod follow_postgres_kill;
mod follow_postgres_pooler;
mod follow_postgres_rivals;
mod follow_quiet;
mod follow_rivals;
mod follow_run;
mod follow_stop;
mod follow_thread;
mod hostile;
mod hostile_json;
mod keys;
mod mock_server;
mod model;
mod network;
mod origins;
mod page_tokens;
mod paging;
mod postgres_store;
mod preview_reducer;
mod previews;
mod previews_live;
mod public_api;
mod questioned_prompts;
mod redaction;
mod refusals;
mod remote_effects;
mod reports;
mod resources;
mod retries;
mod send_bounds;
mod settlement;
#[cfg(any(feature = "rustls", feature = "native-tls"))]
mod shared_connections;
mod sources;
mod sqlite_store;
mod sse;
mod sse_random;
mod stream_end;
mod stream_limits;
mod stream_liveness;
mod stream_protocol;
mod stream_quiet;
mod stream_resume;
mod threads;
#[cfg(any(feature = "rustls", feature = "native-tls"))]
mod tls;
mod trace_parent;
#[cfg(feature = "tracing")]
mod traces;
mod versions;
mod views;
mod views_live;
