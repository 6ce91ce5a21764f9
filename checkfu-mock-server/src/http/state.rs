//! What every handler shares.

use std::sync::Arc;
use std::time::Duration;

use super::challenge::Challenges;
use super::idempotency::InFlight;
use super::key_ring::KeyRing;
use super::page_token::PageTokens;
use crate::capability::Capabilities;
use crate::catalog::Catalog;
use crate::clock::Clock;
use crate::ledger::Ledger;
use crate::stop::Stopping;

/// The server as its handlers see it. Clones share it.
#[derive(Debug, Clone)]
pub(crate) struct Shared(pub(crate) Arc<State>);

/// See [`Shared`].
#[derive(Debug)]
pub(crate) struct State {
    pub(crate) ledger: Ledger,
    pub(crate) catalog: Catalog,
    /// What is carried out, and what is refused.
    pub(crate) capabilities: Capabilities,
    pub(crate) keys: KeyRing,
    pub(crate) tokens: PageTokens,
    pub(crate) challenges: Challenges,
    pub(crate) in_flight: InFlight,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) keep_alive: Duration,
    /// How long a request's body may take to arrive.
    pub(crate) body_limit: Duration,
    pub(crate) stopping: Stopping,
}

impl std::ops::Deref for Shared {
    type Target = State;

    fn deref(&self) -> &State {
        &self.0
    }
}
