use serde_json::json;

use super::child::{result, twins, went_on};
use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, event::Event, turn},
    wire::request::Request,
};

pub(crate) const CHECKS: &[Check] = &[Check {
    id: "srv.interrupt.one-child",
    title: "An interrupt of one waiting child ends that child's wait alone: another one takes its answer still.",
    level: Level::Assumed,
    stimulus: Stimulus::Work,
    requirements: &["A-INT", "THR-4"],
    killed_by: &["interrupts-every-child", "interrupts-no-child"],
    run: |cx| Box::pin(one_child(cx)),
}];

async fn one_child(cx: &mut Context<'_>) -> Judgement {
    let (family, [one, other], id) = twins(cx).await?;
    cx.offered("interrupts").await?;
    let interrupt = turn::input(cx.bench, "user.interrupt", json!({"session_thread_id": one}));
    cx.accepted(&family.session, &interrupt).await?;
    let expected = format!("run.canceled of {one} after an interrupt that names it");
    let canceled = |event: &Event| event.kind == "run.canceled";
    let family = family
        .until(cx.bench, &expected, |family| {
            family.history(&one).iter().any(canceled)
        })
        .await?;
    cx.saw(format!("the wait of {one} ended"), &family.log.evidence);
    let settled = family.history(&other).iter().find(|event| event.settles_run());
    expect::that(
        settled.is_none(),
        &family.log.evidence,
        format!("{other} still waiting"),
        settled.map_or(String::new(), |event| event.raw.to_string()),
    )?;
    let request = Request::post(family.session.events(), &result(cx, &id, Some(&other)));
    let answer = cx.bench.mutate(request).await?;
    expect::success(&answer)?;
    let expected = format!("a settled Run of {other} after its answer");
    family
        .until(cx.bench, &expected, |family| went_on(family, &other))
        .await?;
    cx.saw(format!("{other} took its answer and went on"), &answer);
    cx.pass()
}
