use std::sync::Arc;

use serde_json::json;
use tokio::time::sleep;

use crate::{
    agent::AgentKind,
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{
        Stimulus,
        family::Family,
        replay::Replay,
        thread::{self, Thread},
        turn,
    },
    stop::Stop,
    wire::{exchange::Exchange, request::Request},
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.archive.idle-child",
        title: "An idle child is archived with the headers of any mutation: terminated, with a time, and the same on every repetition.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["THR-4", "WIRE-6", "THR-10"],
        killed_by: &[
            "archive-answers-idle",
            "archive-without-a-time",
            "archive-forgets",
            "archive-again-at-another-time",
            "server:archive_only_once",
        ],
        run: |cx| Box::pin(idle_child(cx)),
    },
    Check {
        id: "srv.archive.freezes-stats",
        title: "The stats of an archived thread stand still.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["THR-13"],
        killed_by: &["archived-thread-grows-older", "archived-thread-was-busier"],
        run: |cx| Box::pin(freezes_stats(cx)),
    },
    Check {
        id: "srv.archive.stream-closes",
        title: "The stream of an archived child replays its list and closes; at its head it closes at once.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["A-SRV"],
        killed_by: &["archived-stream-stays-open"],
        run: |cx| Box::pin(stream_closes(cx)),
    },
    Check {
        id: "srv.archive.ended-by-error",
        title: "A child that its error terminated is archived too, which sets the time.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["A-ARCH"],
        killed_by: &["broken-child-cannot-be-archived"],
        run: |cx| Box::pin(ended_by_error(cx)),
    },
];

/// Archives a child that can be archived: the first that does not wait for anything.
async fn archived(cx: &Context<'_>) -> Result<(Family, Thread, Arc<Exchange>), Stop> {
    let family = cx.family_of(AgentKind::Coordinator).await?;
    let waits = |thread: &Thread| {
        let history = family.history(&thread.id);
        let last = history.iter().rev().find(|event| event.kind.starts_with("run."));
        last.is_none_or(|event| !event.settles_run())
    };
    let Some(child) = family
        .threads
        .children()
        .find(|child| child.status() == "idle" && !waits(child))
    else {
        return Err(Stop::Inconclusive(
            "no child came to rest without a wait".to_owned(),
        ));
    };
    let answer = cx.bench.mutate(child.archive()).await?;
    expect::success(&answer)?;
    let thread = Thread::read(&answer, &family.session.id, &expect::json(&answer)?)?;
    expect::equal(
        &answer,
        "the archived thread",
        &json!(child.id),
        &json!(thread.id),
    )?;
    Ok((family, thread, answer))
}

async fn idle_child(cx: &mut Context<'_>) -> Judgement {
    let last =
        |thread: &Thread| json!(["id", "status", "archived_at"].map(|member| &thread.resource[member]));
    let (family, thread, answer) = archived(cx).await?;
    expect::equal(
        &answer,
        "the status",
        &json!("terminated"),
        &thread.resource["status"],
    )?;
    let time = expect::member(&answer, &thread.resource, "/archived_at")?;
    expect::that(!time.is_null(), &answer, "a time at /archived_at", "null")?;
    cx.saw(
        format!("{} is terminated, archived at {time}", thread.id),
        &answer,
    );
    let again = cx.bench.mutate(thread.archive()).await?;
    expect::success(&again)?;
    expect::equal(
        &again,
        "the same terminated thread",
        &thread.resource,
        &expect::json(&again)?,
    )?;
    cx.saw("archiving it again answers the same thread", &again);
    let (kept, shown) = thread::retrieve(cx.bench, &family.session.id, &thread.id).await?;
    expect::equal(
        &shown,
        "the retrieved archived thread",
        &last(&thread),
        &last(&kept),
    )?;
    cx.saw("and so does retrieving it", &shown);
    cx.pass()
}

async fn freezes_stats(cx: &mut Context<'_>) -> Judgement {
    let (family, thread, answer) = archived(cx).await?;
    let frozen = expect::member(&answer, &thread.resource, "/stats")?;
    for _ in 0..3 {
        // For stats that run on to have something to add.
        sleep(turn::BETWEEN_LOOKS).await;
        let (kept, shown) = thread::retrieve(cx.bench, &family.session.id, &thread.id).await?;
        expect::equal(&shown, "the frozen stats", frozen, &kept.resource["stats"])?;
        cx.saw("the stats stand still", &shown);
    }
    cx.pass()
}

async fn stream_closes(cx: &mut Context<'_>) -> Judgement {
    let (family, thread, _) = archived(cx).await?;
    let family = family.again(cx.bench).await?;
    let history = family.histories.iter().find(|(child, _)| child.id == thread.id);
    let Some((_, list)) = history else {
        return Err(Stop::fail(
            "the archived thread in the list",
            "not there",
            &family.threads.evidence,
        ));
    };
    let whole = Replay::to_close(cx.bench, Request::get(thread.stream()), list.head()).await?;
    expect::same_events(
        &whole.evidence,
        "the archived thread's stream",
        &list.events,
        &whole.events,
    )?;
    cx.saw(
        format!("{} events, then the stream closes", whole.events.len()),
        &whole.evidence,
    );
    let at_head = Request::get(thread.stream()).after(list.head());
    let rest = Replay::to_close(cx.bench, at_head, list.head()).await?;
    let actual = format!("{} events", rest.events.len());
    expect::that(
        rest.events.is_empty(),
        &rest.evidence,
        "no event at the head, and a close",
        actual,
    )?;
    cx.saw("at its head it closes at once", &rest.evidence);
    cx.pass()
}

async fn ended_by_error(cx: &mut Context<'_>) -> Judgement {
    let family = cx.family_of(AgentKind::Broken).await?;
    let Some(child) = family
        .threads
        .children()
        .find(|child| child.status() == "terminated")
    else {
        return Err(Stop::Inconclusive(
            "no child was terminated by its error".to_owned(),
        ));
    };
    let time = &child.resource["archived_at"];
    expect::equal(&family.threads.evidence, "archived_at before", &json!(null), time)?;
    let answer = cx.bench.mutate(child.archive()).await?;
    expect::status(&answer, 200)?;
    let thread = expect::json(&answer)?;
    expect::equal(&answer, "the status", &json!("terminated"), &thread["status"])?;
    expect::string(&answer, &thread, "/archived_at")?;
    cx.saw("a child that failed is archived", &answer);
    cx.pass()
}
