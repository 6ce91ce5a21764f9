use std::{error::Error, path::PathBuf};

use checkfu_conformance::{Baseline, Claim, Control, Plan, Stimulus, Target};
use clap::Args;

use super::budget::BudgetFlags;
use crate::bounded;

/// What a run may do to a server, and what the operator knows of it.
#[derive(Debug, Args)]
pub(crate) struct ScopeFlags {
    /// A Session to read where a check only reads, with at least two settled turns; nothing is written to it. May be
    /// repeated: some checks need two, one with children, one with more than 1000 events.
    #[arg(long, value_name = "ID", env = "CHECKFU_SESSION_IDS", value_delimiter = ',')]
    session: Vec<String>,
    /// What checks may do: `read` sends nothing but GET, `create` also makes Sessions and forks and appends, `work` also
    /// lets Agents work, `control` also restarts the server and moves its time, which needs --control.
    #[arg(long, value_name = "CLASS", default_value_t = Stimulus::Work)]
    stimulus: Stimulus,
    #[command(flatten)]
    budget: BudgetFlags,
    /// Says that the server has a capability, has it not, or that its own word counts. May be repeated.
    #[arg(long, value_name = "NAME=on|off|auto", value_parser = claim)]
    capability: Vec<(String, Claim)>,
    /// The control listener of the server, if it has one: it is restarted and time passes there. The token comes from
    /// CHECKFU_CONTROL_TOKEN and from nowhere else.
    #[arg(long, value_name = "URL", env = "CHECKFU_CONTROL_URL")]
    control: Option<String>,
    /// Known failures: TOML with a table [[known]] of check, reason, issue and, if you like, expires for each.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Leaves the Sessions of the run as they are, instead of ending them.
    #[arg(long)]
    keep: bool,
    /// What the server is, for the report.
    #[arg(long)]
    name: Option<String>,
    /// Whom to ask about it, for the report.
    #[arg(long)]
    contact: Option<String>,
}

impl ScopeFlags {
    pub(crate) fn target(&self, target: Target) -> Result<Target, Box<dyn Error>> {
        let ids = self
            .session
            .iter()
            .map(|id| id.trim())
            .filter(|id| !id.is_empty());
        let target = target.with_sessions(ids)?.with_control(self.control()?);
        Ok(target.with_identity(self.name.clone(), self.contact.clone()))
    }

    fn control(&self) -> Result<Option<Control>, Box<dyn Error>> {
        let Some(url) = self.control.as_ref().filter(|url| !url.is_empty()) else {
            return match self.stimulus {
                Stimulus::Control => Err(
                    "--stimulus control: --control (CHECKFU_CONTROL_URL) is not given: give \
                                          the URL of the server's control listener, or a lower class"
                        .into(),
                ),
                _ => Ok(None),
            };
        };
        let token = std::env::var("CHECKFU_CONTROL_TOKEN");
        let token = token
            .map_err(|_| "--control: CHECKFU_CONTROL_TOKEN is not set: set it to the listener's token")?;
        Ok(Some(Control::new(url, &token)?))
    }

    pub(crate) fn plan(&self, plan: Plan) -> Result<Plan, Box<dyn Error>> {
        let mut plan = plan
            .with_stimulus(self.stimulus)
            .with_budget(self.budget.budget())
            .with_keep(self.keep);
        for (place, (capability, claim)) in self.capability.iter().enumerate() {
            let before = self.capability.iter().take(place);
            if before.into_iter().any(|(other, _)| other == capability) {
                return Err(format!("--capability: {capability} is given twice: say once what holds").into());
            }
            plan = plan
                .with_claim(capability, *claim)
                .map_err(|error| format!("--capability: {error}"))?;
        }
        if let Some(path) = &self.baseline {
            let fault = |problem: String| format!("--baseline: {}: {problem}", path.display());
            let text = bounded::read(path, bounded::BASELINE).map_err(|error| fault(error.to_string()))?;
            plan = plan.with_baseline(Baseline::read(&text).map_err(|error| fault(error.to_string()))?);
        }
        Ok(plan)
    }
}

fn claim(text: &str) -> Result<(String, Claim), String> {
    match text.split_once('=') {
        Some((name, claim)) => {
            let claim = claim.parse::<Claim>().map_err(|error| error.to_string())?;
            Ok((name.to_owned(), claim))
        }
        None => Err("not NAME=on|off|auto, such as threads=off".to_owned()),
    }
}
