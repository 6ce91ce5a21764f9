//! Typed client for the Checkfu API: resumable event streams, cursors in your own transaction, settlement.

mod api_key;
pub mod client;
pub mod clock;
pub mod cursor;
pub mod error;
pub mod events;
pub mod follow;
pub mod input;
pub mod model;
pub mod paging;
pub mod retry;
pub mod sessions;
pub mod settlement;
pub mod sse;
pub mod stream;

pub use api_key::ApiKey;
pub use client::{Client, ClientBuilder, Limits};
pub use error::{Error, Result};
pub use model::{Event, EventData, Seq, Session, SessionId, SessionStatus, StopReason};
