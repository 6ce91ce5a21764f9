//! What a run was allowed, what it spent and what it left, as words and rows.

use std::collections::BTreeSet;

use crate::{clean_up::End, verdict::Verdict};

use super::document::{CheckReport, Report};

/// What the run was allowed and what it spent.
pub(super) fn bounds(report: &Report) -> Vec<(&'static str, String)> {
    let of = |spent: u64, limit: Option<u64>| match limit {
        Some(limit) => format!("{spent} of {limit}"),
        None => format!("{spent}, no limit"),
    };
    let rate = match report.budget.rate {
        Some(rate) if rate.is_finite() => format!("{rate} a second at most"),
        _ => "no limit".to_owned(),
    };
    let mebibytes = |bytes: u64| bytes.div_ceil(1 << 20);
    let kept = match report.budget.kept {
        Some(limit) => format!("{} of {} MiB", mebibytes(report.spent.kept), mebibytes(limit)),
        None => format!("{} MiB", mebibytes(report.spent.kept)),
    };
    let given = match report.sessions.as_slice() {
        [] => "none".to_owned(),
        sessions => sessions.join(", "),
    };
    let mut rows = vec![
        (
            "Stimulus",
            format!("{}: {}", report.stimulus, report.stimulus.allows()),
        ),
        ("Given Sessions", given),
        ("Requests", of(report.spent.requests, report.budget.requests)),
        ("Events appended", of(report.spent.events, report.budget.events)),
        ("Evidence", kept),
        ("Rate", rate),
        (
            "To clean up",
            format!("{} requests", report.spent.clean_up_requests),
        ),
    ];
    if let Some(cut) = &report.cut {
        rows.push(("Ended early", cut.clone()));
    }
    let expired = report.expired_baseline.iter();
    let expired: Vec<_> = expired
        .map(|entry| format!("{} on {}", entry.check, entry.expires))
        .collect();
    if !expired.is_empty() {
        let which = expired.join(", ");
        rows.push((
            "Expired entries",
            format!(
                "{which}: of the baseline, for checks that this run left out; take them out or renew them"
            ),
        ));
    }
    rows
}

/// How many Sessions were left in which way, and the ids of those that were left as they were.
pub(super) struct Left {
    pub(super) counts: Vec<(End, usize)>,
    pub(super) untouched: Vec<(String, String)>,
}

pub(super) fn left(report: &Report) -> Left {
    let ends = [End::Ended, End::Canceled, End::Quieted, End::Left];
    let count = |end| report.created.iter().filter(|session| session.end == end).count();
    let counts = ends
        .map(|end| (end, count(end)))
        .into_iter()
        .filter(|(_, count)| *count > 0);
    let untouched = report.created.iter().filter(|session| session.end == End::Left);
    Left {
        counts: counts.collect(),
        untouched: untouched
            .map(|session| (session.id.clone(), session.done.clone()))
            .collect(),
    }
}

/// The Sessions that the run created, in one line.
pub(super) fn left_line(report: &Report) -> String {
    let counts = left(report).counts.into_iter();
    let counts: Vec<_> = counts
        .map(|(end, count)| format!("{count} {}", end.word()))
        .collect();
    match counts.is_empty() {
        true => "no Session was created".to_owned(),
        false => format!(
            "{} created: {}",
            match report.created.len() {
                1 => "1 Session was".to_owned(),
                many => format!("{many} Sessions were"),
            },
            counts.join(", ")
        ),
    }
}

/// How well the checks of this run are known to fail.
pub(super) struct Proof {
    pub(super) checks: usize,
    pub(super) mutants: usize,
    /// How many checks are killed by as many mutants: one, two, three or more.
    pub(super) by_killers: [usize; 3],
}

pub(super) fn proof(report: &Report) -> Proof {
    let executed: Vec<&CheckReport> = report
        .checks
        .iter()
        .filter(|check| check.verdict != Verdict::NotSelected)
        .collect();
    let mutants: BTreeSet<_> = executed.iter().flat_map(|check| &check.killed_by).collect();
    let mut by_killers = [0; 3];
    for check in &executed {
        by_killers[check.killed_by.len().clamp(1, 3) - 1] += 1;
    }
    Proof {
        checks: executed.len(),
        mutants: mutants.len(),
        by_killers,
    }
}

impl Proof {
    /// The words for the statement.
    pub(super) fn told(&self) -> String {
        let [one, two, more] = self.by_killers;
        format!(
            "The suite's own tests run each of these {} checks against servers made to break one promise each, {} in all, and \
             demand that it fails: {one} checks on one such server, {two} on two, {more} on three or more.",
            self.checks, self.mutants
        )
    }
}
