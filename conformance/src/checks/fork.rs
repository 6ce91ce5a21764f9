use serde_json::{Value, json};

use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, event::Event, fork, log::Log, replay::Replay, session::Session},
    stop::Stop,
    wire::request::Request,
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.fork.keeps-ids-and-seqs",
        title: "A fork begins with the events of its source, each with its id and seq; behind them session.forked marks the branch.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["FRK-1", "FRK-2"],
        killed_by: &[
            "fork-gives-new-ids",
            "fork-numbers-anew",
            "fork-loses-the-first",
            "fork-without-a-mark",
            "server:fork_loses_last",
            "server:fork_unmarked",
        ],
        run: |cx| Box::pin(keeps_ids_and_seqs(cx)),
    },
    Check {
        id: "srv.fork.copies-are-the-same-events",
        title: "A copied event is the source's but for its session_id, in the list and in the stream.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["A-FORK", "A-ID"],
        killed_by: &["fork-dates-copies-anew", "fork-copies-name-the-source"],
        run: |cx| Box::pin(copies_are_the_same_events(cx)),
    },
    Check {
        id: "srv.fork.sides-live-apart",
        title: "What is said to a fork leaves its source as it was, and what is said to the source leaves the fork as it was.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["FRK-1", "FRK-2"],
        killed_by: &["fork-writes-into-its-source", "source-writes-into-its-forks"],
        run: |cx| Box::pin(sides_live_apart(cx)),
    },
    Check {
        id: "srv.fork.of-a-fork",
        title: "A fork of a fork has the events of both, with their first ids and seqs, and a mark of its own.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["FRK-1", "FRK-2"],
        killed_by: &[
            "second-fork-gives-new-ids",
            "second-fork-forgets-the-first-mark",
            "server:fork_loses_last",
            "server:fork_unmarked",
        ],
        run: |cx| Box::pin(of_a_fork(cx)),
    },
];

/// The settled Session and a fork of its head.
async fn forked(cx: &Context<'_>) -> Result<(Log, Session), Stop> {
    let settled = cx.settled().await?;
    cx.offered("forks").await?;
    let fork = fork::make(cx.bench, &settled.session, &json!({})).await?;
    Ok((settled.log().clone(), fork))
}

/// The same for a check that judges something else.
pub(super) async fn set_up(cx: &Context<'_>) -> Result<(Log, Session), Stop> {
    let made = forked(cx).await;
    made.map_err(|stop| match stop {
        Stop::NotApplicable(_) => stop,
        stop => stop.blocking("srv.fork.keeps-ids-and-seqs"),
    })
}

/// Holds the beginning of a fork against its source's events by id and seq, and finds the mark behind it.
pub(super) fn begins_with<'l>(fork: &'l Log, source: &[Event]) -> Result<&'l Event, Stop> {
    let key = |event: &Event| json!([event.seq, event.id, event.kind]);
    for (place, event) in source.iter().enumerate() {
        let copy = fork.events.get(place).map_or(Value::Null, key);
        let expected = format!("event {} of the fork to be {}", place + 1, key(event));
        expect::that(copy == key(event), &fork.evidence, expected, copy.to_string())?;
    }
    let mut behind = fork.events[source.len().min(fork.events.len())..].iter();
    let mark = behind.find(|event| event.kind == "session.forked");
    mark.ok_or_else(|| Stop::fail("session.forked behind the copied events", "none", &fork.evidence))
}

async fn keeps_ids_and_seqs(cx: &mut Context<'_>) -> Judgement {
    let (source, made) = forked(cx).await?;
    let log = cx.log(&made.id).await?;
    let mark = begins_with(&log, &source.events)?;
    cx.saw(
        format!(
            "{} events with their ids and seqs, then {}",
            source.events.len(),
            mark.raw
        ),
        &log.evidence,
    );
    cx.pass()
}

async fn copies_are_the_same_events(cx: &mut Context<'_>) -> Judgement {
    let (source, made) = set_up(cx).await?;
    let log = cx.log(&made.id).await?;
    let stream = Replay::through(cx.bench, Request::get(made.stream()), log.head()).await?;
    let copies: Vec<Event> = source
        .events
        .iter()
        .map(|event| copied(event, &made.id))
        .collect();
    for (what, events, evidence) in [
        ("list", &log.events, &log.evidence),
        ("stream", &stream.events, &stream.evidence),
    ] {
        let copied = events.get(..copies.len()).unwrap_or(events);
        expect::same_events(
            evidence,
            &format!("the copies on the fork's {what}"),
            &copies,
            copied,
        )?;
        cx.saw(format!("{} copies on the fork's {what}", copied.len()), evidence);
    }
    cx.pass()
}

/// The event as a fork has it.
fn copied(event: &Event, fork: &str) -> Event {
    let mut event = event.clone();
    event.raw["session_id"] = fork.into();
    event
}

async fn sides_live_apart(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    cx.offered("forks").await?;
    cx.turn(&session).await?;
    let before = cx.rested(&session.id).await?;
    let made = fork::make(cx.bench, &session, &json!({})).await;
    let made = made.map_err(|stop| stop.blocking("srv.fork.keeps-ids-and-seqs"))?;
    let head = cx.log(&made.id).await?;

    let driven = cx.turn(&made).await?;
    let source = cx.log(&session.id).await?;
    expect::same_events(
        &source.evidence,
        "the source after a turn of its fork",
        &before.events,
        &source.events,
    )?;
    cx.saw(
        format!(
            "a turn of the fork up to seq {} left the source alone",
            driven.log.head()
        ),
        &source.evidence,
    );

    let after = cx.rested(&made.id).await?;
    expect::that(
        after.head() > head.head(),
        &after.evidence,
        "a turn in the fork's log",
        "none",
    )?;
    cx.turn(&session).await?;
    let fork = cx.log(&made.id).await?;
    expect::same_events(
        &fork.evidence,
        "the fork after a turn of its source",
        &after.events,
        &fork.events,
    )?;
    cx.saw("a turn of the source left the fork alone", &fork.evidence);
    cx.pass()
}

async fn of_a_fork(cx: &mut Context<'_>) -> Judgement {
    let (_, made) = set_up(cx).await?;
    let first = cx.log(&made.id).await?;
    let again = fork::make(cx.bench, &made, &json!({})).await?;
    let second = cx.log(&again.id).await?;
    let mark = begins_with(&second, &first.events)?;
    cx.saw(
        format!("{} events of both, then {}", first.events.len(), mark.raw),
        &second.evidence,
    );
    let marks = second
        .events
        .iter()
        .filter(|event| event.kind == "session.forked")
        .count();
    let expected = "a mark of each of the two branches";
    expect::that(marks == 2, &second.evidence, expected, format!("{marks} marks"))?;
    cx.pass()
}
