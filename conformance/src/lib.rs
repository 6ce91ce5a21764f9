//! Black-box conformance suite for Checkfu servers: verdicts from witnesses, judged by the published contract.
//!
//! The suite talks HTTP to a server and knows nothing of its insides. It has its own event-stream reader and holds no
//! types of an SDK or a server; bodies are judged by the OpenAPI document. A check passes only by what it saw on the
//! wire, a failed set-up blocks it, and each check names the broken servers that it was seen to fail on, see
//! [`prove`].
//!
//! ```no_run
//! use checkfu_conformance::{Plan, Profile, Target, run};
//!
//! # async fn judge() -> Result<(), Box<dyn std::error::Error>> {
//! let target = Target::new("http://127.0.0.1:4010", &std::env::var("CHECKFU_API_KEY")?, "prin_1")?;
//! let plan = Plan::new(target).with_profile(Profile::Reference);
//! let report = run(&plan, std::future::pending(), |step| eprintln!("{step:?}")).await;
//! print!("{report}");
//! std::process::exit(report.exit.code().into());
//! # }
//! ```

mod agent;
mod baseline;
mod budget;
mod capability;
mod check;
mod checks;
mod clean_up;
mod clean_up_end;
mod configuration;
mod context;
mod control;
mod created;
mod expect;
mod json;
mod judgement;
mod level;
mod limits;
pub mod model;
mod needs;
mod pattern;
mod plan;
mod printable;
mod profile;
pub mod prove;
mod repeat;
mod report;
mod requirement;
mod run;
mod schema;
mod secret;
mod stimulus;
mod stop;
mod sweep;
mod target;
pub mod trace;
mod verdict;
mod wire;
mod witness;

pub use agent::{AgentKind, UnknownAgentKind};
pub use baseline::{Baseline, ExpiredEntry, InvalidBaseline, KnownFailure};
pub use budget::{Budget, Spending};
pub use capability::{CapabilityReport, Claim, Offer, Probe, UnknownCapability, UnknownClaim};
pub use check::Check;
pub use checks::{check, checks};
pub use clean_up::{CreatedSession, End};
pub use clean_up_end::CleanUpEnd;
pub use control::{Control, InvalidControl};
pub use level::Level;
pub use limits::Limits;
pub use pattern::fits;
pub use plan::{Plan, UnknownCheck};
pub use profile::{Profile, Severity, UnknownProfile};
pub use report::{
    CheckReport, ExitStatus, Failure, REPORT_SCHEMA_JSON, Report, RequirementReport, Suite, explain,
};
pub use requirement::{Actor, REQUIREMENTS_TOML, Requirement, requirement, requirements};
pub use run::{RunStep, run};
pub use secret::{InvalidSecret, Secret};
pub use stimulus::{Stimulus, UnknownStimulus};
pub use sweep::{SweepError, sweep};
pub use target::{InvalidTarget, Target};
pub use verdict::{Conclusion, Verdict};
pub use witness::Witness;
