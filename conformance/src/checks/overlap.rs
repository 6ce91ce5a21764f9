use std::collections::BTreeSet;

use serde_json::Value;

use super::interrupt::{interrupt, run_of_slow};
use crate::{
    agent::AgentKind,
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, event::Event, log::Log, look, turn, wait},
    stop::Stop,
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.overlap.each-run-settles",
        title: "Of Runs that overlap each has one settlement that names it.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["RUN-3"],
        killed_by: &["overlapping-run-ends-twice", "overlapping-runs-end-nameless"],
        run: |cx| Box::pin(each_run_settles(cx)),
    },
    Check {
        id: "srv.overlap.parallel",
        title: "Where Runs overlap, a message while one is active is accepted and starts another at once.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["A-OVERLAP"],
        killed_by: &["overlap-is-refused"],
        run: |cx| Box::pin(parallel(cx)),
    },
    Check {
        id: "srv.overlap.queue",
        title: "A message while a Run is unfinished gets its own Run, which starts when that one settles, without an idle between.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["A-OVERLAP"],
        killed_by: &[
            "overlap-is-refused",
            "one-run-for-all",
            "idles-in-the-queue",
            "server:busy_drops_message",
            "server:trigger_without_run",
        ],
        run: |cx| Box::pin(queue(cx)),
    },
    Check {
        id: "srv.overlap.interrupt-starts-the-next",
        title: "An interrupt ends the active Run alone: a queued one starts after the idle.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["A-INT", "A-OVERLAP"],
        killed_by: &["interrupt-drops-the-queue", "server:busy_drops_message"],
        run: |cx| Box::pin(queued_run_starts(cx)),
    },
];

async fn each_run_settles(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::Parallel).await?;
    for what in ["slow one", "other"] {
        let marker = cx.bench.fresh_name(what);
        turn::say(cx.bench, &session.id, &marker)
            .await
            .map_err(|stop| stop.blocking("srv.append.accepted"))?;
    }
    let over = |log: &Log| ends(log).len() >= 2;
    let looked = look::until(cx.bench, &session.id, cx.bench.turn_deadline(), over).await?;
    let log = looked.map_err(|_| Stop::Inconclusive("two Runs did not settle in time".to_owned()))?;
    let runs: BTreeSet<_> = log
        .events
        .iter()
        .filter(|event| event.kind == "user.message")
        .filter_map(Event::run_id)
        .collect();
    if runs.len() < 2 {
        return Err(Stop::Inconclusive("the messages do not name two Runs".to_owned()));
    }
    let ends = ends(&log);
    for run in runs {
        let count = ends.iter().filter(|event| event.run_id() == Some(run)).count();
        let actual = format!("{count} of {} ends", ends.len());
        expect::that(
            count == 1,
            &log.evidence,
            format!("one end that names {run}"),
            actual,
        )?;
        cx.saw(format!("{run} has its end"), &log.evidence);
    }
    cx.pass()
}

fn ends(log: &Log) -> Vec<&Event> {
    log.events.iter().filter(|event| event.settles_run()).collect()
}

async fn parallel(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::Parallel).await?;
    let marker = cx.bench.fresh_name("slow");
    turn::say(cx.bench, &session.id, &marker)
        .await
        .map_err(|stop| stop.blocking("srv.append.accepted"))?;
    let second = turn::say(cx.bench, &session.id, &cx.bench.fresh_name("other")).await?;
    cx.saw("the second message is accepted", &second);
    let over = |log: &Log| ends(log).len() >= 2;
    let looked = look::until(cx.bench, &session.id, cx.bench.turn_deadline(), over).await?;
    let log = looked.map_err(|_| Stop::Inconclusive("two Runs did not settle in time".to_owned()))?;
    let kinds = log.events.iter().map(|event| event.kind.as_str());
    let started = kinds.clone().filter(|kind| *kind == "run.started").count();
    let until_end = kinds.take_while(|kind| *kind != "run.completed");
    let before = until_end.filter(|kind| *kind == "run.started").count();
    let actual = format!("{before} of {started} before the first end");
    expect::that(
        before == 2,
        &log.evidence,
        "both Runs started before one ended",
        actual,
    )?;
    cx.saw("both Runs were at work at once", &log.evidence);
    cx.pass()
}

