//! The live stream of a Session's events, or of a thread's.

mod budget;
mod connect;
mod connection;
mod event_stream;
mod frame;
mod head;
mod open;
mod opening;
mod silence;

pub use connection::StreamState;
pub use event_stream::EventStream;
pub use open::StreamEvents;

pub(crate) use connect::{Anchor, check_anchor, gap};
