//! How a server is described and started.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::sync::mpsc;

use super::error::StartError;
use super::listener;
use super::running::MockServer;
use super::store::Store;
use crate::catalog::Catalog;
use crate::clock::{Clock, SystemClock};
use crate::core::id::{PrincipalId, WorkspaceId};
use crate::core::moment::Moment;
use crate::http::idempotency::InFlight;
use crate::http::key_ring::KeyRing;
use crate::http::page_token::PageTokens;
use crate::http::router::router;
use crate::http::state::{Shared, State};
use crate::ledger::Ledger;
use crate::ledger::entropy::SystemEntropy;
use crate::ledger::folds::Folds;
use crate::runner::Runner;
use crate::scenario::check::check_scenario;
use crate::scenario::error::ScenarioError;
use crate::stop::Stop;
use crate::storage::error::StorageError;
use crate::storage::writer::Writer;

/// Describes a [`MockServer`]. By default it keeps its log in memory, listens on a free port of `127.0.0.1`, makes up a
/// key, lets agents take 5 ms for a step and sends a keep-alive comment every 10 s.
#[must_use = "a builder starts nothing until start() is awaited"]
pub struct MockServerBuilder {
    host: IpAddr,
    port: u16,
    data_dir: Option<PathBuf>,
    api_key: Option<String>,
    principals: Vec<PrincipalId>,
    scenarios: Vec<String>,
    step_delay: Duration,
    keep_alive: Duration,
    body_limit: Duration,
    drain: Duration,
    clock: Arc<dyn Clock>,
}

impl MockServer {
    /// Starts describing a server; see [`MockServerBuilder`] for the defaults.
    pub fn builder() -> MockServerBuilder {
        MockServerBuilder::default()
    }
}

impl Default for MockServerBuilder {
    fn default() -> Self {
        Self {
            host: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: 0,
            data_dir: None,
            api_key: None,
            principals: Vec::new(),
            scenarios: Vec::new(),
            step_delay: Duration::from_millis(5),
            keep_alive: Duration::from_secs(10),
            body_limit: Duration::from_secs(60),
            drain: Duration::from_secs(9),
            clock: Arc::new(SystemClock),
        }
    }
}

impl MockServerBuilder {
    /// The address to listen on. Default `127.0.0.1`.
    pub fn host(mut self, host: IpAddr) -> Self {
        self.host = host;
        self
    }

    /// The port to listen on. Default 0: a free one.
    pub fn port(mut self, port: u16) -> Self {
        self.port = port;
        self
    }

