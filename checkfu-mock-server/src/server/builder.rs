//! How a server is described.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use super::error::StartError;
use super::running::MockServer;
use super::settings::{ControlSettings, Settings};
use super::start;
use super::tls::Tls;
use crate::capability::CapabilityError;
use crate::clock::Clock;
use crate::control::clock::ServerClock;
use crate::core::id::PrincipalId;
use crate::fault::Fault;
#[cfg(feature = "mutants")]
use crate::mutant::Mutant;
use crate::scenario::check::check_scenario;
use crate::scenario::error::ScenarioError;

/// Describes a [`MockServer`]. By default it keeps its log in memory, listens on a free port of `127.0.0.1` without TLS,
/// makes up a key, lets agents take 5 ms for a step and sends a keep-alive comment every 10 s.
#[must_use = "a builder starts nothing until start() is awaited"]
#[derive(Default)]
pub struct MockServerBuilder {
    settings: Settings,
}

impl MockServer {
    /// Starts describing a server; see [`MockServerBuilder`] for the defaults.
    pub fn builder() -> MockServerBuilder {
        MockServerBuilder::default()
    }
}

impl MockServerBuilder {
    /// The address to listen on. Default `127.0.0.1`.
    pub fn host(mut self, host: IpAddr) -> Self {
        self.settings.host = host;
        self
    }

    /// The port to listen on. Default 0: a free one.
    pub fn port(mut self, port: u16) -> Self {
        self.settings.port = port;
        self
    }

    /// Keeps the log in this directory, which is created if absent and locked while the server runs. An answer leaves
    /// only after its effect is on the disk.
    pub fn data_dir(mut self, path: impl Into<PathBuf>) -> Self {
        self.settings.data_dir = Some(path.into());
        self
    }

    /// Keeps the log in memory; it is gone with the server. This is the default.
    pub fn in_memory(mut self) -> Self {
        self.settings.data_dir = None;
        self
    }

    /// The one key that opens the server, 1 to 512 visible ASCII characters; it is not stored. Without it one is made
    /// up, and kept in the data directory if there is one, so that it is good after a restart.
    pub fn api_key(mut self, key: impl Into<String>) -> Self {
        self.settings.api_key = Some(key.into());
        self
    }

    /// Another Principal that Sessions may act as, beside the built-in one.
    ///
    /// # Errors
    ///
    /// [`StartError::Principal`] if it is not `prin_` and 32 lower-case hexadecimal digits.
    pub fn principal(mut self, id: &str) -> Result<Self, StartError> {
        let principal = PrincipalId::parse(id).ok_or_else(|| StartError::Principal { id: id.to_owned() })?;
        self.settings.principals.push(principal);
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
        self.settings.scenarios.push(yaml);
        Ok(self)
    }

    /// Leaves capabilities off, as a deployment of the service may (WIRE-5): each request, input, member and parameter that
    /// needs one is refused with `403 capability.disabled` and changes nothing, and `GET /v1/capabilities` says so. Agents
    /// do what their scenarios say all the same; nobody can answer what they ask while `waits` is off. Default: none is
    /// switched off. `checkpoints`, `watches`, `project_mounts`, `memory_mounts` and `skills` are always off.
    ///
    /// # Errors
    ///
    /// [`CapabilityError`] for a name that does not exist, and for `sessions` and `runs`, which nothing works without.
    ///
    /// ```
    /// # use checkfu_mock_server::{CapabilityError, MockServer};
    /// let builder = MockServer::builder().without(["forks", "previews"])?;
    /// # Ok::<(), CapabilityError>(())
    /// ```
    pub fn without<Name: AsRef<str>>(
        mut self,
        capabilities: impl IntoIterator<Item = Name>,
    ) -> Result<Self, CapabilityError> {
        for name in capabilities {
            self.settings.capabilities.switch_off(name.as_ref())?;
        }
        Ok(self)
    }

