//! What every form of a conformance statement says, as words and rows.

use chrono::DateTime;

use crate::{
    capability::Claim,
    checks::checks,
    level::Level,
    requirement::{Actor, Requirement, requirement, requirements},
    verdict::Verdict,
};

use super::document::{CheckReport, Report};

/// How many checks of one area had which verdict.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Area {
    pub(super) name: &'static str,
    /// In the order of [`Area::columns`].
    pub(super) counts: Vec<usize>,
}

impl Area {
    /// The verdicts that the run had, lowest first.
    pub(super) fn columns(report: &Report) -> Vec<Verdict> {
        let had = |verdict: &Verdict| report.count(*verdict) > 0;
        Verdict::ALL.into_iter().filter(had).collect()
    }

    /// Every area, in the order of the table of checks.
    pub(super) fn all(report: &Report) -> Vec<Self> {
        let columns = Self::columns(report);
        let count = |name: &str, verdict: Verdict| {
            let of_both = |check: &&CheckReport| area(check) == name && check.verdict == verdict;
            report.checks.iter().filter(of_both).count()
        };
        areas(report)
            .into_iter()
            .map(|name| Self {
                name,
                counts: columns.iter().map(|verdict| count(name, *verdict)).collect(),
            })
            .collect()
    }
}

/// The names of the areas, in the order of the table of checks.
pub(super) fn areas(report: &Report) -> Vec<&'static str> {
    let mut names: Vec<&'static str> = Vec::new();
    for name in report.checks.iter().map(area) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// The area in a check's id.
pub(super) fn area(check: &CheckReport) -> &'static str {
    check.id.split('.').nth(1).unwrap_or_default()
}

/// The facts of the run: what was judged, by what, when.
pub(super) fn facts(report: &Report) -> Vec<(&'static str, String)> {
    let strict = if report.strict { ", strict" } else { "" };
    let facts = vec![
        ("Server", report.url.clone()),
        ("Profile", format!("{}{strict}", report.profile)),
        ("Suite", format!("{} {}", report.suite.name, report.suite.version)),
        ("Began", moment(report.started_at_ms)),
        ("Took", format!("{:.1} s", seconds(report.duration_ms))),
        ("Run", report.run_id.clone()),
    ];
    identity(report).into_iter().chain(facts).collect()
}

/// What the operator says that the server is.
pub(super) fn identity(report: &Report) -> Vec<(&'static str, String)> {
    let named = [("Name", &report.name), ("Contact", &report.contact)];
    let named = named.into_iter();
    named
        .filter_map(|(what, value)| Some((what, value.clone()?)))
        .collect()
}

/// How a server lists a capability.
pub(super) fn listed(advertised: Option<bool>) -> &'static str {
    match advertised {
        Some(true) => "enabled",
        Some(false) => "disabled",
        None => "nothing seen",
    }
}

/// How many checks were executed and apply to this server.
pub(super) fn applicable(report: &Report) -> usize {
    report.checks.len() - report.count(Verdict::NotSelected) - report.count(Verdict::NotApplicable)
}

/// One line: the word, the profile and the numbers.
pub(super) fn conclusion(report: &Report) -> String {
    let passed = report.count(Verdict::Pass);
    let selection = match report.only.is_empty() {
        true => String::new(),
        false => format!("of a selection ({}), ", report.only.join(", ")),
    };
    let apart = match report.count(Verdict::NotApplicable) {
        0 => String::new(),
        1 => ", 1 does not apply".to_owned(),
        count => format!(", {count} do not apply"),
    };
    let of = format!(
        "{selection}{passed} of {} checks passed{apart}",
        applicable(report)
    );
    let off = report.capabilities.iter().filter(|row| row.claim == Claim::Off);
    let off: Vec<_> = off.map(|row| row.id).collect();
    let without = match off.is_empty() {
        true => String::new(),
        false => format!(", without {} by the operator's word", off.join(", ")),
    };
    format!(
        "{} for profile {}: {of}{without}",
        report.conclusion.word(),
        report.profile
    )
}

/// The checks with one of these verdicts, in the order of the table.
pub(super) fn with<'r>(report: &'r Report, verdicts: &[Verdict]) -> Vec<&'r CheckReport> {
    let wanted = |check: &&CheckReport| verdicts.contains(&check.verdict);
    report.checks.iter().filter(wanted).collect()
}

/// A requirement as the run saw it.
pub(super) struct Row {
    pub(super) requirement: &'static Requirement,
    pub(super) verdict: Verdict,
    pub(super) checks: Vec<&'static str>,
}

/// The requirements that were judged, in the order of their table.
pub(super) fn judged(report: &Report) -> Vec<Row> {
    let of_run = |row: &'static Requirement| {
        let found = report.requirements.iter().find(|found| found.id == row.id)?;
        Some(Row {
            requirement: row,
            verdict: found.verdict,
            checks: found.checks.clone(),
        })
    };
    requirements().iter().filter_map(of_run).collect()
}

/// The requirements of a server that the suite has no check for; nothing is said about them.
pub(super) fn unjudged() -> Vec<&'static Requirement> {
    let of_server = |row: &&Requirement| row.actors.contains(&Actor::Server);
    let checked = |row: &&Requirement| checks().any(|check| check.requirements().contains(&row.id.as_str()));
    requirements()
        .iter()
        .filter(|row| of_server(row) && !checked(row))
        .collect()
}

/// What a requirement says.
pub(super) fn statement(id: &str) -> &'static str {
    requirement(id).map_or("", |row| row.statement.as_str())
}

/// What the letter of a level means for a server that breaks it.
pub(super) fn meaning(level: Level) -> &'static str {
    match level {
        Level::Documented => "the published text says it",
        Level::Derived => "it follows from the published text",
        Level::Assumed => "the text is silent, and the reference server picks",
    }
}

pub(super) fn seconds(milliseconds: u64) -> f64 {
    std::time::Duration::from_millis(milliseconds).as_secs_f64()
}

fn moment(milliseconds: u64) -> String {
    i64::try_from(milliseconds)
        .ok()
        .and_then(DateTime::from_timestamp_millis)
        .map_or_else(String::new, |moment| {
            moment.format("%Y-%m-%d %H:%M:%S UTC").to_string()
        })
}
