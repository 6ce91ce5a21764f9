use std::fmt;
use std::sync::Arc;

use super::keys::Keys;
use super::limits::Limits;
use super::observer::Observer;
use super::trace_parent::TraceParent;
use super::transport::Transport;
use crate::clock::Clock;
use crate::redaction::Redaction;
use crate::retry::{ReconnectPolicy, RetryPolicy};

/// The way to one deployment of the API, with one key (`SDK-2`).
///
/// A client is a handle: a clone shares connections with the original and costs next to nothing.
///
/// ```
/// use checkfu_sdk::Client;
///
/// let client = Client::builder().base_url("http://127.0.0.1:8080").api_key("key").build()?;
/// # Ok::<(), checkfu_sdk::Error>(())
/// ```
#[derive(Clone)]
pub struct Client(Arc<Shared>);

pub(super) struct Shared {
    pub(super) keys: Keys,
    pub(super) transport: Transport,
    pub(super) traceparent: Option<TraceParent>,
    pub(super) clock: Arc<dyn Clock>,
    pub(super) limits: Limits,
    pub(super) retry: RetryPolicy,
    pub(super) reconnect: ReconnectPolicy,
    pub(super) observer: Option<Arc<dyn Observer>>,
}

impl Client {
    pub(super) fn from_shared(shared: Shared) -> Self {
        Self(Arc::new(shared))
    }

    pub(super) fn shared(&self) -> &Shared {
        &self.0
    }

    /// What takes this client's secrets out of what a server says.
    pub(crate) fn redaction(&self) -> &Redaction {
        self.0.transport.redaction()
    }

    pub(crate) fn clock(&self) -> &dyn Clock {
        &*self.0.clock
    }

    pub(crate) fn limits(&self) -> Limits {
        self.0.limits
    }

    pub(crate) fn reconnect_policy(&self) -> ReconnectPolicy {
        self.0.reconnect
    }

    pub(crate) fn observer(&self) -> Option<Arc<dyn Observer>> {
        self.0.observer.clone()
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Client")
            .field("transport", &self.0.transport)
            .finish_non_exhaustive()
    }
}
