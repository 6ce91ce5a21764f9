mod budget;
mod list;
mod model;
mod prove;
mod report;
mod scope;
mod sweep;
mod target;

use std::{error::Error, path::PathBuf};

use checkfu_conformance::Plan;
use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::progress::Form;
pub(crate) use list::ListFlags;
pub(crate) use model::{HistoryFlags, ModelFlags};
pub(crate) use prove::ProveFlags;
pub(crate) use report::ReportFlags;
pub(crate) use scope::ScopeFlags;
pub(crate) use sweep::SweepFlags;
use target::TargetFlags;

/// Judges a Checkfu server over HTTP, as a black box.
#[derive(Debug, Parser)]
#[command(version)]
pub(crate) struct Flags {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Runs the checks against a server. The key comes from CHECKFU_API_KEY and from nowhere else.
    Server(Box<ServerFlags>),
    /// Ends the Sessions that an earlier run left.
    Sweep(SweepFlags),
    /// Prints the JSON Schema of the report of `server`, or of that of `model` and `check-history`.
    Schema {
        #[arg(value_enum, default_value_t = Judged::Server)]
        of: Judged,
    },
    /// Plays random histories against a server and judges them by properties. Takes the key as `server` does.
    Model(Box<ModelFlags>),
    /// Judges histories that were written down before; no server is needed.
    CheckHistory(HistoryFlags),
    /// Shows the checks, or the broken servers that they have to fail on.
    List(ListFlags),
    /// Shows what is known of a check, of a capability, of a requirement, of a sentence of the pages, or of a property or an
    /// anomaly of histories.
    Explain {
        /// Such as srv.resume.every-cut, threads, STR-2, S-resume-a-stream-027, P04 or lost-write.
        id: String,
    },
    /// Shows how many sentences of the published pages are checked, and which still wait for a check.
    Trace(TraceFlags),
    /// Proves the checks with servers that are broken on purpose, and with some that are not.
    ///
    /// Exit 0 if all of it holds, 1 if not, 2 for a wrong command line or a server without mutants, 4 for a server that does
    /// not start.
    Prove(ProveFlags),
}

/// What a report is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Judged {
    Server,
    Model,
}

#[derive(Debug, Args)]
pub(crate) struct TraceFlags {
    /// Compares the pages in this directory (<page>.txt) with the rows; exit 1 where they differ.
    #[arg(long, value_name = "DIR", conflicts_with = "write")]
    pub(crate) docs: Option<PathBuf>,
    /// Writes the table of all sentences to this file too.
    #[arg(long, value_name = "FILE")]
    pub(crate) write: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ServerFlags {
    #[command(flatten)]
    target: TargetFlags,
    /// Something changes on purpose how things arrive, as the reference server's --hostile does: what is assumed of their
    /// exact form is not judged.
    #[arg(long)]
    disturbed: bool,
    /// Only this check; a * stands for any letters. May be repeated.
    #[arg(long, value_name = "ID")]
    only: Vec<String>,
    #[command(flatten)]
    scope: ScopeFlags,
    #[command(flatten)]
    pub(crate) report: ReportFlags,
    /// Writes the report as a conformance statement in HTML, one file that needs nothing else.
    #[arg(long, value_name = "FILE")]
    pub(crate) html: Option<PathBuf>,
    /// Writes the conclusion as the JSON of a shields.io badge.
    #[arg(long, value_name = "FILE")]
    pub(crate) badge: Option<PathBuf>,
    /// Writes the failures as a baseline, for --baseline of a later run. Of the one that stands there, and of --baseline, it
    /// keeps the entries of checks that this run leaves out or cannot decide.
    #[arg(long, value_name = "FILE")]
    pub(crate) write_baseline: Option<PathBuf>,
    /// Exit 0 where nothing failed but something was inconclusive or blocked.
    #[arg(long)]
    pub(crate) allow_partial: bool,
    /// What is told on stderr as each check ends.
    #[arg(long, value_enum, default_value_t = Form::Text, conflicts_with = "quiet")]
    progress: Form,
}

impl ServerFlags {
    pub(crate) fn plan(&self) -> Result<Plan, Box<dyn Error>> {
        let target = self.target.target()?.with_disturbance(self.disturbed);
        let plan = self.target.plan_for(self.scope.target(target)?);
        Ok(self.scope.plan(plan)?.with_only(self.only.iter())?)
    }

    /// What to tell as each check ends, if anything.
    pub(crate) fn progress(&self) -> Option<Form> {
        (!self.target.quiet).then_some(self.progress)
    }
}
