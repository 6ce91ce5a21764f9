//! The HTTP side: every route, the order of checks, and streams.

mod approvals;
pub(crate) mod auth;
pub(crate) mod body;
pub(crate) mod call;
pub(crate) mod challenge;
pub(crate) mod create_session;
pub(crate) mod deployments;
mod diff;
pub(crate) mod event_stream;
pub(crate) mod events;
pub(crate) mod fence;
pub(crate) mod fields;
mod fork;
pub(crate) mod idempotency;
pub(crate) mod key_ring;
pub(crate) mod page_token;
pub(crate) mod post_event;
mod preview_feed;
pub(crate) mod query;
pub(crate) mod request_id;
pub(crate) mod response;
pub(crate) mod router;
pub(crate) mod runs;
pub(crate) mod seam;
pub(crate) mod sessions;
pub(crate) mod state;
mod threads;
