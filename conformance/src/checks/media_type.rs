use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, turn},
    wire::request::Request,
};

pub(crate) const CHECKS: &[Check] = &[Check {
    id: "srv.errors.media-type",
    title: "A body that is not said to be JSON is refused for good, and nothing is appended.",
    level: Level::Assumed,
    stimulus: Stimulus::Work,
    requirements: &["A-ERR"],
    killed_by: &["server:any_media_type"],
    run: |cx| Box::pin(media_type(cx)),
}];

async fn media_type(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let message = turn::message(cx.bench, &cx.bench.fresh_name("plain"));
    let request = Request::post(settled.session.events(), &message).header("content-type", "text/plain");
    let answer = cx.send(request).await?;
    expect::refused_for_good(&answer)?;
    cx.saw(format!("a text/plain body answered {}", answer.status()), &answer);
    let now = cx.log(&settled.session.id).await?;
    settled
        .log()
        .expect_unchanged(&now, "the log after a body of another media type")?;
    cx.pass()
}