async fn queue(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::Question).await?;
    // A Run that waits is unfinished for as long as the check likes.
    let parked = cx.parked(&session).await?;
    let first = parked.run_id()?;
    let marker = cx.bench.fresh_name("queued");
    let accepted = turn::say(cx.bench, &session.id, &marker).await?;
    cx.saw("a message while a Run waits is accepted", &accepted);
    let log = cx.log(&session.id).await?;
    let second = turn::find(&log.events, &marker).and_then(Event::run_id);
    let second = second.unwrap_or("none").to_owned();
    expect::that(
        second != first && second != "none",
        &log.evidence,
        "a Run of its own for the queued message",
        &second,
    )?;
    cx.accepted(&session, &wait::fitting(cx.bench, parked.action()))
        .await?;
    let starts = |event: &Event| event.kind == "run.started" && event.run_id() == Some(second.as_str());
    let started = |log: &Log| log.events.iter().any(starts);
    let looked = look::until(cx.bench, &session.id, cx.bench.turn_deadline(), started).await?;
    let never = |log: Log| Stop::fail(format!("run.started of {second}"), "none", &log.evidence);
    let log = looked.map_err(never)?;
    let until_start = log
        .above(parked.log.head())
        .iter()
        .take_while(|event| !starts(event));
    let between: Vec<&str> = until_start.map(|event| event.kind.as_str()).collect();
    let expected = "run.completed and no idle before the queued Run starts";
    let queued = between.contains(&"run.completed") && !between.contains(&"session.status_idle");
    expect::that(queued, &log.evidence, expected, between.join(", "))?;
    let trigger = log
        .events
        .iter()
        .find(|event| event.kind == "run.created" && event.run_id() == Some(second.as_str()));
    let trigger = trigger
        .and_then(|event| event.payload("/trigger/event_id"))
        .unwrap_or(&Value::Null);
    let input = turn::find(&log.events, &marker).map(|event| event.id.as_str());
    expect::equal(
        &log.evidence,
        "the trigger of the queued Run",
        &input.into(),
        trigger,
    )?;
    cx.saw("the queued Run started when the first had settled", &log.evidence);
    cx.pass()
}

async fn queued_run_starts(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::Slow).await?;
    let (log, run) = run_of_slow(cx, &session).await?;
    let marker = cx.bench.fresh_name("queued");
    turn::say(cx.bench, &session.id, &marker)
        .await
        .map_err(|stop| stop.blocking("srv.overlap.queue"))?;
    cx.accepted(&session, &interrupt(cx)).await?;
    let starts = |log: &Log| log.events.iter().any(|event| begins_other(event, &run));
    let looked = look::until(cx.bench, &session.id, cx.bench.turn_deadline(), starts).await?;
    let late = |log: Log| Stop::fail("run.started of the queued Run", "none", &log.evidence);
    let now = looked.map_err(late)?;
    let kinds: Vec<_> = now
        .above(log.head())
        .iter()
        .map(|event| event.kind.as_str())
        .collect();
    let place = |kind: &str| kinds.iter().position(|other| *other == kind);
    let in_order = place("run.canceled") < place("session.status_idle")
        && place("session.status_idle") < place("run.started");
    let expected = "run.canceled, session.status_idle, then run.started";
    expect::that(in_order, &now.evidence, expected, kinds.join(", "))?;
    cx.saw("the queued Run started after the idle", &now.evidence);
    cx.post(&session, &interrupt(cx)).await?;
    cx.pass()
}

fn begins_other(event: &Event, run: &str) -> bool {
    event.kind == "run.started" && event.run_id() != Some(run)
}
