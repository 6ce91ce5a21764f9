//! A server that does exactly what a test says, a clock that a test drives, and events to send.

pub(crate) mod alone;
pub(crate) mod clock;
pub(crate) mod event;
pub(crate) mod fake_api;
#[cfg(feature = "sqlx-sqlite")]
pub(crate) mod projection;
#[cfg(feature = "sqlx-sqlite")]
pub(crate) mod relay;
