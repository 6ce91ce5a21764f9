//! The command line; every flag is also an environment variable.

mod environment;
mod error;
mod listening;
mod testing;

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use checkfu_mock_server::{CapabilityError, MockServer, MockServerBuilder, StartError};
use clap::{ArgGroup, CommandFactory, FromArgMatches, Parser, Subcommand, value_parser};

use crate::log_filter::LogFilter;
use crate::scenario_command::ScenarioCommand;
pub(crate) use error::FlagError;
use listening::Listening;
use testing::Testing;

/// Reference server of the Checkfu API.
///
/// Prints one JSON line with its URL, its key and the ids to start with once it accepts connections; logs go to
/// standard error as JSON. SIGTERM or SIGINT answers what was asked and stops.
#[derive(Parser)]
#[command(version, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, group(ArgGroup::new("log storage").required(true).args(["data_dir", "in_memory"])))]
pub(crate) struct Flags {
    #[command(subcommand)]
    pub(crate) command: Option<Command>,

    /// Directory that keeps the log; created if absent.
    #[arg(long, env = "CHECKFU_MOCK_DATA_DIR")]
    data_dir: Option<PathBuf>,

    /// Keep the log in memory; it is gone when the server stops.
    #[arg(long, env = "CHECKFU_MOCK_IN_MEMORY", value_parser = environment::parse_switch)]
    in_memory: bool,

    /// The one key that opens the server; without it one is made up, and kept in the data directory.
    #[arg(long, env = "CHECKFU_MOCK_API_KEY", hide_env_values = true)]
    api_key: Option<String>,

    /// Another Principal that Sessions may act as; may be repeated, or separated by commas.
    #[arg(long = "principal", env = "CHECKFU_MOCK_PRINCIPALS", value_delimiter = ',', value_parser = principal)]
    principals: Vec<String>,

    /// A scenario file to publish under its own name; may be repeated, or separated by commas.
    #[arg(long = "scenario", env = "CHECKFU_MOCK_SCENARIOS", value_delimiter = ',')]
    scenarios: Vec<PathBuf>,

    /// A capability to leave off, such as forks; may be repeated, or separated by commas.
    #[arg(long = "disable", env = "CHECKFU_MOCK_DISABLE", value_delimiter = ',', value_parser = capability)]
    disabled: Vec<String>,

    /// What an agent takes for each step of a Run, in milliseconds.
    #[arg(long, env = "CHECKFU_MOCK_STEP_DELAY_MS", default_value_t = 5)]
    step_delay_ms: u64,

    /// After how long a silent stream gets a comment, in milliseconds; at least 1.
    #[arg(long, env = "CHECKFU_MOCK_KEEP_ALIVE_MS", default_value_t = 10_000, value_parser = value_parser!(u64).range(1..))]
    keep_alive_ms: u64,

    #[command(flatten)]
    listening: Listening,

    #[command(flatten)]
    testing: Testing,

    /// What to log: a level (error, warn, info, debug, trace) or filter directives.
    #[arg(long, env = "CHECKFU_MOCK_LOG", default_value = "info")]
    pub(crate) log: LogFilter,
}

/// What the program does instead of serving.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Check, record and show scenario files.
    #[command(subcommand)]
    Scenario(ScenarioCommand),
}

impl Flags {
    /// What the command line and the environment say; ends the program where that makes no sense.
    pub(crate) fn read() -> Self {
        let mut command = environment::applied(Self::command());
        // An argument is called what an error calls it once its command is built.
        command.build();
        let read = command.clone().try_get_matches();
        let read = read.and_then(|matches| Self::from_arg_matches(&matches));
        read.unwrap_or_else(|error| environment::explained(error, &command).exit())
    }

    /// The server that the flags describe.
    pub(crate) fn builder(&self) -> Result<MockServerBuilder, FlagError> {
        let mut builder = MockServer::builder()
            .step_delay(Duration::from_millis(self.step_delay_ms))
            .keep_alive(Duration::from_millis(self.keep_alive_ms))
            .without(&self.disabled)?;
        if let Some(path) = &self.data_dir {
            builder = builder.data_dir(path);
        }
        if let Some(key) = &self.api_key {
            builder = builder.api_key(key);
        }
        for id in &self.principals {
            builder = builder.principal(id)?;
        }
        for path in &self.scenarios {
            let yaml = std::fs::read_to_string(path).map_err(|source| FlagError::File {
                flag: "--scenario (CHECKFU_MOCK_SCENARIOS)",
                path: path.clone(),
                source,
            })?;
            builder = builder.scenario(yaml).map_err(|source| FlagError::Scenario {
                path: path.clone(),
                source,
            })?;
        }
        Ok(self.testing.apply(self.listening.apply(builder)?))
    }

    /// The flags, with what they said, that a server was not started for.
    pub(crate) fn blamed(&self, error: &StartError) -> Option<String> {
        match error {
            StartError::ApiKey => Some("--api-key (CHECKFU_MOCK_API_KEY)".to_owned()),
            StartError::ControlToken => Some("--control-token (CHECKFU_MOCK_CONTROL_TOKEN)".to_owned()),
            StartError::Tls { .. } => Some(self.listening.tls_flags()),
            _ => None,
        }
    }

    /// Whether the seed of the faults is worth telling.
    pub(crate) fn is_hostile(&self) -> bool {
        self.testing.hostile
    }
}

/// A Principal's identifier; blanks around it are those of a list.
fn principal(text: &str) -> Result<String, StartError> {
    let id = text.trim();
    MockServer::builder().principal(id).map(|_| id.to_owned())
}

/// A capability's name, likewise.
fn capability(text: &str) -> Result<String, CapabilityError> {
    let name = text.trim();
    MockServer::builder().without([name]).map(|_| name.to_owned())
}

impl fmt::Debug for Flags {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Flags")
            .field("data_dir", &self.data_dir)
            .field("in_memory", &self.in_memory)
            .field("disabled", &self.disabled)
            .field("listening", &self.listening)
            .field("testing", &self.testing)
            .finish_non_exhaustive()
    }
}
