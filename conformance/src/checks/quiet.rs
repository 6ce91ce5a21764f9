use futures::future::try_join;
use tokio::time::Instant;

use super::child::{result, twins, went_on};
use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{
        Stimulus,
        bench::Bench,
        log::{LARGEST_PAGE, Log},
        quiet::keep_quiet,
        tape::Tape,
        thread, turn,
    },
    stop::Stop,
    wire::request::Request,
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.stream.outlives-silence",
        title: "A stream that had nothing to show for seconds shows the next turn whole, and after another silence the one after it.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["STR-1", "LST-3"],
        killed_by: &[
            "streams-fall-silent-in-time",
            "streams-fall-silent-after-a-heartbeat",
            "streams-fall-silent-after-a-turn",
            "silence-costs-an-event",
        ],
        run: |cx| Box::pin(outlives_silence(cx)),
    },
    Check {
        id: "srv.thread.stream-outlives-silence",
        title: "The streams of a child that waits for seconds, and of the primary thread, show what its answer sets off.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["THR-6"],
        killed_by: &[
            "streams-of-children-fall-silent",
            "stream-of-the-primary-falls-silent",
        ],
        run: |cx| Box::pin(thread_outlives_silence(cx)),
    },
];

/// How many times the stream is silent.
const SILENCES: usize = 2;

async fn outlives_silence(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    let mut tape = open(cx.bench, &session.events(), &session.stream()).await?;
    for silence in 1..=SILENCES {
        keep_quiet(&mut tape, silence_end(cx)).await?;
        let marker = cx.bench.fresh_name("silence");
        let said = turn::say(cx.bench, &session.id, &marker).await;
        said.map_err(|stop| stop.blocking("srv.append.accepted"))?;
        let turn = turn::settle(cx.bench, &session.id, &marker).await;
        let turn = turn.map_err(|stop| stop.blocking("srv.turn.settles"))?;
        let what = format!("the stream behind silence {silence}");
        shows(cx.bench, &mut tape, &turn.log, &what).await?;
        cx.saw(
            format!("after {:?} of silence came the turn", cx.bench.limits.silence),
            &tape.snapshot(),
        );
    }
    tape.close();
    cx.pass()
}

async fn thread_outlives_silence(cx: &mut Context<'_>) -> Judgement {
    let (family, [child, _], call) = twins(cx).await?;
    let primary = family.threads.primary()?;
    let thread = thread::path(&family.session.id, &child);
    let (events, stream) = (format!("{thread}/events"), format!("{thread}/stream"));
    let mut of_child = open(cx.bench, &events, &stream).await?;
    let mut of_primary = open(cx.bench, &primary.events(), &primary.stream()).await?;
    let end = silence_end(cx);
    try_join(keep_quiet(&mut of_child, end), keep_quiet(&mut of_primary, end)).await?;
    let body = result(cx, &call, Some(&child));
    let answer = cx
        .bench
        .mutate(Request::post(family.session.events(), &body))
        .await?;
    let set_up = |stop: Stop| stop.blocking("srv.child.call-on-the-session");
    expect::success(&answer).map_err(set_up)?;
    let primary_events = primary.events();
    let went_on = |family: &_| went_on(family, &child);
    let family = family.until(cx.bench, "a child that goes on", went_on).await;
    family.map_err(set_up)?;
    for (path, tape, what) in [
        (&events, &mut of_child, "the child's stream behind the silence"),
        (
            &primary_events,
            &mut of_primary,
            "the primary thread's stream behind the silence",
        ),
    ] {
        let list = Log::walk_at(cx.bench, path, LARGEST_PAGE).await?;
        shows(cx.bench, tape, &list, what).await?;
        cx.saw(
            format!("{what} has all {} events", list.events.len()),
            &tape.snapshot(),
        );
    }
    of_child.close();
    of_primary.close();
    cx.pass()
}

fn silence_end(cx: &Context<'_>) -> Instant {
    Instant::now() + cx.bench.limits.silence
}

/// A stream from the start that has shown all that is listed.
async fn open<'run>(bench: &'run Bench, list: &str, stream: &str) -> Result<Tape<'run>, Stop> {
    let list = Log::walk_at(bench, list, LARGEST_PAGE).await?;
    let mut tape = Tape::open(bench, Request::get(stream)).await?;
    read_through(bench, &mut tape, list.head(), "the stream before its silence").await?;
    Ok(tape)
}

/// The stream shows the list to its end.
async fn shows(bench: &Bench, tape: &mut Tape<'_>, list: &Log, what: &str) -> Result<(), Stop> {
    read_through(bench, tape, list.head(), what).await?;
    let last = list.head();
    let shown: Vec<_> = tape
        .events
        .iter()
        .filter(|event| event.seq <= last)
        .cloned()
        .collect();
    expect::same_events(&tape.snapshot(), what, &list.events, &shown)
}

async fn read_through(bench: &Bench, tape: &mut Tape<'_>, head: u64, what: &str) -> Result<(), Stop> {
    let deadline = bench.answer_deadline();
    let awaited = || format!("{what} to come to seq {head}");
    while tape.events.last().is_none_or(|event| event.seq < head) {
        tape.expect_next(deadline, awaited).await?;
    }
    Ok(())
}
