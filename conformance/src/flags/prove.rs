use std::{num::NonZeroUsize, path::PathBuf};

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct ProveFlags {
    /// The reference server, built with mutants [default: checkfu-mock-server beside this program].
    #[arg(long, value_name = "PATH")]
    pub(crate) server: Option<PathBuf>,
    /// Leaves out the equivalents that only the published pages leave free, and the server with capabilities off.
    #[arg(long)]
    pub(crate) quick: bool,
    /// Writes the kill matrix to this directory where everything holds; of a whole proof, so not with --only.
    #[arg(long, value_name = "DIR", conflicts_with_all = ["check", "only"])]
    pub(crate) write: Option<PathBuf>,
    /// Compares the kill matrix in this directory; exit 1 where it differs. Not with --only.
    #[arg(long, value_name = "DIR", conflicts_with = "only")]
    pub(crate) check: Option<PathBuf>,
    /// How many servers are judged at a time [default: three for each processor].
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
    /// Only this broken server, or those that a check has to fail on, by its id; a * stands for any letters. May be
    /// repeated. `list --mutants` shows them.
    #[arg(long, value_name = "MUTANT|CHECK")]
    pub(crate) only: Vec<String>,
}
