use crate::{
    profile::Profile,
    prove::survivor::told,
    report::{ExitStatus, Report},
    verdict::Verdict,
};

/// So many checks have to look at a null server, under the profile that judges all.
const FEWEST_EXECUTED: usize = 100;

/// What the suite says of a null server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Score {
    /// The server.
    pub name: &'static str,
    /// Checks that were executed.
    pub executed: usize,
    /// Those that passed, which is none.
    pub passed: usize,
    /// Those that failed.
    pub failed: usize,
    /// Those whose set-up failed.
    pub blocked: usize,
}

impl Score {
    pub(super) fn of(name: &'static str, report: &Report) -> Self {
        let executed = report.checks.len() - report.count(Verdict::NotSelected);
        Self {
            name,
            executed,
            passed: report.count(Verdict::Pass),
            failed: report.count(Verdict::Fail) + report.count(Verdict::Warn),
            blocked: report.count(Verdict::Blocked),
        }
    }
}

/// What a report on a null server says that it must not, and what it does not say.
pub(super) fn problems(score: &Score, report: &Report) -> Vec<String> {
    let name = score.name;
    let mut problems = Vec::new();
    if report.exit != ExitStatus::Failed {
        problems.push(format!("{name}: exit {}, not 1", report.exit.code()));
    }
    if report.profile == Profile::Reference && score.executed < FEWEST_EXECUTED {
        problems.push(format!("{name}: only {} checks were executed", score.executed));
    }
    let executed = report
        .checks
        .iter()
        .filter(|check| check.verdict != Verdict::NotSelected);
    for check in executed {
        let is_told = check
            .failure
            .as_ref()
            .is_some_and(|failure| !failure.expected.is_empty() && !failure.actual.is_empty());
        if check.verdict == Verdict::Pass || !is_told {
            problems.push(format!("{name}: {} says only: {}", check.id, told(check)));
        }
    }
    problems
}
