//! The live stream of a Session's events, or of a thread's, with or without previews.

mod budget;
mod connect;
mod connection;
mod event_stream;
mod frame;
mod head;
mod item;
mod open;
mod opening;
mod preview_stream;
mod quiet;
mod resuming;
mod silence;

pub use connection::StreamState;
pub use event_stream::EventStream;
pub use item::StreamItem;
pub use open::StreamEvents;
pub use preview_stream::PreviewStream;

pub(crate) use connect::{Anchor, check_anchor, gap};
pub(crate) use head::is_the_end;
