//! What a server is to be like.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::time::Duration;

use super::tls::Tls;
use crate::capability::Capabilities;
use crate::control::clock::ServerClock;
use crate::core::id::PrincipalId;
use crate::fault::Fault;
#[cfg(feature = "mutants")]
use crate::mutant::Mutant;

/// Everything that a builder can say.
#[derive(Clone)]
pub(super) struct Settings {
    pub(super) host: IpAddr,
    pub(super) port: u16,
    pub(super) data_dir: Option<PathBuf>,
    pub(super) api_key: Option<String>,
    pub(super) principals: Vec<PrincipalId>,
    /// Scenario files to publish, if they are not published yet.
    pub(super) scenarios: Vec<String>,
    pub(super) capabilities: Capabilities,
    pub(super) step_delay: Duration,
    pub(super) keep_alive: Duration,
    pub(super) body_limit: Duration,
    pub(super) idle_limit: Duration,
    pub(super) max_connections: usize,
    pub(super) drain: Duration,
    pub(super) clock: ServerClock,
    pub(super) tls: Option<Tls>,
    pub(super) control: Option<ControlSettings>,
    pub(super) seed: Option<u64>,
    pub(super) hostile: bool,
    pub(super) faults: Vec<Fault>,
    #[cfg(feature = "mutants")]
    pub(super) mutants: Vec<Mutant>,
}

/// Where the control listener listens.
#[derive(Clone)]
pub(super) struct ControlSettings {
    pub(super) host: IpAddr,
    pub(super) port: u16,
    pub(super) token: Option<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            host: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: 0,
            data_dir: None,
            api_key: None,
            principals: Vec::new(),
            scenarios: Vec::new(),
            capabilities: Capabilities::default(),
            step_delay: Duration::from_millis(5),
            keep_alive: Duration::from_secs(10),
            body_limit: Duration::from_secs(60),
            idle_limit: Duration::from_secs(60),
            max_connections: 10_000,
            drain: Duration::from_secs(9),
            clock: ServerClock::system(),
            tls: None,
            control: None,
            seed: None,
            hostile: false,
            faults: Vec::new(),
            #[cfg(feature = "mutants")]
            mutants: Vec::new(),
        }
    }
}

impl Default for ControlSettings {
    fn default() -> Self {
        Self {
            host: IpAddr::V4(Ipv4Addr::LOCALHOST),
            port: 0,
            token: None,
        }
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Settings")
            .field("host", &self.host)
            .field("port", &self.port)
            .field("data_dir", &self.data_dir)
            .field("capabilities", &self.capabilities)
            .field("step_delay", &self.step_delay)
            .field("keep_alive", &self.keep_alive)
            .field("clock", &self.clock)
            .field("tls", &self.tls)
            .field("hostile", &self.hostile)
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for ControlSettings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ControlSettings")
            .field("host", &self.host)
            .field("port", &self.port)
            .finish_non_exhaustive()
    }
}
