use std::{error::Error, time::Duration};

use checkfu_conformance::{Budget, Limits, Plan, Target};
use clap::Args;

use super::{
    budget::rate,
    target::{key, seconds},
};

#[derive(Debug, Args)]
pub(crate) struct SweepFlags {
    /// The id of the run, as its report has it.
    #[arg(long, value_name = "ID")]
    pub(crate) run: String,
    /// Origin of the server, with a path prefix if it has one.
    #[arg(long, env = "CHECKFU_BASE_URL")]
    url: String,
    /// The principal that interrupts are authored by.
    #[arg(long, env = "CHECKFU_PRINCIPAL_ID")]
    principal: String,
    /// Sent as Checkfu-Workspace if given.
    #[arg(long, env = "CHECKFU_WORKSPACE_ID")]
    workspace: Option<String>,
    /// Requests a second at most, or `unlimited` [default: unlimited on this machine, 10 elsewhere].
    #[arg(long, value_name = "R", value_parser = rate)]
    rps: Option<f64>,
    /// Seconds for all of it; what is left then stays as it is.
    #[arg(long, value_name = "SECONDS", default_value_t = 600.0, value_parser = seconds)]
    timeout: f64,
}

impl SweepFlags {
    pub(crate) fn plan(&self) -> Result<Plan, Box<dyn Error>> {
        let target = Target::new(&self.url, &key()?, &self.principal)?.with_workspace(self.workspace.clone());
        let budget = Budget {
            rate: self.rps,
            ..Budget::default()
        };
        let limits = Limits {
            clean_up: Duration::from_secs_f64(self.timeout),
            ..Limits::default()
        };
        Ok(Plan::new(target).with_budget(budget).with_limits(limits))
    }
}
