//! The durable side: one embedded SQLite database, one writer, many readers.

pub(crate) mod approvals;
pub(crate) mod catalog;
pub(crate) mod directory;
pub(crate) mod erased;
pub(crate) mod error;
pub(crate) mod events;
pub(crate) mod fork;
pub(crate) mod idempotency;
mod json;
pub(crate) mod position;
pub(crate) mod reader;
pub(crate) mod resources;
pub(crate) mod runs;
pub(crate) mod schema;
pub(crate) mod sessions;
pub(crate) mod snapshots;
pub(crate) mod threads;
pub(crate) mod writer;
