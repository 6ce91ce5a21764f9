//! Durable cursors: where a follower stands, kept in the caller's own database.

mod key;
mod memory;
#[cfg(feature = "sqlx-sqlite")]
mod sqlite;
mod store;

pub use key::{Cursor, CursorKey, Position};
pub use memory::{MemoryCursorStore, MemoryTransaction};
#[cfg(feature = "sqlx-sqlite")]
pub use sqlite::{SqliteCursorError, SqliteCursorStore};
pub use store::{Advance, CursorStore};
