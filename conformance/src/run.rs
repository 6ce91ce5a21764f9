use std::{
    future::Future,
    pin::pin,
    time::{Instant, SystemTime, UNIX_EPOCH},
};

use futures::future::{Either, select};
use tokio::time::sleep_until;

use crate::{
    baseline::today,
    budget::Spending,
    capability::{CAPABILITIES, CapabilityReport, Claim},
    check::Check,
    clean_up::{CreatedSession, clean_up, keep},
    configuration::refused_workspace,
    context::{Context, Shared, not_allowed},
    created::created,
    judgement::{blank, judged},
    plan::Plan,
    profile::Severity,
    repeat::command_for,
    report::{CheckReport, Cut, ExitStatus, Report, Suite, counts, requirements},
    stimulus::{
        Stimulus,
        bench::{Bench, pace},
        capability::claimed_off,
    },
    stop::Stop,
    verdict::{Conclusion, Verdict},
    wire::{client::Fault, request::Request},
};

/// What a run tells as it goes on.
#[derive(Debug, Clone, Copy)]
#[non_exhaustive]
pub enum RunStep<'r> {
    /// The target answers, and nothing was created yet.
    Begun {
        /// What [`sweep`](crate::sweep) finds the Sessions of this run by, should it be killed.
        run_id: &'r str,
    },
    /// A check ended.
    Ended(&'r CheckReport),
}

/// Runs a plan, calls `progress` at its start and after each check, cleans up, and reports. Stops early when `interrupted`
/// resolves, and cleans up then too.
///
/// What the run creates are Sessions whose title names the run. They are ended as far as the server lets them be, unless
/// the plan keeps them.
///
/// # Cancel safety
/// Dropping the future ends the run without a report; what it created stays.
pub async fn run(
    plan: &Plan,
    interrupted: impl Future<Output = ()> + Send,
    progress: impl FnMut(RunStep<'_>) + Send,
) -> Report {
    let started = Instant::now();
    let started_at_ms = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, millis);
    let mut ran = Ran::default();
    let mut interrupted = pin!(interrupted);
    let prepared = match select(pin!(prepare(plan)), interrupted.as_mut()).await {
        Either::Left((prepared, _)) => Some(prepared),
        Either::Right(_) => None,
    };
    let (mut reason, misconfigured) = match prepared {
        None => {
            let why = "the run was interrupted before it began".to_owned();
            ran.cut = Some((Cut::Interrupted, why.clone()));
            (Some(why), false)
        }
        Some(Err(unready)) => (Some(unready.why), unready.exit == ExitStatus::Usage),
        Some(Ok(bench)) => {
            ran = checked(plan, &bench, started, interrupted.as_mut(), progress).await;
            let why = bench.misconfiguration().map(str::to_owned);
            let misconfigured = why.is_some();
            (why, misconfigured)
        }
    };
    let verdicts: Vec<_> = ran.checks.iter().map(|check| check.verdict).collect();
    let executed = verdicts.iter().any(|verdict| *verdict != Verdict::NotSelected);
    if reason.is_none() && !executed {
        let why = ran
            .checks
            .iter()
            .find_map(|check| Some((check.id, check.reason.as_ref()?)));
        reason = Some(match why {
            Some((id, why)) => format!("no check was executed: {id}: {why}"),
            None => "no check was executed: the profile leaves out all that was selected".to_owned(),
        });
    }
    let undecided = |verdict: &Verdict| matches!(verdict, Verdict::Inconclusive | Verdict::Blocked);
    let conclusion = Conclusion::of(verdicts.iter().copied());
    if reason.is_none() && conclusion == Conclusion::Partial && !verdicts.iter().any(undecided) {
        reason = Some("nothing failed, and nothing passed either, which is no conformance".to_owned());
    }
    let key = &plan.target.key;
    Report {
        format: Report::FORMAT,
        suite: Suite {
            name: env!("CARGO_PKG_NAME"),
            version: env!("CARGO_PKG_VERSION"),
        },
        url: plan.target.url.clone(),
        name: plan.target.name.as_deref().map(|name| key.redact(name)),
        contact: plan.target.contact.as_deref().map(|contact| key.redact(contact)),
        profile: plan.profile,
        strict: plan.strict,
        stimulus: plan.stimulus,
        sessions: plan.target.sessions.clone(),
        only: plan.only.clone(),
        reproduce: command_for(plan, plan.only.iter().map(String::as_str)),
        budget: pace(plan.budget, &plan.target),
        spent: ran.spent,
        cut: ran.cut.as_ref().map(|(_, why)| why.clone()),
        expired_baseline: plan.baseline.expired_beside(&ran.checks, today()),
        run_id: ran.run_id,
        started_at_ms,
        duration_ms: millis(started.elapsed()),
        conclusion,
        reason: reason.map(|reason| crate::printable::one_line(&key.redact(&reason))),
        exit: match misconfigured {
            true => ExitStatus::Usage,
            false => ExitStatus::of(&verdicts, ran.cut.map(|(cut, _)| cut)),
        },
        counts: counts(&ran.checks),
        capabilities: ran.capabilities,
        created: ran.created,
        requirements: requirements(&ran.checks),
        checks: ran.checks,
    }
}

