//! The server: described, started, running, stopped.

mod builder;
mod error;
mod listener;
mod running;
mod store;

pub use builder::MockServerBuilder;
pub use error::StartError;
pub use running::MockServer;
