use std::time::Duration;

use crate::{
    agent::AgentKind,
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, control, event::Event, log::Log, look, turn, wait},
    stop::Stop,
    wire::request::Request,
};

pub(crate) const CHECKS: &[Check] = &[Check {
    id: "srv.approval.expires",
    title: "A decision that does not come in time counts as a denial: the call fails, the turn goes on, and a late decision is stale.",
    level: Level::Assumed,
    stimulus: Stimulus::Control,
    requirements: &["A-GEN"],
    killed_by: &[
        "expired-approvals-run",
        "approvals-expire-in-silence",
        "takes-late-decisions",
        "server:approval_stays",
    ],
    run: |cx| Box::pin(expires(cx)),
}];

/// More than a decision may take that has to be quick.
const LATE: Duration = Duration::from_secs(60);

async fn expires(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::Approval).await?;
    let marker = cx.bench.fresh_name("expiry");
    let message = turn::message_saying(cx.bench, &format!("This has to be quick. ({marker})"));
    let said = cx.accepted(&session, &message).await;
    said.map_err(|stop| stop.blocking("srv.append.accepted"))?;
    let asks = |log: &Log| {
        let asked = log.events.iter().any(wait::blocks);
        asked && look::stands_still(&log.events)
    };
    let asked = look::until(cx.bench, &session.id, cx.bench.turn_deadline(), asks).await?;
    let Ok(asked) = asked else {
        let why = "the Agent made no call that needs a decision";
        return Err(Stop::Inconclusive(why.to_owned()));
    };
    let Some(call) = asked.events.iter().find(|event| wait::blocks(event)) else {
        return Err(Stop::Error("the call that was there is gone".to_owned()));
    };
    control::advance(cx.bench, LATE).await?;
    let settled = |log: &Log| log.above(asked.head()).iter().any(Event::settles_session);
    let log = look::until(cx.bench, &session.id, cx.bench.turn_deadline(), settled).await?;
    let log = log.map_err(|log| {
        let newest = log.events.last().map_or("nothing", |event| event.kind.as_str());
        let expected = "a turn that ends once its approval expired";
        Stop::fail(expected, format!("{newest} at the end of its log"), &log.evidence)
    })?;
    let behind = log.above(call.seq);
    let expired = behind.iter().any(|event| event.kind == "action_approval.expired");
    expect::that(
        expired,
        &log.evidence,
        "action_approval.expired in the list",
        "none",
    )?;
    let id = call.payload("/tool_use_id");
    let result = behind
        .iter()
        .find(|event| event.kind == "agent.tool_result" && event.payload("/tool_use_id") == id);
    let failed = result.is_some_and(|event| event.payload("/is_error") == Some(&true.into()));
    let shown = result.map_or("none".to_owned(), |event| event.raw["payload"].to_string());
    expect::that(
        failed,
        &log.evidence,
        "an agent.tool_result that is an error",
        shown,
    )?;
    cx.saw("the call failed when its approval expired", &log.evidence);
    let late = wait::confirmation(cx.bench, call, "allow");
    let answer = cx.bench.mutate(Request::post(session.events(), &late)).await?;
    expect::error(&answer, 409, "runtime.stale_wait")?;
    cx.saw("a late decision is stale", &answer);
    let now = cx.log(&session.id).await?;
    log.expect_no_input_since(&now, "the log after a late decision")?;
    cx.pass()
}
