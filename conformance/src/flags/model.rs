use std::{error::Error, path::PathBuf};

use checkfu_conformance::{
    Plan, Profile,
    model::{Random, fresh_seed},
};
use clap::Args;

use super::{budget::BudgetFlags, report::ReportFlags, target::TargetFlags};

#[derive(Debug, Args)]
pub(crate) struct ModelFlags {
    #[command(flatten)]
    target: TargetFlags,
    #[command(flatten)]
    budget: BudgetFlags,
    #[command(flatten)]
    pub(crate) report: ReportFlags,
    /// How many histories.
    #[arg(long, default_value_t = 200)]
    pub(crate) histories: u64,
    /// Fixes what every history does [default: a new one, which is printed].
    #[arg(long)]
    seed: Option<u64>,
    /// Only the history with this number, as a report names it.
    #[arg(long, value_name = "NUMBER")]
    only_history: Option<u64>,
    /// How many histories at once [default: the number of processors for a server on this machine, else 1].
    #[arg(long)]
    jobs: Option<usize>,
    /// Where the histories go in which something is found [default: a new directory for temporary files, which is printed].
    #[arg(long, value_name = "DIR")]
    pub(crate) bundle: Option<PathBuf>,
    /// Leaves the Sessions of the run as they are, instead of ending them.
    #[arg(long)]
    keep: bool,
    /// Exit 0 where nothing failed but a property was not put to the test.
    #[arg(long)]
    pub(crate) allow_partial: bool,
}

#[derive(Debug, Args)]
pub(crate) struct HistoryFlags {
    #[command(flatten)]
    pub(crate) report: ReportFlags,
    /// Histories as `model` writes them.
    #[arg(required = true, value_name = "FILE")]
    pub(crate) files: Vec<PathBuf>,
    /// `published` judges what the pages say, `reference` also what the reference server picks.
    #[arg(long, default_value_t = Profile::Published)]
    pub(crate) profile: Profile,
    /// Contradictions of derived statements fail instead of warn.
    #[arg(long)]
    pub(crate) strict: bool,
    /// Exit 0 where nothing failed but a property was not put to the test.
    #[arg(long)]
    pub(crate) allow_partial: bool,
}

impl ModelFlags {
    pub(crate) fn plan(&self) -> Result<Plan, Box<dyn Error>> {
        let plan = self.target.plan()?.with_budget(self.budget.budget());
        Ok(plan.with_keep(self.keep))
    }

    pub(crate) fn random(&self) -> Result<Random, Box<dyn Error>> {
        let processors = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
        let jobs = match self.jobs {
            Some(0) => return Err("--jobs 0 plays no history: give 1 or more".into()),
            Some(jobs) => jobs,
            None if self.target.is_local() => processors(),
            None => 1,
        };
        Ok(Random {
            seed: self.seed.map_or_else(fresh_seed, Ok)?,
            histories: self.histories,
            only: self.only_history,
            jobs,
        })
    }

    /// Whether stderr stays empty.
    pub(crate) fn is_quiet(&self) -> bool {
        self.target.quiet
    }
}
