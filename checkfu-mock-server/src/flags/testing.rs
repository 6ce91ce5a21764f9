//! Flags for those who test something against the server.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr};

#[cfg(feature = "mutants")]
use checkfu_mock_server::Mutant;
use checkfu_mock_server::{ManualClock, MockServerBuilder};
use clap::Args;
use jiff::Timestamp;

use super::environment::parse_switch;

/// The control listener, time, faults.
#[derive(Args)]
pub(super) struct Testing {
    /// Port of the control listener; 0 takes a free one. Without it there is none.
    #[arg(long, env = "CHECKFU_MOCK_CONTROL_PORT")]
    control_port: Option<u16>,

    /// Address of the control listener. Whoever reaches it and has its token can do anything to the server.
    #[arg(long, env = "CHECKFU_MOCK_CONTROL_HOST", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST), requires = "control_port")]
    control_host: IpAddr,

    /// The token that opens the control listener; made up without it.
    #[arg(
        long,
        env = "CHECKFU_MOCK_CONTROL_TOKEN",
        hide_env_values = true,
        requires = "control_port"
    )]
    control_token: Option<String>,

    /// A clock that stands still at this moment until the control listener advances it, such as 2026-08-31T12:00:00Z.
    #[arg(long, env = "CHECKFU_MOCK_MANUAL_CLOCK", value_parser = moment)]
    manual_clock: Option<Timestamp>,

    /// Do to clients everything that is unpleasant and allowed.
    #[arg(long, env = "CHECKFU_MOCK_HOSTILE", value_parser = parse_switch)]
    pub(super) hostile: bool,

    /// The number that decides what happens by chance; the same one gives the same run.
    #[arg(long, env = "CHECKFU_MOCK_SEED")]
    seed: Option<u64>,

    /// Break a promise; may be repeated, or separated by commas.
    #[cfg(feature = "mutants")]
    #[arg(long = "mutant", env = "CHECKFU_MOCK_MUTANTS", value_delimiter = ',', value_parser = mutant)]
    mutants: Vec<Mutant>,
}

impl Testing {
    pub(super) fn apply(&self, mut builder: MockServerBuilder) -> MockServerBuilder {
        builder = builder.hostile(self.hostile);
        if let Some(port) = self.control_port {
            builder = builder.control(self.control_host, port);
        }
        if let Some(token) = &self.control_token {
            builder = builder.control_token(token);
        }
        if let Some(start) = self.manual_clock {
            builder = builder.clock(ManualClock::starting_at(start));
        }
        if let Some(seed) = self.seed {
            builder = builder.seed(seed);
        }
        #[cfg(feature = "mutants")]
        for mutant in &self.mutants {
            builder = builder.mutant(*mutant);
        }
        builder
    }
}

fn moment(text: &str) -> Result<Timestamp, String> {
    text.parse()
        .map_err(|error| format!("{error}; write a moment such as 2026-08-31T12:00:00Z"))
}

#[cfg(feature = "mutants")]
fn mutant(name: &str) -> Result<Mutant, String> {
    let known = || {
        Mutant::ALL
            .iter()
            .map(|mutant| mutant.name())
            .collect::<Vec<_>>()
            .join(", ")
    };
    Mutant::parse(name.trim()).ok_or_else(|| format!("there is no such mutant; choose from {}", known()))
}

impl fmt::Debug for Testing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Testing")
            .field("control_port", &self.control_port)
            .field("control_host", &self.control_host)
            .field("manual_clock", &self.manual_clock)
            .field("hostile", &self.hostile)
            .field("seed", &self.seed)
            .finish_non_exhaustive()
    }
}
