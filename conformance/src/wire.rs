//! The suite's own view of the wire: exchanges as they happened and a byte-exact event-stream reader.

pub(crate) mod client;
mod excerpt;
pub(crate) mod exchange;
pub(crate) mod gate;
mod header;
pub(crate) mod reading;
pub(crate) mod request;
pub(crate) mod sse;
mod transcript;
