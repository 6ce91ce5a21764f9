use std::{num::NonZeroUsize, path::PathBuf};

use clap::Args;

#[derive(Debug, Args)]
pub(crate) struct ProveFlags {
    /// The reference server, built with mutants [default: checkfu-mock-server beside this program].
    #[arg(long, value_name = "PATH")]
    pub(crate) server: Option<PathBuf>,
    /// Leaves out what takes minutes.
    #[arg(long)]
    pub(crate) quick: bool,
    /// How many servers are judged at a time [default: three for each processor].
    #[arg(long, value_name = "N")]
    pub(crate) jobs: Option<NonZeroUsize>,
    /// Only this broken server.
    #[arg(long, value_name = "MUTANT")]
    pub(crate) only: Option<String>,
}
