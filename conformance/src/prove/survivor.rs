use super::{claims::claiming, kill::Kill, report_of::report_of};
use crate::{
    limits::Limits,
    profile::Profile,
    report::{CheckReport, Report},
    target::Target,
    verdict::Verdict,
};

/// Judges a broken server by the checks that have to catch it, and says of each that does not what it expected and what
/// came. None where all of them catch it.
pub async fn survivors(kills: &[Kill], target: Target, limits: Limits) -> Vec<String> {
    let checks = kills.iter().map(|kill| kill.check);
    let plan = claiming(target)
        .with_profile(Profile::Reference)
        .with_limits(limits);
    let plan = match plan.with_only(checks) {
        Ok(plan) => plan,
        Err(unknown) => return vec![unknown.to_string()],
    };
    let report = report_of(plan).await;
    kills.iter().filter_map(|kill| survives(kill, &report)).collect()
}

fn survives(kill: &Kill, report: &Report) -> Option<String> {
    let head = format!(
        "{} survives {}, which has to expect {:?}:",
        kill.mutant, kill.check, kill.expected
    );
    let Some(check) = report.check(kill.check) else {
        let reason = report.reason.as_deref().unwrap_or_default();
        return Some(format!("{head} not judged, {reason}"));
    };
    (!is_caught(check, kill.expected)).then(|| format!("{head} {}", told(check)))
}

fn is_caught(check: &CheckReport, expected: &str) -> bool {
    let failure = check.failure.as_ref();
    check.verdict == Verdict::Fail && failure.is_some_and(|failure| failure.expected.contains(expected))
}

/// The verdict of a check with what it expected and what came, in one line.
pub(super) fn told(check: &CheckReport) -> String {
    let mut told = check.verdict.word().to_owned();
    if let Some(failure) = &check.failure {
        told.push_str(&format!(
            ", expected {}, got {}",
            failure.expected, failure.actual
        ));
    }
    if let Some(reason) = &check.reason {
        told.push_str(&format!(", {reason}"));
    }
    told.replace('\n', " ").chars().take(LONGEST_LINE).collect()
}

const LONGEST_LINE: usize = 600;
