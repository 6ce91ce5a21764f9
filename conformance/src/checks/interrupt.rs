use std::sync::Arc;

use serde_json::{Value, json};

use crate::{
    agent::AgentKind,
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, event::Event, log::Log, look, session::Session, turn, wait},
    stop::Stop,
    wire::exchange::Exchange,
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.interrupt.running",
        title: "An interrupt ends a running turn; the Session is idle, not terminal, and takes the next message.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["SES-10", "SES-8"],
        killed_by: &[
            "fences-what-it-lists",
            "interrupt-is-ignored",
            "interrupt-is-terminal",
            "interrupted-for-good",
            "server:interrupt_is_terminal",
        ],
        run: |cx| Box::pin(running(cx)),
    },
    Check {
        id: "srv.interrupt.question",
        title: "An interrupt cancels a turn that is parked by a Question, and the Session is idle.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["WAIT-2", "SES-10"],
        killed_by: &[
            "interrupt-is-ignored",
            "interrupted-run-completes",
            "server:interrupt_is_terminal",
        ],
        run: |cx| Box::pin(parked(cx, AgentKind::Question)),
    },
    Check {
        id: "srv.interrupt.waiting",
        title: "An interrupt ends a turn that waits for a call, and the Session is idle.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["SES-10", "RUN-3"],
        killed_by: &[
            "interrupt-is-ignored",
            "interrupt-is-terminal",
            "server:interrupt_is_terminal",
        ],
        run: |cx| Box::pin(parked(cx, AgentKind::CustomTool)),
    },
    Check {
        id: "srv.interrupt.order",
        title: "An interrupt is followed by run.canceled with its reason and an idle with end_turn.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["A-INT", "A-STOP"],
        killed_by: &[
            "interrupts-without-a-reason",
            "interrupt-idles-for-another-reason",
            "server:interrupt_keeps_run",
            "server:interrupt_unlogged",
        ],
        run: |cx| Box::pin(order(cx)),
    },
    Check {
        id: "srv.interrupt.idle",
        title: "With nothing to end, an interrupt is accepted and appended and changes no state.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["A-INT"],
        killed_by: &["refuses-idle-interrupts", "idle-interrupt-idles-again"],
        run: |cx| Box::pin(idle(cx)),
    },
    Check {
        id: "srv.interrupt.unknown-thread",
        title: "An interrupt of a thread that does not exist is 404 and ends nothing.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["A-INT"],
        killed_by: &["interrupts-any-thread"],
        run: |cx| Box::pin(unknown_thread(cx)),
    },
];

async fn running(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::Slow).await?;
    let (log, run) = run_of_slow(cx, &session).await?;
    let log = ends(cx, &session, &log, &run).await?;
    cx.saw("the running turn ended in an idle", &log.evidence);
    let again = turn::say(cx.bench, &session.id, &cx.bench.fresh_name("again")).await?;
    cx.saw("the next message is accepted", &again);
    // The new Run is not to go on for minutes.
    cx.post(&session, &interrupt(cx)).await?;
    cx.pass()
}

async fn parked(cx: &mut Context<'_>, kind: AgentKind) -> Judgement {
    let session = cx.session_of(kind).await?;
    let parked = cx.parked(&session).await?;
    let run = parked.run_id()?;
    let log = ends(cx, &session, &parked.log, run).await?;
    let events = log.above(parked.log.head());
    let end = events
        .iter()
        .find(|event| event.settles_run() && event.run_id() == Some(run));
    let end = end.map_or("no end of it", |event| event.kind.as_str());
    expect::that(
        end == "run.canceled",
        &log.evidence,
        format!("run.canceled of {run}"),
        end,
    )?;
    cx.saw(format!("{run} is canceled and the Session idle"), &log.evidence);
    cx.pass()
}

async fn order(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::Question).await?;
    let parked = cx.parked(&session).await?;
    let log = interrupted(cx, &session, &parked.log).await?;
    let events = log.above(parked.log.head());
    let expected = ["user.interrupt", "run.canceled", "session.status_idle"];
    expect::kinds(&log.evidence, events, &expected)?;
    for (event, pointer, value) in [(1, "/reason", "interrupted"), (2, "/stop_reason", "end_turn")] {
        let what = format!("{pointer} of {}", expected[event]);
        let found = events[event].payload(pointer).unwrap_or(&Value::Null);
        expect::equal(&log.evidence, &what, &value.into(), found)?;
    }
    cx.saw(expected.join(", "), &log.evidence);
    cx.pass()
}

