use crate::{
    check::Check,
    context::Judgement,
    plan::Plan,
    printable::{one_line, printable},
    profile::Severity,
    repeat::command_for,
    report::{CheckReport, Failure},
    secret::Secret,
    stop::{Contradiction, Stop},
    verdict::Verdict,
};

/// What a check's end means under this plan.
pub(crate) fn judged(plan: &Plan, check: &'static Check, judgement: Judgement) -> CheckReport {
    let key = &plan.target.key;
    let shown = |text: &str| one_line(&key.redact(text));
    match judgement {
        Ok(pass) => {
            let witnesses = pass.into_witnesses().into_iter();
            let witnesses = witnesses.map(|witness| witness.masked(shown)).collect();
            CheckReport {
                witnesses,
                ..blank(check, Verdict::Pass, None)
            }
        }
        Err(Stop::NotApplicable(why)) => blank(check, Verdict::NotApplicable, Some(shown(&why))),
        Err(Stop::Inconclusive(why)) => blank(check, Verdict::Inconclusive, Some(shown(&why))),
        Err(Stop::Error(why)) => blank(check, Verdict::Error, Some(shown(&why))),
        Err(Stop::Blocked {
            by,
            why,
            contradiction,
        }) => {
            let reason = shown(&format!("its set-up is the matter of {by}: {why}"));
            let failure = contradiction.map(|contradiction| failure(plan, check, *contradiction, key));
            CheckReport {
                failure,
                ..blank(check, Verdict::Blocked, Some(reason))
            }
        }
        Err(Stop::Fail(contradiction)) => {
            let warns = plan.profile.severity(check.level, plan.strict) == Severity::Warns;
            let verdict = if warns { Verdict::Warn } else { Verdict::Fail };
            CheckReport {
                failure: Some(failure(plan, check, *contradiction, key)),
                ..blank(check, verdict, None)
            }
        }
    }
}

/// A report that says no more than the verdict and its reason.
pub(crate) fn blank(check: &'static Check, verdict: Verdict, reason: Option<String>) -> CheckReport {
    CheckReport {
        id: check.id,
        title: check.title,
        level: check.level,
        stimulus: check.stimulus,
        requirements: check.requirements.to_vec(),
        killed_by: check.killed_by.to_vec(),
        verdict,
        witnesses: Vec::new(),
        reason,
        failure: None,
        known: None,
        duration_ms: 0,
    }
}

fn failure(plan: &Plan, check: &Check, contradiction: Contradiction, key: &Secret) -> Failure {
    Failure {
        expected: one_line(&key.redact(&contradiction.expected)),
        actual: one_line(&key.redact(&contradiction.actual)),
        wire: printable(&key.redact(&contradiction.wire)),
        reproduce: command_for(plan, [check.id]),
    }
}
