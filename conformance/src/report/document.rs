use std::collections::BTreeMap;

use serde::Serialize;

use crate::{
    baseline::{ExpiredEntry, KnownFailure},
    budget::{Budget, Spending},
    capability::CapabilityReport,
    clean_up::CreatedSession,
    level::Level,
    profile::Profile,
    stimulus::Stimulus,
    verdict::{Conclusion, Verdict},
    witness::Witness,
};

use super::exit::ExitStatus;

/// Everything a run found. Every other form of report is made from it alone.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Report {
    /// The version of this document's shape: [`Report::FORMAT`].
    pub format: u32,
    /// What made it.
    pub suite: Suite,
    /// The origin that was judged.
    pub url: String,
    /// What the server is, in the operator's words.
    pub name: Option<String>,
    /// Whom to ask about it.
    pub contact: Option<String>,
    /// The profile it was judged by.
    pub profile: Profile,
    /// Whether contradictions of derived statements failed.
    pub strict: bool,
    /// The highest class of checks that was allowed.
    pub stimulus: Stimulus,
    /// The Sessions that the operator gave to read.
    pub sessions: Vec<String>,
    /// The patterns that the checks were chosen by; none where all were.
    pub only: Vec<String>,
    /// A command that makes this judgement again; it takes the key from the environment.
    pub reproduce: String,
    /// What the run might spend.
    pub budget: Budget,
    /// What it spent.
    pub spent: Spending,
    /// What ended it before its last check, if something did.
    pub cut: Option<String>,
    /// Entries of the baseline that expired, for checks that this run left out.
    pub expired_baseline: Vec<ExpiredEntry>,
    /// Stands in the title of every Session and in every text that the run created; empty if it created none.
    pub run_id: String,
    /// When the run began, in milliseconds since 1970 (UTC).
    pub started_at_ms: u64,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
    /// What it says as a whole.
    pub conclusion: Conclusion,
    /// Why there is no judgement, if there is none.
    pub reason: Option<String>,
    /// How the run ended.
    pub exit: ExitStatus,
    /// How many checks had which verdict.
    pub counts: BTreeMap<Verdict, usize>,
    /// Every check that was asked for, in the order of the table.
    pub checks: Vec<CheckReport>,
    /// What is known of each capability, and from where.
    pub capabilities: Vec<CapabilityReport>,
    /// The Sessions that the run created, and what became of them.
    pub created: Vec<CreatedSession>,
    /// The requirements these checks stand for, each with the greatest verdict among them.
    pub requirements: Vec<RequirementReport>,
}

/// What made a report.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Suite {
    /// The crate.
    pub name: &'static str,
    /// Its version.
    pub version: &'static str,
}

/// What became of one check.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct CheckReport {
    /// Its id.
    pub id: &'static str,
    /// What holds when it passes.
    pub title: &'static str,
    /// How firmly it stands.
    pub level: Level,
    /// What it makes a server do.
    pub stimulus: Stimulus,
    /// The requirements it shows.
    pub requirements: Vec<&'static str>,
    /// The broken servers that its tests caught with it.
    pub killed_by: Vec<&'static str>,
    /// What became of it.
    pub verdict: Verdict,
    /// What speaks for the server; never empty in a pass.
    pub witnesses: Vec<Witness>,
    /// Why it did not pass, where that is not a contradiction.
    pub reason: Option<String>,
    /// The contradiction, if one was witnessed, in this check or in its set-up.
    pub failure: Option<Failure>,
    /// The entry of the baseline that lists it, if one does.
    pub known: Option<KnownFailure>,
    /// How long it took, in milliseconds.
    pub duration_ms: u64,
}

/// A contradiction, with what it takes to see it again.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct Failure {
    /// What had to be.
    pub expected: String,
    /// What came.
    pub actual: String,
    /// The exchange that shows it, key masked, long bodies cut.
    pub wire: String,
    /// A command that runs this check alone; it takes the key from the environment.
    pub reproduce: String,
}

/// What a run says of one requirement.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct RequirementReport {
    /// Its id.
    pub id: &'static str,
    /// The greatest verdict among its checks.
    pub verdict: Verdict,
    /// Those checks.
    pub checks: Vec<&'static str>,
}

/// The JSON Schema of the document that [`Report::to_json`] writes.
pub const REPORT_SCHEMA_JSON: &str = include_str!("../../report.schema.json");

impl Report {
    /// The version of the document's shape, which `report.schema.json` describes.
    pub const FORMAT: u32 = 2;

    /// The document as indented JSON with a final line feed.
    ///
    /// # Errors
    /// What the JSON writer reports; the document has no value that it cannot write.
    pub fn to_json(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }

    /// The report on the check with this id.
    pub fn check(&self, id: &str) -> Option<&CheckReport> {
        self.checks.iter().find(|check| check.id == id)
    }

    /// How many checks had this verdict.
    pub fn count(&self, verdict: Verdict) -> usize {
        self.counts.get(&verdict).copied().unwrap_or_default()
    }
}

pub(crate) fn counts(checks: &[CheckReport]) -> BTreeMap<Verdict, usize> {
    let mut counts = BTreeMap::new();
    for check in checks {
        *counts.entry(check.verdict).or_insert(0) += 1;
    }
    counts
}

pub(crate) fn requirements(checks: &[CheckReport]) -> Vec<RequirementReport> {
    let mut rows: BTreeMap<&'static str, RequirementReport> = BTreeMap::new();
    for check in checks {
        for id in &check.requirements {
            let row = rows.entry(id).or_insert(RequirementReport {
                id,
                verdict: check.verdict,
                checks: Vec::new(),
            });
            row.verdict = row.verdict.max(check.verdict);
            row.checks.push(check.id);
        }
    }
    rows.into_values().collect()
}
