use std::collections::HashSet;

use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, event::Event, replay::Replay},
    stop::Stop,
    wire::{exchange::Exchange, request::Request},
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.order.strictly-increasing",
        title: "In list and stream each event has a higher seq than the one before, and an id of its own.",
        level: Level::Documented,
        stimulus: Stimulus::Read,
        requirements: &["SES-5", "STR-4"],
        killed_by: &[
            "swaps-two-in-list",
            "repeats-a-seq",
            "stream-swaps-two",
            "stream-gives-a-seq-twice",
        ],
        run: |cx| Box::pin(strictly_increasing(cx)),
    },
    Check {
        id: "srv.order.append-only",
        title: "What was read once stays as it was; later events come after it.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["SES-5"],
        killed_by: &["rewrites-history", "server:page_duplicates"],
        run: |cx| Box::pin(append_only(cx)),
    },
];

async fn strictly_increasing(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let log = cx.log(&settled.session.id).await?;
    increasing(&log.events, &log.evidence)?;
    cx.saw(format!("{} listed events rise", log.events.len()), &log.evidence);
    let replay = Replay::through(cx.bench, Request::get(settled.session.stream()), log.head()).await?;
    increasing(&replay.events, &replay.evidence)?;
    cx.saw(
        format!("{} streamed events rise", replay.events.len()),
        &replay.evidence,
    );
    cx.pass()
}

fn increasing(events: &[Event], evidence: &Exchange) -> Result<(), Stop> {
    let mut ids = HashSet::new();
    let mut last = 0;
    for event in events {
        let expected = format!("a seq above {last}");
        expect::that(
            event.seq > last,
            evidence,
            expected,
            format!("seq {} ({})", event.seq, event.kind),
        )?;
        expect::that(
            ids.insert(&event.id),
            evidence,
            "ids of their own",
            format!("{} twice", event.id),
        )?;
        last = event.seq;
    }
    expect::that(
        events.len() > 2,
        evidence,
        "a log of two turns",
        format!("{} events", events.len()),
    )
}

async fn append_only(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let (early, late) = (&settled.first.log, settled.log());
    let kept = &late.events[..early.events.len().min(late.events.len())];
    expect::same_events(
        &late.evidence,
        "the log after the first turn",
        &early.events,
        kept,
    )?;
    cx.saw(
        format!(
            "{} events of the first turn are unchanged after the second",
            kept.len()
        ),
        &late.evidence,
    );
    let (first, second) = (early.head(), settled.second.input.seq);
    expect::that(
        second > first,
        &late.evidence,
        format!("the second message above seq {first}"),
        format!("at {second}"),
    )?;
    cx.saw(
        format!("the second message stands above, at {second}"),
        &late.evidence,
    );
    cx.pass()
}
