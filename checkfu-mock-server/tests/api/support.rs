//! What the tests share: an HTTP client of their own, a reader of event streams, the judge, and servers to talk to.

pub(crate) mod client;
pub(crate) mod frames;
pub(crate) mod judge;
pub(crate) mod process;
pub(crate) mod random;
pub(crate) mod world;
