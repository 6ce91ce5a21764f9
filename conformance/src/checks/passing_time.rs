use std::time::Duration;

use serde_json::Value;

use crate::{
    agent::AgentKind,
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, control, event::Event, log::Log, look, session::Session, turn},
    stop::Stop,
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.deadline.start-up",
        title: "A start-up that is not ready after 60 s puts the same Run into the queue again, for a fresh attempt.",
        level: Level::Documented,
        stimulus: Stimulus::Control,
        requirements: &["DLN-1"],
        killed_by: &["late-start-up-fails", "late-start-up-is-another-run"],
        run: |cx| Box::pin(start_up(cx)),
    },
    Check {
        id: "srv.deadline.passes",
        title: "A Run that works past its deadline fails with runtime.turn_deadline_exceeded.",
        level: Level::Documented,
        stimulus: Stimulus::Control,
        requirements: &["DLN-2"],
        killed_by: &["overtime-completes", "overtime-fails-for-another-reason"],
        run: |cx| Box::pin(passes(cx)),
    },
];

/// For the harness to get ready, and a moment more.
const START_UP: Duration = Duration::from_millis(60_500);

async fn start_up(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::SlowStart).await?;
    let head = said(cx, &session).await?;
    reached(cx, &session, |log| {
        has(log.above(head), "session.status_provisioning")
    })
    .await?;
    control::advance(cx.bench, START_UP).await?;
    let settled = |log: &Log| log.above(head).iter().any(Event::settles_session);
    let log = reached(cx, &session, settled).await?;
    let events = log.above(head);
    let run = named(events, "run.created", &log)?;
    let requeued = named(events, "run.requeued", &log)?;
    expect::equal(&log.evidence, "the Run that is queued again", &run, &requeued)?;
    let started = named(events, "run.started", &log)?;
    expect::equal(&log.evidence, "the Run of the fresh attempt", &run, &started)?;
    let ends: Vec<_> = events
        .iter()
        .filter(|event| event.settles_run())
        .cloned()
        .collect();
    expect::kinds(&log.evidence, &ends, &["run.completed"])?;
    cx.saw(
        format!("{run} was queued again after 60 s and completed"),
        &log.evidence,
    );
    cx.pass()
}

async fn passes(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::Overtime).await?;
    let longest = session
        .resource
        .pointer("/agent/sandbox_profile/max_duration_seconds")
        .and_then(Value::as_u64);
    let Some(longest) = longest else {
        let why = "the Session does not show its sandbox profile";
        return Err(Stop::Inconclusive(why.to_owned()));
    };
    let head = said(cx, &session).await?;
    reached(cx, &session, |log| has(log.above(head), "run.started")).await?;
    control::advance(cx.bench, START_UP + Duration::from_secs(longest)).await?;
    let ended = |log: &Log| log.above(head).iter().any(Event::settles_run);
    let log = reached(cx, &session, ended).await?;
    let ends = log.above(head).iter().filter(|event| event.settles_run());
    let ends: Vec<_> = ends.cloned().collect();
    expect::kinds(&log.evidence, &ends, &["run.failed"])?;
    let code = ends.first().and_then(|end| end.payload("/error/code"));
    expect::equal(
        &log.evidence,
        "the reason of a Run past its deadline",
        &"runtime.turn_deadline_exceeded".into(),
        code.unwrap_or(&Value::Null),
    )?;
    cx.saw(
        format!("{longest} s and the start-up later the Run failed"),
        &log.evidence,
    );
    cx.pass()
}

/// Says something; the head of the log before.
async fn said(cx: &Context<'_>, session: &Session) -> Result<u64, Stop> {
    let head = cx.log(&session.id).await?.head();
    let said = turn::say(cx.bench, &session.id, &cx.bench.fresh_name("time")).await;
    said.map_err(|stop| stop.blocking("srv.append.accepted"))?;
    Ok(head)
}

async fn reached(cx: &Context<'_>, session: &Session, holds: impl Fn(&Log) -> bool) -> Result<Log, Stop> {
    let looked = look::until(cx.bench, &session.id, cx.bench.turn_deadline(), holds).await?;
    looked.map_err(|log| {
        let kinds: Vec<_> = log.events.iter().map(|event| event.kind.as_str()).collect();
        Stop::Inconclusive(format!("the Session stays at {}", kinds.join(", ")))
    })
}

fn has(events: &[Event], kind: &str) -> bool {
    events.iter().any(|event| event.kind == kind)
}

/// The Run that the first event of this type names, which has to be there.
fn named(events: &[Event], kind: &str, log: &Log) -> Result<Value, Stop> {
    let found = events.iter().find(|event| event.kind == kind);
    let run = found.and_then(Event::run_id).map(Value::from);
    run.ok_or_else(|| Stop::fail(format!("{kind} of a Run"), "none", &log.evidence))
}
