use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::Stimulus,
    wire::request::Request,
};

pub(crate) const CHECKS: &[Check] = &[Check {
    id: "srv.session.pin-holds",
    title: "The revision that a Session pinned on admission is the one that it shows after its turns.",
    level: Level::Documented,
    stimulus: Stimulus::Work,
    requirements: &["SES-11", "SES-12"],
    killed_by: &["pin-is-forgotten", "pin-moves-with-a-turn"],
    run: |cx| Box::pin(pin_holds(cx)),
}];

const PINNED: &str = "/agent_deployment_revision_number";

async fn pin_holds(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let session = &settled.session;
    let pinned = expect::member(&session.answer, &session.resource, PINNED)?;
    let answer = cx.send(Request::get(session.path())).await?;
    expect::status(&answer, 200)?;
    let body = expect::json(&answer)?;
    let shown = expect::member(&answer, &body, PINNED)?;
    expect::equal(&answer, "the pin behind two turns", pinned, shown)?;
    cx.saw(format!("revision {pinned} before and behind two turns"), &answer);
    cx.pass()
}
