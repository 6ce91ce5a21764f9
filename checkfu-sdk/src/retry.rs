//! When a call or a stream is tried again, and how long it waits first.

mod after;
mod bounds;
mod policy;
mod schedule;

pub use bounds::Backoff;
pub use policy::{ReconnectPolicy, RetryPolicy};

pub(crate) use after::retry_after;
pub(crate) use schedule::Schedule;
