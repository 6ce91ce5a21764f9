//! One document a run, and the forms it is shown in.

mod document;
mod exit;
mod human;

pub use document::{CheckReport, Failure, Report, RequirementReport, Suite};
pub(crate) use document::{counts, requirements};
pub(crate) use exit::Cut;
pub use exit::ExitStatus;
pub use human::explain;
