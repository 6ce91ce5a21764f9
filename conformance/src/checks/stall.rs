use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, long, tape::Tape},
    wire::request::Request,
};

/// How much is written while a reader does not read.
const BACKLOG: usize = 150;

pub(crate) const CHECKS: &[Check] = &[Check {
    id: "srv.stream.stalled-reader",
    title: "A reader that stalls while much is written loses nothing of it.",
    level: Level::Documented,
    stimulus: Stimulus::Create,
    requirements: &["STR-7"],
    killed_by: &["stalled-reader-misses-some", "stalled-reader-jumps-ahead"],
    run: |cx| Box::pin(stalled_reader(cx)),
}];

async fn stalled_reader(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    cx.offered("interrupts").await?;
    let mut tape = Tape::open(cx.bench, Request::get(session.stream())).await?;
    let awaited = || "the first event of the log".to_owned();
    tape.expect_next(cx.bench.answer_deadline(), awaited).await?;
    long::fill(cx.bench, &session, BACKLOG).await?;
    let log = cx.log(&session.id).await?;
    let deadline = cx.bench.delivery_deadline(log.head());
    let expected = || format!("the event of seq {} for a reader that stalled", log.head());
    while tape.expect_next(deadline, expected).await?.seq < log.head() {}
    let events = std::mem::take(&mut tape.events);
    let record = tape.close();
    let evidence = record.last();
    expect::same_events(
        evidence,
        "the stream of a reader that stalled",
        &log.events,
        &events,
    )?;
    cx.saw(
        format!("{} events after a stall, none lost", events.len()),
        evidence,
    );
    cx.pass()
}