    /// Keeps the log in this directory, which is created if absent and locked while the server runs. An answer leaves
    /// only after its effect is on the disk.
    pub fn data_dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.data_dir = Some(path.into());
        self
    }

    /// Keeps the log in memory; it is gone with the server. This is the default.
    pub fn in_memory(mut self) -> Self {
        self.data_dir = None;
        self
    }

    /// The one key that opens the server, 1 to 512 visible ASCII characters; it is not stored. Without it one is made
    /// up, and kept in the data directory if there is one, so that it is good after a restart.
    pub fn api_key(mut self, key: impl Into<String>) -> Self {
        self.api_key = Some(key.into());
        self
    }

    /// Another Principal that Sessions may act as, beside the built-in one.
    ///
    /// # Errors
    ///
    /// [`StartError::Principal`] if it is not `prin_` and 32 lower-case hexadecimal digits.
    pub fn principal(mut self, id: &str) -> Result<Self, StartError> {
        let principal = PrincipalId::parse(id).ok_or_else(|| StartError::Principal { id: id.to_owned() })?;
        self.principals.push(principal);
        Ok(self)
    }

    /// A scenario to publish under its own name when the server starts: the next revision of the deployment with that
    /// name, or a new one; nothing if that is what its current revision says already.
    ///
    /// # Errors
    ///
    /// Line, field and fix of what is refused in the file.
    pub fn scenario(mut self, yaml: impl Into<String>) -> Result<Self, ScenarioError> {
        let yaml = yaml.into();
        check_scenario(&yaml)?;
        self.scenarios.push(yaml);
        Ok(self)
    }

    /// What an agent takes for each step of a Run: claim, start, every message, settlement. Default 5 ms.
    pub fn step_delay(mut self, delay: Duration) -> Self {
        self.step_delay = delay;
        self
    }

    /// After how long a silent stream gets a comment; not zero. Default 10 s.
    pub fn keep_alive(mut self, interval: Duration) -> Self {
        self.keep_alive = interval;
        self
    }

    /// How long the body of a request may take to arrive, from the end of its head to its last byte. One that takes
    /// longer is refused with `400 request.invalid_body` and its connection is closed; nothing was changed. Default 60 s.
    pub fn body_limit(mut self, limit: Duration) -> Self {
        self.body_limit = limit;
        self
    }

    /// How long a shutdown waits for requests that are being answered; the whole shutdown takes at most 1 s more.
    /// Default 9 s.
    pub fn drain(mut self, limit: Duration) -> Self {
        self.drain = limit;
        self
    }

    /// Where the server gets its time from. Default [`SystemClock`].
    pub fn clock(mut self, clock: impl Clock) -> Self {
        self.clock = Arc::new(clock);
        self
    }

    /// Opens the log, goes on with Runs that had not settled, and listens. When this returns, connections are accepted.
    ///
    /// # Errors
    ///
    /// [`StartError`] says what is wrong and what to change; nothing is left running.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future leaves no server behind; a data directory that was created stays.
    pub async fn start(self) -> Result<MockServer, StartError> {
        if self.keep_alive.is_zero() {
            return Err(StartError::KeepAlive);
        }
        let (directory, api_key) = (self.data_dir.clone(), self.api_key.clone());
        let opened = tokio::task::spawn_blocking(move || Store::open(directory.as_deref(), api_key));
        let (store, api_key) = opened.await.map_err(|_| StorageError::Closed)??;
        self.serve(store, api_key).await
    }

    async fn serve(self, store: Store, api_key: String) -> Result<MockServer, StartError> {
        let address = SocketAddr::new(self.host, self.port);
        let listening = TcpListener::bind(address)
            .await
            .map_err(|source| StartError::Bind { address, source })?;
        let address = listening.local_addr().map_err(StartError::System)?;
        let (stop, stopping) = Stop::new();
        let (activations, activated) = mpsc::unbounded_channel();
        let workspace = WorkspaceId::from_number(1);
        let principal = PrincipalId::from_number(1);
        let mut principals = self.principals;
        principals.push(principal.clone());
        let catalog = Catalog::open(&store.connection, &workspace, &principals)?;
        for yaml in &self.scenarios {
            catalog.keep(yaml, Moment::from(self.clock.now()), &mut SystemEntropy)?;
        }
        let (writer, thread) =
            Writer::start(store.connection, Folds::default(), store.directory).map_err(StartError::System)?;
        let ledger = Ledger::new(writer, store.reader, activations, Arc::clone(&self.clock));
        let resumed = ledger.resume().await?;
        let deployment_id = catalog
            .deployments()
            .first()
            .map(|plain| plain.id.to_string())
            .unwrap_or_default();
        let runner = Runner::new(ledger.clone(), catalog.clone(), self.step_delay, stopping.clone());
        let shared = Shared(Arc::new(State {
            ledger,
            catalog,
            keys: KeyRing::new(&api_key, workspace.clone()),
            tokens: PageTokens::new(store.page_secret),
            in_flight: InFlight::default(),
            clock: self.clock,
            keep_alive: self.keep_alive,
            body_limit: self.body_limit,
            stopping: stopping.clone(),
        }));
        let tasks = vec![
            tokio::spawn(listener::serve(listening, router(shared), stopping, self.drain)),
            tokio::spawn(runner.run(activated)),
        ];
        tracing::info!(%address, resumed, "listening");
        Ok(MockServer {
            address,
            url: format!("http://{address}"),
            api_key,
            workspace_id: workspace.to_string(),
            principal_id: principal.to_string(),
            deployment_id,
            stop,
            drain: self.drain,
            tasks,
            writer: Some(thread),
        })
    }
}

impl fmt::Debug for MockServerBuilder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("MockServerBuilder")
            .field("host", &self.host)
            .field("port", &self.port)
            .field("data_dir", &self.data_dir)
            .field("step_delay", &self.step_delay)
            .field("keep_alive", &self.keep_alive)
            .field("clock", &self.clock)
            .finish_non_exhaustive()
    }
}
