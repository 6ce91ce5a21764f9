//! One document a run, and the forms it is shown in.

mod account;
mod badge;
mod document;
mod exit;
mod html;
mod human;
mod junit;
mod markdown;
mod statement;
mod xml;

pub use document::{CheckReport, Failure, REPORT_SCHEMA_JSON, Report, RequirementReport, Suite};
pub(crate) use document::{counts, requirements};
pub(crate) use exit::Cut;
pub use exit::ExitStatus;
pub use human::explain;
pub(crate) use junit::of_run;
pub(crate) use markdown::cell;
pub(crate) use xml::allowed;
