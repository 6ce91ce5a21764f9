//! Durable cursors: where a follower stands, kept in the caller's own database.

mod key;
mod memory;
#[cfg(feature = "sqlx-postgres")]
mod postgres;
#[cfg(any(feature = "sqlx-postgres", feature = "sqlx-sqlite"))]
mod sql;
#[cfg(feature = "sqlx-sqlite")]
mod sqlite;
mod store;

pub use key::{Cursor, CursorKey, Position};
pub use memory::{MemoryCursorStore, MemoryTransaction};
#[cfg(feature = "sqlx-postgres")]
pub use postgres::PgCursorStore;
#[cfg(any(feature = "sqlx-postgres", feature = "sqlx-sqlite"))]
pub use sql::SqlxCursorError;
#[cfg(feature = "sqlx-sqlite")]
pub use sqlite::SqliteCursorStore;
pub use store::{Advance, CursorStore};
