use std::{collections::BTreeMap, future::Future, pin::pin, time::Instant};

use futures::{
    StreamExt,
    future::{Either, select},
};

use super::{
    absence::Absence,
    history::History,
    report::{Case, ModelReport},
    script::Script,
    stage::{NotPlayed, play},
};
use crate::{
    agent::AgentKind,
    clean_up::{End, clean_up},
    plan::Plan,
    repeat::model_command,
    report::{Cut, ExitStatus},
    run::prepare,
    stimulus::{
        bench::{Bench, pace},
        capability::Listed,
        session, title,
    },
    stop::Stop,
    sweep::found,
};

const TIME_SPENT: &str = "the time of the run was spent (--run-timeout)";

/// Which random histories to play.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Random {
    /// Fixes what every history does. Each takes its own seed from this one and its number.
    pub seed: u64,
    /// How many.
    pub histories: u64,
    /// Only the history with this number.
    pub only: Option<u64>,
    /// How many are played at once.
    pub jobs: usize,
}

/// A seed that nobody chose.
///
/// # Errors
/// [`NoSeed`] where the system gives no random bytes.
pub fn fresh_seed() -> Result<u64, NoSeed> {
    getrandom::u64().map_err(|error| NoSeed(error.to_string()))
}

/// The system gave no random bytes.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the system gives no random bytes ({0}): choose a seed with --seed")]
pub struct NoSeed(String);

/// Plays random histories against a server, judges each, calls `progress` with its number after it, and reports. Stops
/// early when `interrupted` resolves or a budget or the time of the plan is spent. The histories in which something was
/// found are in the report.
///
/// At its end it ends the Sessions that it created, unless the plan keeps them.
///
/// # Cancel safety
/// Dropping the future ends the run without a report; what it created stays.
pub async fn run(
    plan: &Plan,
    random: Random,
    interrupted: impl Future<Output = ()> + Send,
    mut progress: impl FnMut(u64) + Send,
) -> ModelReport {
    let started = Instant::now();
    let mut report = ModelReport::new(plan.profile, plan.strict);
    report.url = Some(plan.target.url.clone());
    report.seed = Some(random.seed);
    report.repeat = Some(model_command(plan));
    let mut interrupted = pin!(interrupted);
    let met = {
        let met = pin!(meet(plan, &mut report));
        match select(met, interrupted.as_mut()).await {
            Either::Left((met, _)) => met,
            Either::Right(_) => Err(Unmet::Interrupted),
        }
    };
    let (bench, deployments) = match met {
        Ok(met) => met,
        Err(Unmet::Interrupted) => {
            report.cut(Cut::Interrupted, "interrupted before it began".to_owned());
            return report;
        }
        Err(Unmet::Told) => return report,
    };
    let gate = bench.client.gate();
    let numbers = match random.only {
        Some(only) => only..only.saturating_add(1),
        None => 0..random.histories,
    };
    let one = async |number| {
        let over = plan.limits.run.is_some_and(|limit| started.elapsed() >= limit);
        let played = match over || gate.spent().is_some() {
            true => None,
            false => Some(Box::pin(one(&bench, &deployments, random.seed, number)).await),
        };
        (number, played)
    };
    // The first goes alone: it shows whether the server knows what the operator gave.
    let alone = numbers.start.saturating_add(1).min(numbers.end);
    let mut played = pin!(
        futures::stream::iter(numbers.start..alone).then(one).chain(
            futures::stream::iter(alone..numbers.end)
                .map(one)
                .buffer_unordered(random.jobs.max(1))
        )
    );
    loop {
        let (number, history) = match select(played.next(), interrupted.as_mut()).await {
            Either::Left((Some(next), _)) => next,
            Either::Left((None, _)) => break,
            Either::Right(_) => {
                report.cut(Cut::Interrupted, "interrupted".to_owned());
                break;
            }
        };
        match history {
            None if gate.spent().is_none() => report.cut(Cut::TimeSpent, TIME_SPENT.to_owned()),
            None => break,
            Some(Ok(history)) => report.judge(Case::played(number, history, &plan.target.key)),
            Some(Err(NotPlayed::Unreachable(why))) => {
                report.not_judged(
                    plan.target
                        .key
                        .redact(&format!("no connection to the target: {why}")),
                );
                break;
            }
            // It could not be played for want of requests.
            Some(Err(_)) if gate.spent().is_some() => break,
            // What made other Sessions knows what the operator gave.
            Some(Err(_)) if report.histories == 0 && bench.misconfiguration().is_some() => {
                let why = bench.misconfiguration().unwrap_or_default();
                report.not_judged(plan.target.key.redact(why));
                report.misconfigured = true;
                break;
            }
            Some(Err(fault)) => report.not_played(plan.target.key.redact(&fault.to_string())),
        }
        progress(number);
    }
    if let Some(why) = gate.spent().filter(|_| !report.is_cut()) {
        report.cut(Cut::BudgetSpent, why);
    }
    let left = match plan.keep {
        true => None,
        false => Some(cleaned(&bench).await),
    };
    report.left = left;
    report.spent = Some(gate.spending());
    report
}

