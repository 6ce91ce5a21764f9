//! Calls on the events of one Session: send and list. `stream` and `follow` add theirs.

mod handle;
mod list;
mod posted;
mod send;

pub use handle::SessionEvents;
pub(crate) use handle::{EVENTS, SESSION};
pub use list::ListEvents;
