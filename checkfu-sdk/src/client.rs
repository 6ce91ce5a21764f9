//! The client: where calls go, with which key, within which limits.

mod builder;
mod call;
mod handle;
mod idempotency;
mod key_provider;
mod keys;
mod limits;
mod observer;
mod open;
mod route;
mod trace;
mod trace_parent;
mod transport;

pub use builder::ClientBuilder;
pub use handle::Client;
pub use key_provider::{KeyFuture, KeyProvider};
pub use limits::Limits;
pub use observer::{Interruption, Observer, StreamChange};

pub(crate) use call::{Answer, segment};
pub(crate) use idempotency::IdempotencyKey;
pub(crate) use trace::stream_changed;
pub(crate) use transport::{AnswerKind, Body, Request};
