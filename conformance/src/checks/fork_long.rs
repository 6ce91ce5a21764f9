use serde_json::json;

use super::fork::begins_with;
use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, event::Event, fork, log::Log},
    stop::Stop,
};

pub(crate) const CHECKS: &[Check] = &[Check {
    id: "srv.fork.of-a-long-log",
    title: "A fork of a log that is longer than the largest page begins with all of it, or with all up to the event that it was forked from.",
    level: Level::Documented,
    stimulus: Stimulus::Create,
    requirements: &["FRK-1", "FRK-2"],
    killed_by: &[
        "fork-copies-one-page",
        "fork-of-many-loses-the-501st",
        "deep-forks-copy-everything",
    ],
    run: |cx| Box::pin(of_a_long_log(cx)),
}];

/// How many events are left behind by a fork of an earlier one.
const LEFT: usize = 200;

async fn of_a_long_log(cx: &mut Context<'_>) -> Judgement {
    let session = cx.long().await?;
    cx.offered("forks").await?;
    let source = cx.log(&session.id).await?;
    let made = fork::make(cx.bench, &session, &json!({})).await?;
    let whole = cx.log(&made.id).await?;
    begins_with(&whole, &source.events)?;
    cx.saw(
        format!("a fork of {} events has them all", source.events.len()),
        &whole.evidence,
    );
    let kept = source.events.len().saturating_sub(LEFT);
    let (kept, left) = source.events.split_at(kept);
    let Some(point) = kept.last() else {
        return Err(Stop::Inconclusive("the log is not long".to_owned()));
    };
    let body = json!({"from": {"seq": point.seq}});
    let made = fork::make(cx.bench, &session, &body).await?;
    let early = cx.log(&made.id).await?;
    begins_with(&early, kept)?;
    none_of(&early, left, point)?;
    cx.saw(
        format!("a fork at seq {} has {} of them", point.seq, kept.len()),
        &early.evidence,
    );
    cx.pass()
}

/// None of the source's events behind the point.
fn none_of(fork: &Log, left: &[Event], point: &Event) -> Result<(), Stop> {
    let copied = fork
        .events
        .iter()
        .find(|event| left.iter().any(|left| left.id == event.id));
    expect::that(
        copied.is_none(),
        &fork.evidence,
        format!("no event of the source behind seq {}", point.seq),
        copied.map_or(String::new(), |event| event.raw.to_string()),
    )
}