/// Why there is nobody to play with.
enum Unmet {
    /// The report says it.
    Told,
    Interrupted,
}

/// The first contact: whether the target is there, its deployments, and what it says that it has.
async fn meet(plan: &Plan, report: &mut ModelReport) -> Result<(Bench, Deployments), Unmet> {
    let bench = match prepare(plan).await {
        Ok(bench) => bench,
        Err(fault) => {
            report.not_judged(plan.target.key.redact(&fault.why));
            report.misconfigured = fault.exit == ExitStatus::Usage;
            return Err(Unmet::Told);
        }
    };
    report.run_id.clone_from(&bench.run_id);
    report.budget = Some(pace(plan.budget, &plan.target));
    let gate = bench.client.gate();
    let deployments = match deployments(&bench).await {
        Ok(deployments) => deployments,
        Err(stop) => {
            report.spent = Some(gate.spending());
            match gate.spent() {
                Some(why) => report.cut(Cut::BudgetSpent, why),
                None => report.not_judged(plan.target.key.redact(&stop.told())),
            }
            return Err(Unmet::Told);
        }
    };
    // Where the list cannot be read, what is refused shows it.
    if let Ok(listed) = Listed::read(&bench).await {
        report.absence = Absence::listed(|id| listed.says(id));
    }
    Ok((bench, deployments))
}

/// Ends what the histories created, those that were cut off included; how many could not be ended, or why none was.
async fn cleaned(bench: &Bench) -> Result<usize, String> {
    // To look for them is part of it, which no budget bounds.
    bench.client.gate().clean_up();
    let sessions = found(bench, &title::titled(&bench.run_id)).await;
    let sessions = sessions.map_err(|stop| bench.target.key.redact(&stop.told()))?;
    let ended = clean_up(bench, sessions).await;
    Ok(ended.iter().filter(|session| session.end == End::Left).count())
}

/// Judges histories that were written down before, under the names of their files.
pub fn judge(
    histories: impl IntoIterator<Item = (String, History)>,
    profile: crate::Profile,
    strict: bool,
) -> ModelReport {
    let mut report = ModelReport::new(profile, strict);
    for (file, history) in histories {
        report.judge(Case::read(file, history));
    }
    report
}

async fn one(bench: &Bench, deployments: &Deployments, seed: u64, number: u64) -> Result<History, NotPlayed> {
    let script = Script::of(seed, number);
    let known = deployments.get(&script.agent).or_else(|| deployments.get(&None));
    let deployment = known.map(String::as_str).unwrap_or_default();
    play(bench, deployment, &script, seed, number).await
}

/// The deployment for each kind of Agent that the server has, and the target's for none.
type Deployments = BTreeMap<Option<AgentKind>, String>;

async fn deployments(bench: &Bench) -> Result<Deployments, Stop> {
    let mut deployments = BTreeMap::from([(None, session::deployment(bench).await?)]);
    for kind in super::script::AGENTS {
        if let Ok(id) = session::agent(bench, kind).await {
            deployments.insert(Some(kind), id);
        }
    }
    Ok(deployments)
}
