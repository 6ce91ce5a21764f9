use checkfu_conformance::Budget;
use clap::Args;

/// What a run may spend on a server.
#[derive(Debug, Args)]
pub(crate) struct BudgetFlags {
    /// Requests to send at most; what is left then is inconclusive [default: no limit].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    budget_requests: Option<u64>,
    /// Events to append at most; what is left then is inconclusive [default: no limit].
    #[arg(long, value_name = "N")]
    budget_events: Option<u64>,
    /// Mebibytes of answers to keep as evidence at most; what is left then is inconclusive [default: 512].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=1 << 20))]
    budget_mebibytes: Option<u64>,
    /// Requests a second at most, or `unlimited` [default: unlimited on this machine, 10 elsewhere].
    #[arg(long, value_name = "R", value_parser = rate)]
    rps: Option<f64>,
}

impl BudgetFlags {
    pub(super) fn budget(&self) -> Budget {
        Budget {
            requests: self.budget_requests,
            events: self.budget_events,
            rate: self.rps,
            kept: self.budget_mebibytes.map(|mebibytes| mebibytes << 20),
        }
    }
}

pub(super) fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        _ if text == "unlimited" => Ok(f64::INFINITY),
        Ok(rate) if (0.01..=100_000.0).contains(&rate) => Ok(rate),
        _ => Err("not a number of requests a second between 0.01 and 100000, nor `unlimited`".to_owned()),
    }
}
