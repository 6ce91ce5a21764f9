//! Servers that do nothing right: no check passes there, and each says what it expected and what came.

mod answers;
mod files;
mod listener;
mod message;
mod score;

use std::time::Duration;

use futures::{StreamExt, future::join_all};

pub use score::Score;

use super::{
    binary::RunningServer,
    case::{Pace, impatient},
    claims::claiming,
    layer::Layer,
    mutant::Mutant,
    relay::Relay,
    report_of::report_of,
};
use crate::{limits::Limits, plan::Plan, profile::Profile, target::Target};
use answers::Answers;
use listener::Listener;

/// Judges them all. The scores are those under the profile `reference`, in a fixed order.
pub(super) async fn null_servers(sound: &RunningServer, pace: Pace<'_>) -> (Layer, Vec<Score>) {
    let mut layer = Layer::new("null servers");
    let mut scores = Vec::new();
    let mut judged = futures::stream::iter(answers::ALL)
        .map(|answers| async move { (answers.name, judge(answers).await) })
        .buffered(pace.jobs)
        .chain(
            futures::stream::iter(answers::BEHIND_CREATIONS)
                .map(|(name, answer)| async move { (name, judge_creating(sound, name, answer).await) })
                .buffered(pace.jobs),
        );
    while let Some((name, judged)) = judged.next().await {
        let problems = match judged {
            Ok((score, problems)) => {
                scores.push(score);
                problems
            }
            Err(problem) => vec![format!("{name}: {problem}")],
        };
        pace.tell("null servers", name, &problems);
        layer.add(problems);
    }
    (layer, scores)
}

type Judged = Result<(Score, Vec<String>), String>;

/// Whatever the profile, and whether or not a deployment is named.
async fn judge(answers: Answers) -> Judged {
    let listener = Listener::start(&answers)
        .await
        .map_err(|error| error.to_string())?;
    let target =
        Target::new(listener.url(), "ck_test_0123456789", "prin_1").map_err(|error| error.to_string())?;
    let mut plans = Vec::new();
    for deployment in [None, Some("adep_1".to_owned())] {
        for profile in [Profile::Published, Profile::Reference] {
            let plan = Plan::new(target.clone().with_deployment(deployment.clone()));
            plans.push(plan.with_profile(profile).with_limits(short()));
        }
    }
    let mut problems = Vec::new();
    let mut last = None;
    for report in join_all(plans.into_iter().map(report_of)).await {
        let score = Score::of(answers.name, &report);
        problems.extend(score::problems(&score, &report));
        last = Some(score);
    }
    problems.dedup();
    let score = last.ok_or("it was not judged")?;
    Ok((score, problems))
}

/// A server that creates Sessions properly and does nothing more.
async fn judge_creating(sound: &RunningServer, name: &'static str, answer: answers::Plain) -> Judged {
    let mutant = Mutant::new(name).instead(move |call| (!call.is_creation()).then(|| answer.answer()));
    let relay = Relay::start(sound.url(), mutant)
        .await
        .map_err(|error| error.to_string())?;
    let target = sound.target_at(relay.url()).map_err(|error| error.to_string())?;
    let plan = claiming(target).with_profile(Profile::Reference);
    let report = report_of(plan.with_limits(impatient())).await;
    let score = Score::of(name, &report);
    let problems = score::problems(&score, &report);
    Ok((score, problems))
}

/// One of them never answers.
fn short() -> Limits {
    Limits {
        answer: Duration::from_millis(150),
        turn: Duration::from_millis(300),
        ..Limits::default()
    }
}
