use std::sync::Arc;

use serde_json::Value;

use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, log::Log, replay::Replay, tape::Tape, turn},
    wire::request::Request,
};

/// The most cursors that are tried one by one.
const CUTS: usize = 64;

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.resume.every-cut",
        title: "Whatever event a reader stopped at, resuming gives exactly the rest, and starts nothing again.",
        level: Level::Documented,
        stimulus: Stimulus::Read,
        requirements: &["STR-2"],
        killed_by: &[
            "resume-is-inclusive",
            "resume-ignores-the-cursor",
            "resume-skips-one",
            "reconnect-starts-again",
            "server:resume_is_inclusive",
            "server:resume_loses_event",
            "server:resume_starts_over",
        ],
        run: |cx| Box::pin(every_cut(cx)),
    },
    Check {
        id: "srv.resume.at-head",
        title: "Resumed at the head, a stream begins with the next event appended.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["STR-2"],
        killed_by: &[
            "resume-is-inclusive",
            "resume-ignores-the-cursor",
            "server:resume_is_inclusive",
            "server:resume_loses_event",
            "server:resume_starts_over",
        ],
        run: |cx| Box::pin(at_head(cx)),
    },
    Check {
        id: "srv.resume.zero-is-the-start",
        title: "The cursor 0 is the same as none, for stream and list.",
        level: Level::Derived,
        stimulus: Stimulus::Read,
        requirements: &["A-SEQ"],
        killed_by: &["zero-skips-the-first"],
        run: |cx| Box::pin(zero_is_the_start(cx)),
    },
    Check {
        id: "srv.resume.ahead-of-head",
        title: "A stream cursor above the head is refused with the last seq.",
        level: Level::Assumed,
        stimulus: Stimulus::Read,
        requirements: &["A-GAP"],
        killed_by: &[
            "waits-ahead-of-the-head",
            "ahead-without-last-seq",
            "server:ahead_is_head",
        ],
        run: |cx| Box::pin(ahead_of_head(cx)),
    },
    Check {
        id: "srv.resume.bad-cursor",
        title: "A stream cursor that is no decimal number is refused, not taken for none.",
        level: Level::Assumed,
        stimulus: Stimulus::Read,
        requirements: &["A-GAP"],
        killed_by: &["bad-cursor-is-none"],
        run: |cx| Box::pin(bad_cursor(cx)),
    },
];

async fn every_cut(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let log = settled.log();
    let head = log.head();
    let step = log.events.len().div_ceil(CUTS).max(1);
    for event in log.events.iter().filter(|event| event.seq < head).step_by(step) {
        let request = Request::get(settled.session.stream()).after(event.seq);
        let replay = Replay::through(cx.bench, request, head).await?;
        let what = format!("the stream after {}", event.seq);
        expect::same_events(&replay.evidence, &what, log.above(event.seq), &replay.events)?;
        cx.saw(
            format!("after {} come exactly {} events", event.seq, replay.events.len()),
            &replay.evidence,
        );
    }
    let now = cx.log(&settled.session.id).await?;
    log.expect_unchanged(&now, "the log after the reconnects")?;
    cx.saw("the reconnects left the log as it was", &now.evidence);
    cx.pass()
}

async fn at_head(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    let before = cx.turn(&session).await?.log;
    let mut tape = Tape::open(cx.bench, Request::get(session.stream()).after(before.head())).await?;
    let marker = cx.bench.fresh_name("head");
    turn::say(cx.bench, &session.id, &marker)
        .await
        .map_err(|stop| stop.blocking("srv.append.accepted"))?;
    let awaited = || "the appended event on the resumed stream".to_owned();
    let first = tape.expect_next(cx.bench.answer_deadline(), awaited).await?;
    let evidence = Arc::clone(tape.close().last());
    let now = cx.log(&session.id).await?;
    let expected = now
        .above(before.head())
        .first()
        .map(|event| event.raw.clone())
        .unwrap_or_default();
    expect::equal(&evidence, "the first event after the head", &expected, &first.raw)?;
    cx.saw(
        format!("after {} the stream began with seq {}", before.head(), first.seq),
        &evidence,
    );
    cx.pass()
}

async fn zero_is_the_start(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let log = settled.log();
    let replay = Replay::through(
        cx.bench,
        Request::get(settled.session.stream()).after(0),
        log.head(),
    )
    .await?;
    expect::same_events(
        &replay.evidence,
        "the stream after 0",
        &log.events,
        &replay.events,
    )?;
    cx.saw("the stream after 0 begins at the start", &replay.evidence);
    let list = Log::walk_after(cx.bench, &settled.session.id, 0).await?;
    expect::same_events(&list.evidence, "the list after 0", &log.events, &list.events)?;
    cx.saw("the list after 0 begins at the start", &list.evidence);
    cx.pass()
}

async fn ahead_of_head(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    let head = settled.log().head();
    for cursor in [head.saturating_add(1), head.saturating_add(1000)] {
        let answer = cx
            .open_refused(Request::get(settled.session.stream()).after(cursor))
            .await?;
        let body = expect::error(&answer, 409, "runtime.cursor_ahead")?;
        let last = expect::member(&answer, &body, "/error/details/last_seq")?;
        expect::equal(&answer, "last_seq", &Value::from(head), last)?;
        cx.saw(format!("{cursor} is refused, the head being {head}"), &answer);
    }
    cx.pass()
}

async fn bad_cursor(cx: &mut Context<'_>) -> Judgement {
    let settled = cx.settled().await?;
    for cursor in ["evt_1", "-1", "1.5", "0x1"] {
        let answer = cx
            .open_refused(Request::get(settled.session.stream()).after(cursor))
            .await?;
        expect::error(&answer, 400, "request.invalid_cursor")?;
        cx.saw(format!("{cursor} is refused"), &answer);
    }
    cx.pass()
}