async fn idle(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    let before = cx.turn(&session).await?.log;
    let answer = cx.post(&session, &interrupt(cx)).await?;
    expect::status(&answer, 202)?;
    let log = cx.log(&session.id).await?;
    expect::kinds(&log.evidence, log.above(before.head()), &["user.interrupt"])?;
    cx.saw(
        "the interrupt stands in the log and nothing follows from it",
        &log.evidence,
    );
    cx.pass()
}

async fn unknown_thread(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::Question).await?;
    let parked = cx.parked(&session).await?;
    let mut body = interrupt(cx);
    body["payload"]["session_thread_id"] = "sthr_00000000000000000000000000000000".into();
    let answer = cx.post(&session, &body).await?;
    expect::status(&answer, 404)?;
    let now = cx.log(&session.id).await?;
    parked.log.expect_unchanged(&now, "the log after the refusal")?;
    cx.saw("an unknown thread is 404", &answer);
    cx.pass()
}

/// A Run that works for seconds, and the log by then.
pub(super) async fn run_of_slow(cx: &Context<'_>, session: &Session) -> Result<(Log, String), Stop> {
    let marker = cx.bench.fresh_name("slow");
    turn::say(cx.bench, &session.id, &marker)
        .await
        .map_err(|stop| stop.blocking("srv.append.accepted"))?;
    let works = |log: &Log| {
        log.events
            .iter()
            .any(|event| event.kind == "session.status_running")
    };
    let looked = look::until(cx.bench, &session.id, cx.bench.turn_deadline(), works).await?;
    let log = looked.map_err(|_| Stop::Inconclusive("the Agent did not begin".to_owned()))?;
    let input = turn::find(&log.events, &marker);
    let run = input.and_then(|input| log.above(input.seq - 1).iter().find_map(Event::run_id));
    let settled = log.events.iter().any(Event::settles_session);
    match run.map(str::to_owned).filter(|_| !settled) {
        Some(run) => Ok((log, run)),
        None => Err(Stop::Inconclusive("no Run is at work".to_owned())),
    }
}

pub(super) fn interrupt(cx: &Context<'_>) -> Value {
    wait::signed(cx.bench, "user.interrupt", json!({}))
}

/// Interrupts and watches until the turn has settled, which has to happen.
pub(super) async fn interrupted(cx: &Context<'_>, session: &Session, before: &Log) -> Result<Log, Stop> {
    let answer: Arc<Exchange> = cx.accepted(session, &interrupt(cx)).await?;
    let head = before.head();
    let settles = |log: &Log| log.above(head).iter().any(Event::settles_session);
    let looked = look::until(cx.bench, &session.id, cx.bench.turn_deadline(), settles).await?;
    let within = cx.bench.limits.turn;
    let unsettled = |_| {
        Stop::fail(
            "a settled turn after the interrupt",
            format!("none within {within:?}"),
            &answer,
        )
    };
    looked.map_err(unsettled)
}

/// Interrupts this Run; the turn ends in an idle and the Run is settled.
async fn ends(cx: &Context<'_>, session: &Session, before: &Log, run: &str) -> Result<Log, Stop> {
    let log = interrupted(cx, session, before).await?;
    let events = log.above(before.head());
    let interrupt = events.iter().position(|event| event.kind == "user.interrupt");
    let settlement = events.iter().position(Event::settles_session);
    if settlement < interrupt {
        return Err(Stop::Inconclusive(
            "the turn ended before the interrupt".to_owned(),
        ));
    }
    let kind = settlement.map_or("none", |place| events[place].kind.as_str());
    expect::that(
        kind == "session.status_idle",
        &log.evidence,
        "a reusable Session: session.status_idle",
        kind,
    )?;
    let named = events
        .iter()
        .any(|event| event.settles_run() && event.run_id() == Some(run));
    expect::that(named, &log.evidence, format!("an end of {run}"), "none")?;
    Ok(log)
}
