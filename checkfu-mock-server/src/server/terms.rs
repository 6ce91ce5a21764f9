//! How connections are taken.

use std::time::Duration;

use super::tls::Identity;

/// The certificate, if there is one, and the bounds.
#[derive(Debug, Clone)]
pub(super) struct Terms {
    pub(super) identity: Option<Identity>,
    /// How long a head may take to arrive, and a connection may have nothing to do.
    pub(super) idle_limit: Duration,
    pub(super) max_connections: usize,
    pub(super) drain: Duration,
}
