//! Reference server of the Checkfu API: a durable event log over real HTTP, as a binary and in process.
//!
//! In process it starts in milliseconds, on a free port, with its log in memory unless a data directory is given:
//!
//! ```
//! use checkfu_mock_server::MockServer;
//!
//! # #[tokio::main]
//! # async fn main() -> Result<(), checkfu_mock_server::StartError> {
//! let server = MockServer::builder().start().await?;
//! println!("{} opens with {}", server.url(), server.api_key());
//! println!("POST /v1/sessions with {} and {}", server.deployment_id(), server.principal_id());
//! server.shutdown().await;
//! # Ok(())
//! # }
//! ```
//!
//! Inside, a pure core turns commands into events, one writer makes them durable, and HTTP, storage, clock and agents
//! stand around it. `README.md` has the map.

mod agent;
mod api_key;
mod capability;
mod catalog;
mod clock;
mod control;
mod core;
mod deployment;
mod fault;
mod http;
mod inspect;
mod journal;
mod ledger;
mod mutant;
mod runner;
mod scenario;
mod server;
mod stop;
mod storage;
mod timekeeper;
mod wire;

pub use capability::CapabilityError;
pub use clock::{Clock, ManualClock, SystemClock};
pub use control::restart::{Restart, RestartError};
pub use control::retention::{Retention, RetentionError};
pub use control::workspace::{DeploymentStatus, PrincipalStatus, Workspace, WorkspaceError};
pub use control::{Control, FixedClock};
pub use fault::{
    Answer, Cut, Delay, Effect, Event, EventEdit, Fault, FaultStatus, Faults, Format, GoAway, Headers, How,
    Informational, Insert, LineEnds, OldHttp, On, Operation, Page, PageEdit, Point, Preview, PreviewEdit,
    Rate, Raw, RequestHeaders, Resume, RetryAfter, Spacing, Stale,
};
pub use inspect::{Expected, InspectError, Inspected, LoggedEvent, Mismatch, PendingWait, Received};
pub use journal::{Ended, JournalEntry};
#[cfg(feature = "mutants")]
pub use mutant::Mutant;
pub use scenario::check::{BuiltInScenario, built_in_scenarios, check_scenario};
pub use scenario::error::ScenarioError;
pub use scenario::record::error::RecordError;
pub use scenario::record::{Recording, record_scenario};
pub use scenario::schema::SCENARIO_SCHEMA;
pub use server::{MockServer, MockServerBuilder, StartError, Tls};
pub use storage::error::StorageError;

/// The example of the README, compiled.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