/// What came of a run whose target answers.
#[derive(Default)]
struct Ran {
    run_id: String,
    checks: Vec<CheckReport>,
    cut: Option<(Cut, String)>,
    capabilities: Vec<CapabilityReport>,
    created: Vec<CreatedSession>,
    spent: Spending,
}

async fn checked(
    plan: &Plan,
    bench: &Bench,
    started: Instant,
    interrupted: impl Future<Output = ()> + Send,
    mut progress: impl FnMut(RunStep<'_>) + Send,
) -> Ran {
    progress(RunStep::Begun {
        run_id: &bench.run_id,
    });
    let mut interrupted = pin!(interrupted);
    let shared = Shared::default();
    let today = today();
    let (mut checks, mut cut) = (Vec::new(), None);
    for check in plan.selected() {
        if plan.profile.severity(check.level, plan.strict) == Severity::NotSelected {
            checks.push(blank(check, Verdict::NotSelected, None));
            continue;
        }
        if check.stimulus == Stimulus::Control && plan.target.control.is_none() {
            let why = format!("it {}", check.stimulus.does());
            checks.push(blank(check, Verdict::NotSelected, Some(why)));
            continue;
        }
        cut = cut.or_else(|| spent(plan, bench, started));
        let report = match &cut {
            Some((_, why)) => undecided(check, why),
            None => {
                let stop = pin!(stopped(plan, started, interrupted.as_mut()));
                match select(pin!(one(plan, check, bench, &shared)), stop).await {
                    Either::Left((report, _)) => report,
                    Either::Right((stopped, _)) => {
                        let report = undecided(check, &stopped.1);
                        cut = Some(stopped);
                        report
                    }
                }
            }
        };
        // What was seen says nothing of the server that was meant.
        if bench.misconfiguration().is_some() {
            checks.clear();
            break;
        }
        let report = plan.baseline.apply(report, today);
        progress(RunStep::Ended(&report));
        checks.push(report);
    }
    // The last check may have spent it.
    cut = cut.or_else(|| spent(plan, bench, started).filter(|(cut, _)| *cut == Cut::BudgetSpent));
    let ids = created(bench);
    let created = match plan.keep {
        true => keep(ids, "kept (--keep)"),
        false => clean_up(bench, ids).await,
    };
    if bench.clean_up_end.is_ended() {
        cut = cut.or_else(|| Some((Cut::Interrupted, "the cleaning up was ended".to_owned())));
    }
    let capability = |id| CapabilityReport::weigh(id, bench.claim(id), shared.listed(id), shared.probe(id));
    Ran {
        run_id: bench.run_id.clone(),
        checks,
        cut,
        capabilities: CAPABILITIES.into_iter().map(capability).collect(),
        created,
        spent: bench.client.gate().spending(),
    }
}

/// What of the run is spent, if something is.
fn spent(plan: &Plan, bench: &Bench, started: Instant) -> Option<(Cut, String)> {
    if let Some(why) = bench.client.gate().spent() {
        return Some((Cut::BudgetSpent, why));
    }
    let over = plan.limits.run.is_some_and(|limit| started.elapsed() >= limit);
    over.then(out_of_time)
}

/// Resolves when the run has to stop although a check is not done.
async fn stopped(
    plan: &Plan,
    started: Instant,
    interrupted: impl Future<Output = ()> + Unpin,
) -> (Cut, String) {
    // A limit that no clock holds is none.
    let end = plan.limits.run.and_then(|limit| started.checked_add(limit));
    let over = async {
        match end {
            Some(end) => sleep_until(end.into()).await,
            None => std::future::pending().await,
        }
    };
    match select(interrupted, pin!(over)).await {
        Either::Left(_) => (Cut::Interrupted, "the run was interrupted".to_owned()),
        Either::Right(_) => out_of_time(),
    }
}

fn out_of_time() -> (Cut, String) {
    let why = "the time of the run was spent (--run-timeout)";
    (Cut::TimeSpent, why.to_owned())
}

/// Why a run cannot begin.
pub(crate) struct Unready {
    pub(crate) exit: ExitStatus,
    pub(crate) why: String,
}

/// A bench whose target answers a connection and takes the key and the Workspace; what else it says does not matter here.
pub(crate) async fn prepare(plan: &Plan) -> Result<Bench, Unready> {
    let bench = reached(plan).await.map_err(|why| Unready {
        exit: ExitStatus::NotJudged,
        why,
    })?;
    match refused_workspace(&bench, || plan.without_workspace().bench()).await {
        None => Ok(bench),
        Some(why) => Err(Unready {
            exit: ExitStatus::Usage,
            why,
        }),
    }
}

async fn reached(plan: &Plan) -> Result<Bench, String> {
    let bench = plan.bench().map_err(|stop| match stop {
        Stop::Error(fault) => fault,
        other => format!("{other:?}"),
    })?;
    match bench.ask(Request::get("/v1/capabilities"), |_| false).await {
        Err(fault @ (Fault::Unreachable(_) | Fault::Malformed(_))) => Err(fault.to_string()),
        // Every check would say the same, and nothing of the server.
        Ok(answer) if answer.status() == 401 => {
            Err("the server refuses the key (401): set CHECKFU_API_KEY to one of its keys".to_owned())
        }
        Ok(_) | Err(Fault::NoAnswer(_) | Fault::Cut(_) | Fault::Spent(_)) => Ok(bench),
    }
}

async fn one(plan: &Plan, check: &'static Check, bench: &Bench, shared: &Shared) -> CheckReport {
    let allowed = match plan.target.control {
        Some(_) if plan.stimulus == Stimulus::Work => Stimulus::Control,
        _ => plan.stimulus,
    };
    if check.stimulus > allowed {
        return undecided(check, &not_allowed(check.stimulus, plan.stimulus));
    }
    let mut needs = check.needs().into_iter();
    if let Some(id) = needs.find(|id| bench.claim(id) == Claim::Off) {
        return blank(check, Verdict::NotApplicable, Some(claimed_off(id)));
    }
    let started = Instant::now();
    let mut context = Context::new(bench, shared, check.stimulus);
    let judgement = (check.run)(&mut context).await;
    let report = CheckReport {
        duration_ms: millis(started.elapsed()),
        ..judged(plan, check, judgement)
    };
    // What a spent budget kept from being seen is neither the server's fault nor that of a set-up.
    match (report.verdict, bench.client.gate().spent()) {
        (Verdict::Blocked, Some(why)) => undecided(check, &why),
        _ => report,
    }
}

fn undecided(check: &'static Check, why: &str) -> CheckReport {
    blank(check, Verdict::Inconclusive, Some(why.to_owned()))
}

fn millis(duration: std::time::Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
