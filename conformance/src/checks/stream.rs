use futures::future::{try_join, try_join_all};

use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, event::Event, live::Live, replay::Replay, tape::ended, turn},
    stop::Stop,
    wire::{request::Request, sse::Item},
};

/// How many streams are opened while a turn is being written.
const READERS: usize = 4;

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.stream.equals-list",
        title: "The stream of a settled log gives the envelopes of the list, one by one.",
        level: Level::Documented,
        stimulus: Stimulus::Read,
        requirements: &["LST-3"],
        killed_by: &[
            "stream-changes-ids",
            "list-drops-an-event",
            "stream-drops-an-event",
            "server:stream_differs_from_list",
        ],
        run: |cx| Box::pin(equals_list(cx)),
    },
    Check {
        id: "srv.stream.framing",
        title: "Each frame has the seq as id, the type as event and the envelope as data.",
        level: Level::Documented,
        stimulus: Stimulus::Read,
        requirements: &["STR-3", "STR-5"],
        killed_by: &[
            "renumbers-ids",
            "frame-without-event",
            "frame-without-id",
            "frames-run-together",
            "frame-not-in-utf-8",
            "server:frame_of_other_seq",
            "server:frame_of_other_type",
            "server:frame_without_id",
            "server:frame_without_type",
        ],
        run: |cx| Box::pin(framing(cx)),
    },
    Check {
        id: "srv.stream.head-and-fields",
        title: "A stream has the fixed headers, a first comment at once, and id, event and one data line in that order.",
        level: Level::Assumed,
        stimulus: Stimulus::Read,
        requirements: &["A-SRV"],
        killed_by: &[
            "stream-may-be-cached",
            "silent-until-the-first-event",
            "fields-in-another-order",
            "server:no_comments",
            "server:stream_is_stored",
            "server:stream_is_text",
        ],
        run: |cx| Box::pin(head_and_fields(cx)),
    },
    Check {
        id: "srv.stream.replays-then-stays-live",
        title: "Without a cursor a stream replays the log from its start and then delivers what is appended, on one connection.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["STR-1"],
        killed_by: &[
            "closes-after-replay",
            "starts-at-the-tail",
            "server:replay_loses_event",
        ],
        run: |cx| Box::pin(replays_then_stays_live(cx)),
    },
    Check {
        id: "srv.stream.seam-loses-nothing",
        title: "A stream opened while a turn is being written shows all of the list, replayed or live.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["STR-1", "LST-3"],
        killed_by: &[
            "stream-drops-an-event",
            "seam-loses-one",
            "server:replay_loses_event",
            "server:seam_loses_event",
            "server:stream_differs_from_list",
        ],
        run: |cx| Box::pin(seam_loses_nothing(cx)),
    },
    Check {
        id: "srv.stream.delivers-once",
        title: "On one connection each event is delivered once, also where replay turns into live.",
        level: Level::Assumed,
        stimulus: Stimulus::Work,
        requirements: &["A-SRV"],
        killed_by: &[
            "delivers-twice",
            "server:seam_loses_event",
            "server:stream_goes_back",
        ],
        run: |cx| Box::pin(delivers_once(cx)),
    },
    Check {
        id: "srv.stream.two-readers-agree",
        title: "Two streams of one Session at the same time, one from the start and one resumed, show the same events.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["LST-3", "STR-2"],
        killed_by: &[
            "second-reader-sees-other-ids",
            "server:resume_is_inclusive",
            "server:resume_loses_event",
            "server:resume_starts_over",
        ],
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
    for (framed, event) in replay.frames.iter().zip(&replay.events) {
        let frame = &framed.frame;
        let actual = format!("id {:?}, event {:?}", frame.id, frame.event);
        let carried = frame.id.as_deref() == Some(event.seq.to_string().as_str())
            && frame.event.as_deref() == Some(event.kind.as_str());
        if !carried {
            let expected = format!("id {}, event {} as in the data", event.seq, event.kind);
            return Err(replay.fail_at(framed, expected, actual));
        }
        if frame.invalid_utf8 {
            return Err(replay.fail_at(framed, "a frame in UTF-8", "other bytes"));
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
    cx.undisturbed()?;
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
    for framed in &replay.frames {
        let fields = &framed.frame.fields;
        if fields != &["id", "event", "data"] {
            return Err(replay.fail_at(framed, "the lines id, event, data", fields.join(", ")));
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
    cx.turn(&session).await?;
    let awaited = "an appended event on the open stream";
    let live = Live::reach(
        cx.bench,
        &session,
        (&session.events(), &session.stream()),
        awaited,
    )
    .await?;
    cx.saw(
        format!("{} events were replayed from the start", live.replayed),
        &live.evidence,
    );
    cx.saw(
        format!("seq {} arrived live on the same connection", live.event.seq),
        &live.evidence,
    );
    cx.pass()
}

async fn seam_loses_nothing(cx: &mut Context<'_>) -> Judgement {
    for replay in read_while_written(cx).await? {
        cx.saw(
            format!(
                "a reader that joined in mid-turn saw all {} events",
                replay.events.len()
            ),
            &replay.evidence,
        );
    }
    cx.pass()
}

async fn delivers_once(cx: &mut Context<'_>) -> Judgement {
    cx.undisturbed()?;
    for replay in read_while_written(cx).await? {
        let actual = format!("{} of its events once more", replay.repeats);
        expect::that(
            replay.repeats == 0,
            &replay.evidence,
            "each event once on a connection",
            actual,
        )?;
        cx.saw(
            format!("{} events, each once", replay.events.len()),
            &replay.evidence,
        );
    }
    cx.pass()
}

/// Opens streams from the start while a turn is being written, and holds each against the list.
async fn read_while_written(cx: &Context<'_>) -> Result<Vec<Replay>, Stop> {
    let session = cx.session().await?;
    let head = cx.log(&session.id).await?.head();
    let marker = cx.bench.fresh_name("seam");
    turn::say(cx.bench, &session.id, &marker)
        .await
        .map_err(|stop| stop.blocking("srv.append.accepted"))?;
    let readers = (0..READERS)
        .map(|_| Replay::until_settled(cx.bench, &session.id, Request::get(session.stream()), head));
    let replays = try_join_all(readers).await?;
    let log = cx.log(&session.id).await?;
    for replay in &replays {
        let last = replay.events.last().map_or(0, |event| event.seq);
        let listed: Vec<Event> = log
            .events
            .iter()
            .filter(|event| event.seq <= last)
            .cloned()
            .collect();
        expect::same_events(
            &replay.evidence,
            "the stream across its seam",
            &listed,
            &replay.events,
        )?;
    }
    Ok(replays)
}

async fn two_readers_agree(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    let head = cx.turn(&session).await?.log.head();
    let stream = || Request::get(session.stream());
    let whole = Replay::until_settled(cx.bench, &session.id, stream(), head);
    let resumed = Replay::until_settled(cx.bench, &session.id, stream().after(head), head);
    let marker = cx.bench.fresh_name("readers");
    let said = async {
        let said = turn::say(cx.bench, &session.id, &marker).await;
        said.map_err(|stop| stop.blocking("srv.append.accepted"))
    };
    let ((whole, resumed), _) = try_join(try_join(whole, resumed), said).await?;
    let new: Vec<Event> = whole
        .events
        .iter()
        .filter(|event| event.seq > head)
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
