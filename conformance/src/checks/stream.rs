use futures::future::try_join;

use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{
        event::Event,
        replay::{Replay, ended, next_event},
        turn,
    },
    stop::Stop,
    wire::{request::Request, sse::Item},
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.stream.equals-list",
        title: "The stream of a settled log gives the envelopes of the list, one by one.",
        level: Level::Documented,
        requirements: &["LST-3"],
        killed_by: &[
            "stream-changes-ids",
            "list-drops-an-event",
            "stream-drops-an-event",
        ],
        run: |cx| Box::pin(equals_list(cx)),
    },
    Check {
        id: "srv.stream.framing",
        title: "Each frame has the seq as id, the type as event and the envelope as data.",
        level: Level::Documented,
        requirements: &["STR-3"],
        killed_by: &["renumbers-ids", "frame-without-event", "frame-without-id"],
        run: |cx| Box::pin(framing(cx)),
    },
    Check {
        id: "srv.stream.head-and-fields",
        title: "A stream has the fixed headers, a first comment at once, and id, event and one data line in that order.",
        level: Level::Assumed,
        requirements: &["A-SRV"],
        killed_by: &[
            "stream-may-be-cached",
            "silent-until-the-first-event",
            "fields-in-another-order",
        ],
        run: |cx| Box::pin(head_and_fields(cx)),
    },
    Check {
        id: "srv.stream.replays-then-stays-live",
        title: "Without a cursor a stream replays the log from its start and then delivers what is appended, on one connection.",
        level: Level::Documented,
        requirements: &["STR-1"],
        killed_by: &["closes-after-replay", "starts-at-the-tail"],
        run: |cx| Box::pin(replays_then_stays_live(cx)),
    },
    Check {
        id: "srv.stream.two-readers-agree",
        title: "Two streams of one Session at the same time, one from the start and one resumed, show the same events.",
        level: Level::Documented,
        requirements: &["LST-3", "STR-2"],
        killed_by: &["second-reader-sees-other-ids"],
        run: |cx| Box::pin(two_readers_agree(cx)),
    },
];

async fn equals_list(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let log = cx.log(&settled.session.id).await?;
    let replay = Replay::through(cx.bench, Request::get(settled.session.stream()), log.head()).await?;
    expect::same_events(
        &replay.evidence,
        "the stream beside the list",
        &log.events,
        &replay.events,
    )?;
    cx.saw(
        format!("{} streamed envelopes are the listed ones", replay.events.len()),
        &replay.evidence,
    );
    cx.pass()
}

async fn framing(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let head = settled.log().head();
    let replay = Replay::through(cx.bench, Request::get(settled.session.stream()), head).await?;
    for (frame, event) in replay.frames.iter().zip(&replay.events) {
        let actual = format!("id {:?}, event {:?}", frame.id, frame.event);
        let carried = frame.id.as_deref() == Some(event.seq.to_string().as_str())
            && frame.event.as_deref() == Some(event.kind.as_str());
        if !carried {
            let expected = format!("id {}, event {} as in the data", event.seq, event.kind);
            return Err(Stop::fail_with(
                expected,
                actual,
                replay.evidence.excerpt_of(frame.bytes.clone()),
            ));
        }
        if frame.invalid_utf8 {
            let wire = replay.evidence.excerpt_of(frame.bytes.clone());
            return Err(Stop::fail_with("a frame in UTF-8", "other bytes", wire));
        }
    }
    let reads = replay.evidence.reads();
    cx.saw(
        format!(
            "{} frames, over {reads} reads, name the seq and type of their data",
            replay.frames.len()
        ),
        &replay.evidence,
    );
    cx.pass()
}

