//! A running server.

use std::fmt;
use std::net::SocketAddr;
use std::time::Duration;

use tokio::task::JoinHandle;
use tokio::time::Instant;

use super::instance::Known;
use crate::control::Control;
use crate::stop::Stop;

/// What stopping takes at most beyond the drain.
pub(super) const GRACE: Duration = Duration::from_secs(1);

/// A server that accepts connections until it is shut down or dropped.
///
/// Dropping it stops it too, in the background and without anyone waiting for it; nothing that was answered is lost.
pub struct MockServer {
    pub(super) address: SocketAddr,
    pub(super) url: String,
    pub(super) api_key: String,
    pub(super) known: Known,
    pub(super) certificate_pem: Option<String>,
    pub(super) control: Control,
    pub(super) control_address: Option<ControlAddress>,
    pub(super) scenarios: Vec<String>,
    pub(super) stop: Stop,
    pub(super) drain: Duration,
    pub(super) tasks: Vec<JoinHandle<()>>,
}

/// Where the control listener listens, and what opens it.
pub(super) struct ControlAddress {
    pub(super) url: String,
    pub(super) token: String,
}

impl MockServer {
    /// Where it listens, such as `http://127.0.0.1:49152`, without a trailing slash.
    pub fn url(&self) -> &str {
        &self.url
    }

    /// The address that it is bound to.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// The key that opens it, for `Authorization: Bearer`.
    pub fn api_key(&self) -> &str {
        &self.api_key
    }

    /// The Workspace that the key belongs to.
    pub fn workspace_id(&self) -> &str {
        &self.known.workspace_id
    }

    /// A Principal to act and write as.
    pub fn principal_id(&self) -> &str {
        &self.known.principal_id
    }

    /// The AgentDeployment `plain`, which greets and quotes what it is told.
    pub fn deployment_id(&self) -> &str {
        &self.known.deployment_id
    }

    /// The certificate that TLS is spoken with, as PEM; nothing without TLS. A client that trusts it can connect.
    pub fn certificate_pem(&self) -> Option<&str> {
        self.certificate_pem.as_deref()
    }

    /// The server from behind: faults, time, restarts, and what was asked of it.
    pub fn control(&self) -> &Control {
        &self.control
    }

    /// The names of the scenarios that the builder was given.
    pub(crate) fn given_scenarios(&self) -> &[String] {
        &self.scenarios
    }

    /// Where the control listener listens, if there is one.
    pub fn control_url(&self) -> Option<&str> {
        self.control_address.as_ref().map(|address| &*address.url)
    }

    /// The token that opens the control listener, for `Authorization: Bearer`.
    pub fn control_token(&self) -> Option<&str> {
        self.control_address.as_ref().map(|address| &*address.token)
    }

    /// Stops accepting, closes streams, answers what was asked, cuts connections whose request is not complete when the
    /// drain (9 s unless set) is over, and closes the log. All of it takes at most the drain and 1 s. Runs that have not
    /// settled go on when a server is started on the same data directory.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves the server stopping in the background.
    pub async fn shutdown(mut self) {
        self.stop.request();
        let deadline = Instant::now() + self.drain + GRACE;
        for task in std::mem::take(&mut self.tasks) {
            if tokio::time::timeout_at(deadline, task).await.is_err() {
                tracing::warn!("a task did not stop in time");
            }
        }
    }
}

impl Drop for MockServer {
    fn drop(&mut self) {
        self.stop.request();
    }
}

impl fmt::Debug for MockServer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("MockServer")
            .field("url", &self.url)
            .finish_non_exhaustive()
    }
}
