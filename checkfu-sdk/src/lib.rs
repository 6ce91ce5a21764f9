//! Typed client for the Checkfu API: resumable event streams, cursors in your own transaction, settlement.
//!
//! A [`Session`] is a durable conversation that owns an append-only log of events, ordered by
//! [`Seq`]. A [`Client`] drives it with [inputs](input) and reads the log in three ways:
//!
//! | | for |
//! | --- | --- |
//! | [`SessionEvents::list`](events::SessionEvents::list) | backfill and slow work, on your own schedule |
//! | [`SessionEvents::stream`](events::SessionEvents::stream) | events as they come, without a database |
//! | [`SessionEvents::follow`](events::SessionEvents::follow) | effects in your database, each event once, until the work is settled |
//!
//! ```no_run
//! use checkfu_sdk::Client;
//! use checkfu_sdk::cursor::MemoryCursorStore;
//! use checkfu_sdk::input::UserMessage;
//!
//! # async fn example() -> Result<(), Box<dyn std::error::Error>> {
//! let client = Client::from_env()?;
//! let session = client.sessions().create("adep_1", "prin_1").send().await?;
//! let events = client.sessions().events(session.id());
//! let input = events.send(UserMessage::new("Draft a release note.").by("prin_1")).await?;
//! let mut follower = events.follow("notes", MemoryCursorStore::new()).input(input.seq()).start().await?;
//! while let Some(delivery) = follower.next().await? {
//!     println!("{} {}", delivery.event().seq(), delivery.event().event_type());
//!     delivery.commit().await?;
//! }
//! # Ok(())
//! # }
//! ```
//!
//! Everything from the wire is open: an event type, a status or an error code that this version does not know is
//! kept as it came, and fails nothing. Identifiers in these pages such as `STR-2` and `A-STOP` name the rows of the
//! project's list of requirements.

pub mod action_approvals;
pub mod agent_deployments;
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
pub mod previews;
mod redaction;
pub mod retry;
pub mod runs;
pub mod sessions;
pub mod settlement;
pub mod sse;
pub mod stream;
#[cfg(feature = "testing")]
pub mod testing;
pub mod threads;
pub mod views;

pub use api_key::ApiKey;
pub use client::{Client, ClientBuilder, Limits};
pub use error::{Error, Result};
pub use model::{Event, EventData, Seq, Session, SessionId, SessionStatus, StopReason};

/// Compiles the README's example.
#[cfg(all(doctest, feature = "sqlx-sqlite"))]
#[doc = include_str!("../README.md")]
struct Readme;