async fn head_and_fields(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let head = settled.log().head();
    let mut reading = cx
        .open(Request::get(settled.session.stream()).after(head))
        .await?;
    let first = reading.first_item(cx.bench.answer_deadline()).await;
    let answer = cx.bench.close(reading);
    for (name, expected) in [
        ("content-type", "text/event-stream; charset=utf-8"),
        ("cache-control", "no-store"),
        ("x-accel-buffering", "no"),
    ] {
        let actual = answer.header(name).unwrap_or("none");
        let same = actual.eq_ignore_ascii_case(expected);
        expect::that(
            same,
            &answer,
            format!("{name}: {expected}"),
            format!("{name}: {actual}"),
        )?;
    }
    match first {
        Ok(Item::Comment(_)) => cx.saw("at the head the stream begins with a comment, at once", &answer),
        Ok(other) => return Err(Stop::fail("a comment first", format!("{other:?}"), &answer)),
        Err(end) => return Err(Stop::fail("a comment at once", ended(end), &answer)),
    }
    let replay = Replay::through(cx.bench, Request::get(settled.session.stream()), head).await?;
    for frame in &replay.frames {
        if frame.fields != ["id", "event", "data"] {
            let wire = replay.evidence.excerpt_of(frame.bytes.clone());
            return Err(Stop::fail_with(
                "the lines id, event, data",
                frame.fields.join(", "),
                wire,
            ));
        }
    }
    cx.saw(
        format!("{} frames have id, event and one data line", replay.frames.len()),
        &replay.evidence,
    );
    cx.pass()
}

async fn replays_then_stays_live(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    let before = cx.turn(&session).await?.log;
    let mut reading = cx.open(Request::get(session.stream())).await?;
    let deadline = cx.bench.answer_deadline();
    let mut seen: Vec<Event> = Vec::new();
    while seen.last().is_none_or(|event| event.seq < before.head()) {
        let awaited = || format!("the replay up to seq {}", before.head());
        seen.push(next_event(&mut reading, deadline, awaited).await?.1);
    }
    expect::same_events(&reading.snapshot(), "the replay", &before.events, &seen)?;
    let marker = cx.bench.fresh_name("live");
    turn::say(cx.bench, &session.id, &marker)
        .await
        .map_err(|stop| stop.blocking("srv.append.accepted"))?;
    let deadline = cx.bench.turn_deadline();
    let (frame, live) = next_event(&mut reading, deadline, || {
        "an appended event on the open stream".to_owned()
    })
    .await?;
    if live.seq <= before.head() {
        let wire = reading.snapshot().excerpt_of(frame.bytes);
        return Err(Stop::fail_with(
            format!("an event above {}", before.head()),
            format!("seq {}", live.seq),
            wire,
        ));
    }
    let evidence = cx.bench.close(reading);
    cx.saw(
        format!("{} events were replayed from the start", seen.len()),
        &evidence,
    );
    cx.saw(
        format!("seq {} arrived live on the same connection", live.seq),
        &evidence,
    );
    cx.pass()
}

async fn two_readers_agree(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    let before = cx.turn(&session).await?.log;
    let whole = Replay::until_settled(cx.bench, Request::get(session.stream()), before.head());
    let resumed = Replay::until_settled(
        cx.bench,
        Request::get(session.stream()).after(before.head()),
        before.head(),
    );
    let marker = cx.bench.fresh_name("readers");
    let said = async {
        turn::say(cx.bench, &session.id, &marker)
            .await
            .map_err(|stop| stop.blocking("srv.append.accepted"))
    };
    let ((whole, resumed), _) = try_join(try_join(whole, resumed), said).await?;
    let new: Vec<Event> = whole
        .events
        .iter()
        .filter(|event| event.seq > before.head())
        .cloned()
        .collect();
    expect::same_events(
        &resumed.evidence,
        "what both readers saw of the new turn",
        &new,
        &resumed.events,
    )?;
    cx.saw(
        format!("one reader saw {} events", whole.events.len()),
        &whole.evidence,
    );
    cx.saw(
        format!("the other saw the same {} new ones", resumed.events.len()),
        &resumed.evidence,
    );
    cx.pass()
}
