use crate::{
    agent::AgentKind,
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, event::Event, log::Log, look, turn, wait},
    stop::Stop,
};

pub(crate) const CHECKS: &[Check] = &[Check {
    id: "srv.overlap.first-come-first-served",
    title: "Of two messages that are queued behind a Run the first one starts first.",
    level: Level::Assumed,
    stimulus: Stimulus::Work,
    requirements: &["A-OVERLAP"],
    killed_by: &["starts-name-the-latest", "server:latest_first"],
    run: |cx| Box::pin(first_come_first_served(cx)),
}];

async fn first_come_first_served(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::Question).await?;
    // A Run that waits is unfinished for as long as the check likes.
    let parked = cx.parked(&session).await?;
    let head = parked.log.head();
    let mut queued = Vec::new();
    for name in ["earlier", "later"] {
        let marker = cx.bench.fresh_name(name);
        let said = turn::say(cx.bench, &session.id, &marker).await;
        said.map_err(|stop| stop.blocking("srv.overlap.queue"))?;
        let log = cx.log(&session.id).await?;
        let run = turn::find(&log.events, &marker).and_then(Event::run_id);
        let run = run.ok_or_else(|| Stop::fail("a Run of the queued message", "none", &log.evidence));
        queued.push(run.map_err(|stop| stop.blocking("srv.overlap.queue"))?.to_owned());
    }
    let answer = wait::fitting(cx.bench, parked.action());
    cx.accepted(&session, &answer).await?;
    let start = |log: &Log| {
        let mut events = log.above(head).iter();
        let start = events.find(|event| event.kind == "run.started")?;
        Some(start.run_id().unwrap_or_default().to_owned())
    };
    let deadline = cx.bench.turn_deadline();
    let looked = look::until(cx.bench, &session.id, deadline, |log| start(log).is_some()).await?;
    let never = |log: Log| Stop::fail("run.started of a queued Run", "none", &log.evidence);
    let log = looked.map_err(never)?;
    let first = queued.first().cloned().unwrap_or_default();
    expect::equal(
        &log.evidence,
        "the queued Run that starts first",
        &first.into(),
        &start(&log).into(),
    )?;
    cx.saw("the earlier of two queued Runs started", &log.evidence);
    cx.pass()
}
