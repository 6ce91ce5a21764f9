use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{
        event::Event,
        long,
        session::Session,
        tape::{Tape, ended},
    },
    stop::Stop,
    wire::{reading::End, request::Request},
};

/// How much is written while a reader does not read.
const BACKLOG: usize = 150;
/// More reconnects than this are no reading.
const CONNECTIONS: usize = 20;

pub(crate) const CHECKS: &[Check] = &[Check {
    id: "srv.stream.stalled-reader",
    title: "A reader that stalls while much is written loses nothing of it.",
    level: Level::Documented,
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
    let mut events = Vec::new();
    for _ in 0..CONNECTIONS {
        let whole = drain(cx, &mut tape, log.head()).await?;
        events.append(&mut tape.events);
        if whole {
            let evidence = tape.close(cx.bench);
            expect::same_events(
                &evidence,
                "the stream of a reader that stalled",
                &log.events,
                &events,
            )?;
            cx.saw(
                format!("{} events after a stall, none lost", events.len()),
                &evidence,
            );
            return cx.pass();
        }
        tape = resumed(cx, &session, &events).await?;
    }
    Err(Stop::Inconclusive(format!(
        "the stream was closed {CONNECTIONS} times before its end"
    )))
}

/// Reads up to `head`; false where the connection ended before, as any connection may.
async fn drain(cx: &Context<'_>, tape: &mut Tape, head: u64) -> Result<bool, Stop> {
    let deadline = cx.bench.answer_deadline();
    loop {
        match tape.next(deadline).await? {
            Ok(event) if event.seq >= head => return Ok(true),
            Ok(_) => {}
            Err(End::Closed | End::Broken) => return Ok(false),
            Err(end) => {
                let expected = format!("the event of seq {head} for a reader that stalled");
                return Err(Stop::fail(expected, ended(end), &tape.snapshot()));
            }
        }
    }
}

async fn resumed(cx: &Context<'_>, session: &Session, events: &[Event]) -> Result<Tape, Stop> {
    let cursor = events.last().map_or(0, |event| event.seq);
    Tape::open(cx.bench, Request::get(session.stream()).after(cursor)).await
}
