use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, control, replay::Replay},
    wire::request::Request,
};

pub(crate) const CHECKS: &[Check] = &[Check {
    id: "srv.restart.keeps-the-session",
    title: "After a restart without warning a Session has the log that it had, for list and stream, and can be driven again.",
    level: Level::Documented,
    stimulus: Stimulus::Control,
    requirements: &["SES-1"],
    killed_by: &["forgets-the-last-event-later", "numbers-anew-later"],
    run: |cx| Box::pin(keeps_the_session(cx)),
}];

async fn keeps_the_session(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    cx.turn(&session).await?;
    let before = cx.rested(&session.id).await?;
    control::restart(cx.bench).await?;
    let now = cx.log(&session.id).await?;
    before.expect_unchanged(&now, "the log after the restart")?;
    cx.saw(
        format!("{} events before the restart and after it", before.events.len()),
        &now.evidence,
    );
    let middle = before
        .events
        .get(before.events.len() / 2)
        .map_or(0, |event| event.seq);
    let resumed = Request::get(session.stream()).after(middle);
    let rest = Replay::through(cx.bench, resumed, before.head()).await?;
    let what = format!("the stream after {middle}, behind the restart");
    expect::same_events(&rest.evidence, &what, before.above(middle), &rest.events)?;
    cx.saw(format!("{what} is the rest"), &rest.evidence);
    let turn = cx.turn(&session).await?;
    let head = before.head();
    let actual = format!("seq {}", turn.input.seq);
    expect::that(
        turn.input.seq > head,
        &turn.log.evidence,
        format!("the next message above {head}"),
        actual,
    )?;
    cx.saw("and the next turn settles above it", &turn.log.evidence);
    cx.pass()
}
