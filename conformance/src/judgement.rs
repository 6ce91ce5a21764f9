use crate::{
    check::Check,
    context::Judgement,
    plan::Plan,
    profile::Severity,
    report::{CheckReport, Failure},
    secret::Secret,
    stimulus::Stimulus,
    stop::{Contradiction, Stop},
    verdict::Verdict,
};

/// What a check's end means under this plan.
pub(crate) fn judged(plan: &Plan, check: &'static Check, judgement: Judgement) -> CheckReport {
    let key = &plan.target.key;
    match judgement {
        Ok(pass) => {
            let witnesses = pass.into_witnesses().into_iter();
            let witnesses = witnesses
                .map(|witness| witness.masked(|text| key.redact(text)))
                .collect();
            CheckReport {
                witnesses,
                ..blank(check, Verdict::Pass, None)
            }
        }
        Err(Stop::NotApplicable(why)) => blank(check, Verdict::NotApplicable, Some(key.redact(&why))),
        Err(Stop::Inconclusive(why)) => blank(check, Verdict::Inconclusive, Some(key.redact(&why))),
        Err(Stop::Error(why)) => blank(check, Verdict::Error, Some(key.redact(&why))),
        Err(Stop::Blocked {
            by,
            why,
            contradiction,
        }) => {
            let reason = key.redact(&format!("its set-up is the matter of {by}: {why}"));
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
    let strict = if plan.strict { " --strict" } else { "" };
    let sessions = plan.target.sessions.iter().map(|id| format!(" --session {id}"));
    let claims = plan
        .claims
        .iter()
        .map(|(id, claim)| format!(" --capability {id}={claim}"));
    let control = plan.target.control.as_ref();
    let control = control.filter(|_| check.stimulus == Stimulus::Control);
    let control = control.map_or(String::new(), |control| format!(" --control {}", control.url));
    let disturbed = if plan.target.disturbed { " --disturbed" } else { "" };
    let reproduce = format!(
        "checkfu-conformance server --url {} --profile {}{strict}{}{}{control}{disturbed} --only {}",
        plan.target.url,
        plan.profile,
        sessions.collect::<String>(),
        claims.collect::<String>(),
        check.id
    );
    Failure {
        expected: key.redact(&contradiction.expected),
        actual: key.redact(&contradiction.actual),
        wire: key.redact(&contradiction.wire),
        reproduce,
    }
}
