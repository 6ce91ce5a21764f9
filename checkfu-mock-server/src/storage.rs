//! The durable side: one embedded SQLite database, one writer, many readers.

pub(crate) mod catalog;
