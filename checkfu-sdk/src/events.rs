//! Calls on the events of one Session or of one of its threads: send and list. `stream` and `follow` add theirs.

mod handle;
mod list;
mod log;
mod posted;
mod send;

pub use handle::{SessionEvents, ThreadEvents};
pub use list::ListEvents;
pub(crate) use log::{Log, THREAD};
