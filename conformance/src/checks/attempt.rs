use serde_json::Value;

use crate::{
    agent::AgentKind,
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::Stimulus,
    stop::Stop,
};

pub(crate) const CHECKS: &[Check] = &[Check {
    id: "srv.child.attempts-count",
    title: "Each start of a Run that lost its Runner has the next attempt, from 1 on.",
    level: Level::Derived,
    stimulus: Stimulus::Work,
    requirements: &["A-CONT"],
    killed_by: &["attempts-start-at-two", "server:attempt_stays"],
    run: |cx| Box::pin(attempts_count(cx)),
}];

async fn attempts_count(cx: &mut Context<'_>) -> Judgement {
    let family = cx.family_of(AgentKind::Exhausted).await?;
    let Some((child, log)) = family.histories.first() else {
        return Err(Stop::Inconclusive("the Agent spawned no child".to_owned()));
    };
    let starts: Vec<_> = log
        .events
        .iter()
        .filter(|event| event.kind == "run.started")
        .collect();
    let Some(run) = starts.first().map(|event| event.run_id()) else {
        return Err(Stop::fail(
            "run.started in the child's list",
            "none",
            &log.evidence,
        ));
    };
    let starts = starts.into_iter().filter(|event| event.run_id() == run);
    let attempts: Vec<Value> = starts
        .map(|event| event.payload("/attempt").cloned().unwrap_or_default())
        .collect();
    if attempts.len() < 2 {
        return Err(Stop::Inconclusive(
            "the child's Run was started once alone".to_owned(),
        ));
    }
    let expected: Vec<Value> = (1..=attempts.len()).map(Value::from).collect();
    expect::equal(
        &log.evidence,
        "the attempts of the child's Run",
        &expected.into(),
        &attempts.clone().into(),
    )?;
    cx.saw(
        format!("{} attempts of {}", attempts.len(), child.id),
        &log.evidence,
    );
    cx.pass()
}
