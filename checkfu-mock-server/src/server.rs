//! The server: described, started, running, stopped.

mod builder;
mod certificate;
mod connection;
pub(crate) mod error;
mod front;
mod instance;
mod listener;
mod plain;
mod running;
mod settings;
mod snapshot;
mod start;
mod store;
mod supervisor;
mod terms;
mod tls;

pub use builder::MockServerBuilder;
pub use error::StartError;
pub use running::MockServer;
pub use tls::Tls;
