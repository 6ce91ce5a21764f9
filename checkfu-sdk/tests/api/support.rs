//! A server that does exactly what a test says, a clock that a test drives, and events to send.

pub(crate) mod alone;
pub(crate) mod clock;
pub(crate) mod decoding;
pub(crate) mod event;
pub(crate) mod fake_api;
#[cfg(any(feature = "rustls", feature = "native-tls"))]
pub(crate) mod h2_api;
pub(crate) mod kills;
pub(crate) mod pg_projection;
pub(crate) mod place;
pub(crate) mod pooler;
pub(crate) mod postgres;
pub(crate) mod projection;
pub(crate) mod public_api;
pub(crate) mod random;
pub(crate) mod recorder;
pub(crate) mod relay;
pub(crate) mod shown;
#[cfg(any(feature = "rustls", feature = "native-tls"))]
pub(crate) mod tls;