    /// What an agent takes for each step of a Run: claim, start, every message, settlement. Default 5 ms.
    pub fn step_delay(mut self, delay: Duration) -> Self {
        self.settings.step_delay = delay;
        self
    }

    /// After how long a silent stream gets a comment; not zero. Default 10 s.
    pub fn keep_alive(mut self, interval: Duration) -> Self {
        self.settings.keep_alive = interval;
        self
    }

    /// How long the body of a request may take to arrive, from the end of its head to its last byte. One that takes
    /// longer is refused with `400 request.invalid_body` and its connection is closed; nothing was changed. Default 60 s.
    pub fn body_limit(mut self, limit: Duration) -> Self {
        self.settings.body_limit = limit;
        self
    }

    /// How long a TLS handshake or the head of a request may take, and how long a connection may have nothing to do; it
    /// is closed then. Not zero. Default 60 s.
    pub fn idle_limit(mut self, limit: Duration) -> Self {
        self.settings.idle_limit = limit;
        self
    }

    /// How many connections are served at a time; further ones wait in the operating system's queue until another one
    /// ends. Not zero. Default 10,000.
    pub fn max_connections(mut self, connections: usize) -> Self {
        self.settings.max_connections = connections;
        self
    }

    /// How long a shutdown waits for requests that are being answered; the whole shutdown takes at most 1 s more.
    /// Default 9 s; at most 10 minutes.
    pub fn drain(mut self, limit: Duration) -> Self {
        self.settings.drain = limit;
        self
    }

    /// Where the server gets its time from. Default: the system, ahead of it by what
    /// [`Control::advance`](crate::Control::advance) was told.
    pub fn clock(mut self, clock: impl Clock) -> Self {
        self.settings.clock = ServerClock::given(clock);
        self
    }

    /// Serves `https` with HTTP/1.1 and HTTP/2. Default: `http` with HTTP/1.1.
    pub fn tls(mut self, tls: Tls) -> Self {
        self.settings.tls = Some(tls);
        self
    }

    /// Opens the control listener on this address; port 0 takes a free one. It has a bearer token of its own. Default:
    /// there is none; [`MockServer::control`] needs none.
    pub fn control(mut self, host: IpAddr, port: u16) -> Self {
        let token = self.settings.control.take().and_then(|control| control.token);
        self.settings.control = Some(ControlSettings { host, port, token });
        self
    }

    /// The token that opens the control listener, 1 to 512 visible ASCII characters, and a control listener on a free
    /// port of `127.0.0.1` if [`control`](Self::control) names no other. Default: one is made up.
    pub fn control_token(mut self, token: impl Into<String>) -> Self {
        self.settings.control.get_or_insert_default().token = Some(token.into());
        self
    }

    /// What decides wherever a fault has a probability. Default: made up; [`Faults::seed`](crate::Faults::seed) tells it.
    pub fn seed(mut self, seed: u64) -> Self {
        self.settings.seed = Some(seed);
        self
    }

    /// A fault from the start on. One that can never change anything, such as previews of a `POST`, is refused by
    /// [`start`](Self::start).
    pub fn fault(mut self, fault: Fault) -> Self {
        self.settings.faults.push(fault);
        self
    }

    /// Plans a mix of everything that is unpleasant and allowed: a client that keeps to the contract copes with it.
    /// Bytes in pieces of any size, every line end, comments, byte order marks, unknown fields, repeated events, streams
    /// that end or are reset anywhere, refusals with `retry-after`, lost acknowledgements of calls with an idempotency
    /// key, small and empty pages. The seed decides. Default: off.
    pub fn hostile(mut self, hostile: bool) -> Self {
        self.settings.hostile = hostile;
        self
    }

    /// Breaks a promise from the start on.
    #[cfg(feature = "mutants")]
    pub fn mutant(mut self, mutant: Mutant) -> Self {
        self.settings.mutants.push(mutant);
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
        start::start(self.settings).await
    }
}

impl fmt::Debug for MockServerBuilder {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_tuple("MockServerBuilder")
            .field(&self.settings)
            .finish()
    }
}
