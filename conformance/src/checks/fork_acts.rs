use std::sync::Arc;

use serde_json::json;

use super::{ending::end, interrupt::interrupt};
use crate::{
    agent::AgentKind,
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{
        Stimulus,
        event::Event,
        fork,
        log::{LARGEST_PAGE, Log},
        replay::Replay,
        session::Session,
        thread, wait,
    },
    stop::Stop,
    wire::{exchange::Exchange, request::Request},
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.fork.acts-stay-apart",
        title: "Driving, interrupting and canceling a fork leave its waiting source as it was, and the source still goes on.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["FRK-1", "FRK-2"],
        killed_by: &[
            "fork-drives-its-source",
            "fork-interrupts-its-source",
            "fork-cancels-its-source",
        ],
        run: |cx| Box::pin(acts_stay_apart(cx)),
    },
    Check {
        id: "srv.fork.end-stays-apart",
        title: "Interrupting and canceling the source leave its fork as it was, and the fork can still be driven.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["FRK-1", "FRK-2"],
        killed_by: &["source-interrupts-its-forks", "source-cancels-its-forks"],
        run: |cx| Box::pin(end_stays_apart(cx)),
    },
    Check {
        id: "srv.fork.thread-events",
        title: "Under a fork its threads have their events: the primary the fork's list, each child what it had, in list and stream.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["A-FORK", "A-VIEW"],
        killed_by: &[
            "forked-primary-has-no-mark",
            "forked-child-has-no-events",
            "forked-child-names-the-source",
            "forked-child-streams-without-its-birth",
        ],
        run: |cx| Box::pin(thread_events(cx)),
    },
];

async fn acts_stay_apart(cx: &mut Context<'_>) -> Judgement {
    let (session, parked, made) = waiting_and_forked(cx).await?;
    let before = cx.rested(&session.id).await?;
    // The fork of a Session waits for nothing, so it can be driven to a wait of its own.
    let own = cx.parked(&made).await?;
    unmoved(cx, &session, &before, "a turn of its fork").await?;
    let interrupted = cx.post(&made, &interrupt(cx)).await?;
    expect::success(&interrupted).map_err(|stop| stop.blocking("srv.interrupt.waiting"))?;
    cx.still(&made, own.log.head()).await?;
    unmoved(cx, &session, &before, "an interrupt of its fork").await?;
    // Where a Session cannot be canceled, there is nothing that could reach the source.
    let canceled = end(cx, &made, "cancel").await?;
    unmoved(cx, &session, &before, "the cancel of its fork").await?;
    cx.saw(
        format!("canceling the fork answered {}", canceled.status()),
        &canceled,
    );
    let accepted = cx
        .accepted(&session, &wait::fitting(cx.bench, parked.action()))
        .await?;
    cx.saw("the source still takes the answer that it waits for", &accepted);
    cx.pass()
}

async fn end_stays_apart(cx: &mut Context<'_>) -> Judgement {
    let (session, parked, made) = waiting_and_forked(cx).await?;
    let before = cx.rested(&made.id).await?;
    let interrupted = cx.post(&session, &interrupt(cx)).await?;
    expect::success(&interrupted).map_err(|stop| stop.blocking("srv.interrupt.waiting"))?;
    cx.still(&session, parked.log.head()).await?;
    unmoved(cx, &made, &before, "an interrupt of its source").await?;
    let canceled = end(cx, &session, "cancel").await?;
    unmoved(cx, &made, &before, "the cancel of its source").await?;
    cx.saw(
        format!("canceling the source answered {}", canceled.status()),
        &canceled,
    );
    let driven = cx.parked(&made).await?;
    cx.saw("the fork can still be driven", &driven.log.evidence);
    cx.pass()
}

/// A Session that waits, its wait and a fork of its head.
async fn waiting_and_forked(cx: &Context<'_>) -> Result<(Session, wait::Parked, Session), Stop> {
    let session = cx.session_of(AgentKind::CustomTool).await?;
    cx.offered("forks").await?;
    cx.offered("interrupts").await?;
    let parked = cx.parked(&session).await?;
    let made = fork::make(cx.bench, &session, &json!({})).await;
    let made = made.map_err(|stop| stop.blocking("srv.fork.keeps-ids-and-seqs"))?;
    Ok((session, parked, made))
}

async fn unmoved(cx: &mut Context<'_>, session: &Session, before: &Log, what: &str) -> Result<(), Stop> {
    let now = cx.log(&session.id).await?;
    let stays = format!("the log of {} after {what}", session.id);
    before.expect_unchanged(&now, &stays)?;
    cx.saw(format!("{what} left {} as it was", session.id), &now.evidence);
    Ok(())
}

async fn thread_events(cx: &mut Context<'_>) -> Judgement {
    let family = cx.family().await?;
    cx.offered("forks").await?;
    let made = fork::make(cx.bench, &family.session, &json!({})).await;
    let made = made.map_err(|stop| stop.blocking("srv.fork.keeps-ids-and-seqs"))?;
    let log = cx.log(&made.id).await?;
    let primary = family.threads.primary()?;
    let copied = |log: &Log| log.events.iter().map(|event| under(event, &made.id)).collect();
    let children = family.histories.iter().map(|(child, log)| (child, copied(log)));
    for (thread, expected) in std::iter::once((primary, log.events.clone())).chain(children) {
        let path = thread::path(&made.id, &thread.id);
        let list = Log::walk_at(cx.bench, &format!("{path}/events"), LARGEST_PAGE).await?;
        let what = format!("the list of {} under the fork", thread.id);
        same(cx, &what, &expected, &list.events, &list.evidence)?;
        let head = list.head();
        let stream = Replay::through(cx.bench, Request::get(format!("{path}/stream")), head).await?;
        let what = format!("the stream of {} under the fork", thread.id);
        same(cx, &what, &expected, &stream.events, &stream.evidence)?;
    }
    cx.pass()
}

fn same(
    cx: &mut Context<'_>,
    what: &str,
    expected: &[Event],
    actual: &[Event],
    evidence: &Arc<Exchange>,
) -> Result<(), Stop> {
    expect::same_events(evidence, what, expected, actual)?;
    cx.saw(format!("{} events are {what}", actual.len()), evidence);
    Ok(())
}

/// The event as a fork has it.
fn under(event: &Event, fork: &str) -> Event {
    let mut event = event.clone();
    event.raw["session_id"] = fork.into();
    event
}
