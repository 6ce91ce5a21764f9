//! What the stores in SQL databases share: names of tables, versions, how a cursor stands in a row, and `begin`.

mod begin;
mod error;
mod row;
mod schema;
mod table;

pub(super) use begin::begin;
pub use error::SqlxCursorError;
pub(super) use row::{ENDED, StoredCursor, number, thread};
pub(super) use schema::Schema;
pub(super) use table::Table;
