//! Why a server did not start.

use std::net::SocketAddr;

use crate::storage::error::StorageError;

/// A server that could not be started. Nothing is left running.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StartError {
    /// The data directory cannot be used.
    #[error(transparent)]
    Storage(#[from] StorageError),
    /// The address cannot be listened on.
    #[error("cannot listen on {address}: {source}; choose another host or port, or port 0 for a free one")]
    Bind {
        /// The address.
        address: SocketAddr,
        /// What the operating system said.
        source: std::io::Error,
    },
    /// The API key cannot stand in a header.
    #[error("the API key must be 1 to 512 visible ASCII characters")]
    ApiKey,
    /// A Principal's identifier is malformed.
    #[error("{id:?} is no Principal: write prin_ and 32 lower-case hexadecimal digits")]
    Principal {
        /// What was given.
        id: String,
    },
    /// Comments without a pause would fill every stream.
    #[error("the keep-alive interval must be longer than zero")]
    KeepAlive,
    /// The control token cannot stand in a header.
    #[error("the control token must be 1 to 512 visible ASCII characters")]
    ControlToken,
    /// A limit that nothing could meet.
    #[error("{what} must be more than zero")]
    Limit {
        /// Which limit.
        what: &'static str,
    },
    /// A shutdown that would hardly end.
    #[error("the drain must be at most 10 minutes")]
    Drain,
    /// A fault that can never change anything.
    #[error("the fault {fault} can never do anything: {problem}")]
    Fault {
        /// The fault, as JSON.
        fault: String,
        /// Why, and what would.
        problem: &'static str,
    },
    /// The certificate or its key cannot be used.
    #[error("TLS: {problem}")]
    Tls {
        /// What is wrong, without anything of the key.
        problem: String,
    },
    /// A thread or socket was refused by the operating system.
    #[error("the operating system refused: {0}")]
    System(std::io::Error),
}
