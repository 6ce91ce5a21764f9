use std::{
    future::Future,
    pin::pin,
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use futures::future::{Either, select};

use crate::{
    check::Check,
    context::{Context, Judgement, Shared},
    plan::Plan,
    profile::Severity,
    report::{CheckReport, Cut, ExitStatus, Failure, Report, Suite, counts, requirements},
    secret::Secret,
    stimulus::bench::Bench,
    stop::{Contradiction, Stop},
    verdict::{Conclusion, Verdict},
    wire::{client::Fault, request::Request},
};

/// Runs a plan, calls `progress` after each check, and reports. Stops early when `interrupted` resolves.
///
/// The server keeps what the run created: Sessions whose title names the run.
///
/// # Cancel safety
/// Dropping the future ends the run without a report; what it created stays.
pub async fn run(
    plan: &Plan,
    interrupted: impl Future<Output = ()> + Send,
    mut progress: impl FnMut(&CheckReport) + Send,
) -> Report {
    let started = Instant::now();
    let started_at_ms = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, millis);
    let mut interrupted = pin!(interrupted);
    let mut checks = Vec::new();
    let (mut cut, mut reason, mut run_id) = (None, None, String::new());
    match prepare(plan).await {
        Err(fault) => reason = Some(fault),
        Ok(bench) => {
            run_id.clone_from(&bench.run_id);
            let shared = Shared::default();
            for check in plan.selected() {
                if plan.profile.severity(check.level, plan.strict) == Severity::NotSelected {
                    checks.push(blank(check, Verdict::NotSelected, None));
                    continue;
                }
                let spent = plan.limits.run.is_some_and(|limit| started.elapsed() >= limit);
                cut = cut.or(spent.then_some(Cut::TimeSpent));
                let report = match cut {
                    Some(cut) => blank(check, Verdict::Inconclusive, Some(cut_short(cut))),
                    None => match select(pin!(one(plan, check, &bench, &shared)), interrupted.as_mut()).await
                    {
                        Either::Left((report, _)) => report,
                        Either::Right(_) => {
                            cut = Some(Cut::Interrupted);
                            blank(check, Verdict::Inconclusive, Some(cut_short(Cut::Interrupted)))
                        }
                    },
                };
                progress(&report);
                checks.push(report);
            }
        }
    }
    let conclusion = Conclusion::of(checks.iter().map(|check| check.verdict));
    let executed = checks.iter().any(|check| check.verdict != Verdict::NotSelected);
    if reason.is_none() && !executed {
        reason = Some("no check was executed: the profile leaves out all that was selected".to_owned());
    }
    Report {
        format: 1,
        suite: Suite {
            name: env!("CARGO_PKG_NAME"),
            version: env!("CARGO_PKG_VERSION"),
        },
        url: plan.target.url.clone(),
        profile: plan.profile,
        strict: plan.strict,
        run_id,
        started_at_ms,
        duration_ms: millis(started.elapsed()),
        conclusion,
        reason: reason.map(|reason| plan.target.key.redact(&reason)),
        exit: ExitStatus::of(conclusion, cut),
        counts: counts(&checks),
        requirements: requirements(&checks),
        checks,
    }
}

/// A bench whose target answers a connection and takes the key; what else it says does not matter here.
async fn prepare(plan: &Plan) -> Result<Bench, String> {
    let bench = Bench::new(plan.target.clone(), plan.limits).map_err(|stop| match stop {
        Stop::Error(fault) => fault,
        other => format!("{other:?}"),
    })?;
    match bench.ask(Request::get("/v1/capabilities"), |_| false).await {
        Err(fault @ (Fault::Unreachable(_) | Fault::Malformed(_))) => Err(fault.to_string()),
        // Every check would say the same, and nothing of the server.
        Ok(answer) if answer.status() == 401 => {
            Err("the server refuses the key (401): set CHECKFU_API_KEY to one of its keys".to_owned())
        }
        Ok(_) | Err(Fault::NoAnswer(_) | Fault::Cut(_)) => Ok(bench),
    }
}

async fn one(plan: &Plan, check: &'static Check, bench: &Bench, shared: &Shared) -> CheckReport {
    let started = Instant::now();
    let mut context = Context::new(bench, shared);
    let judgement = (check.run)(&mut context).await;
    CheckReport {
        duration_ms: millis(started.elapsed()),
        ..judged(plan, check, judgement)
    }
}

fn judged(plan: &Plan, check: &'static Check, judgement: Judgement) -> CheckReport {
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

fn failure(plan: &Plan, check: &Check, contradiction: Contradiction, key: &Secret) -> Failure {
    let strict = if plan.strict { " --strict" } else { "" };
    let reproduce = format!(
        "checkfu-conformance server --url {} --profile {}{strict} --only {}",
        plan.target.url, plan.profile, check.id
    );
    Failure {
        expected: key.redact(&contradiction.expected),
        actual: key.redact(&contradiction.actual),
        wire: key.redact(&contradiction.wire),
        reproduce,
    }
}

fn blank(check: &'static Check, verdict: Verdict, reason: Option<String>) -> CheckReport {
    CheckReport {
        id: check.id,
        title: check.title,
        level: check.level,
        requirements: check.requirements.to_vec(),
        killed_by: check.killed_by.to_vec(),
        verdict,
        witnesses: Vec::new(),
        reason,
        failure: None,
        duration_ms: 0,
    }
}

fn cut_short(cut: Cut) -> String {
    match cut {
        Cut::TimeSpent => "the time of the run was spent".to_owned(),
        Cut::Interrupted => "the run was interrupted".to_owned(),
    }
}

fn millis(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
