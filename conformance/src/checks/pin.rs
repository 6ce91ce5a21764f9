use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, session::Session},
    stop::Stop,
    wire::request::Request,
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.session.pin-holds",
        title: "The revision that a Session pinned on admission is the one that it shows after its turns.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["SES-11", "SES-12"],
        killed_by: &["pin-is-forgotten", "pin-moves-with-a-turn"],
        run: |cx| Box::pin(pin_holds(cx)),
    },
    Check {
        id: "srv.session.pinned-parts-hold",
        title: "Release, harness profile, model routing, sandbox profile and skills of a Session are behind each of its turns what they were on admission.",
        level: Level::Derived,
        stimulus: Stimulus::Work,
        requirements: &["SES-11"],
        killed_by: &[
            "sandbox-moves-with-a-turn",
            "routing-moves-with-a-second-turn",
            "harness-moves-with-a-second-turn",
            "skills-move-with-a-second-turn",
        ],
        run: |cx| Box::pin(pinned_parts_hold(cx)),
    },
];

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

/// What the published text says to be pinned, as the Session shows it.
const PARTS: [&str; 5] = [
    "release",
    "harness_profile",
    "model_routing",
    "sandbox_profile",
    "skills",
];

async fn pinned_parts_hold(cx: &mut Context<'_>) -> Judgement {
    // Two turns lie behind the one, none behind the other yet.
    let settled = cx.settled().await?;
    parts_of(cx, &settled.session, "two turns").await?;
    let session = cx.session().await?;
    cx.turn(&session).await?;
    parts_of(cx, &session, "a turn").await?;
    cx.pass()
}

async fn parts_of(cx: &mut Context<'_>, session: &Session, behind: &str) -> Result<(), Stop> {
    let pinned = &session.resource["agent"];
    if pinned.is_null() {
        let why = "the Session does not show what it pinned".to_owned();
        return Err(Stop::Inconclusive(why));
    }
    let answer = cx.send(Request::get(session.path())).await?;
    expect::status(&answer, 200)?;
    let shown = expect::json(&answer)?;
    for part in PARTS {
        let what = format!("{part} behind {behind}");
        expect::equal(&answer, &what, &pinned[part], &shown["agent"][part])?;
    }
    cx.saw(format!("the pinned parts are the same behind {behind}"), &answer);
    Ok(())
}
