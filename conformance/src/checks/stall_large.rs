use crate::{
    agent::AgentKind,
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, bench::Bench, log::Log, session::Session, stalled::Stalled, tape::Tape},
    stop::Stop,
    wire::request::Request,
};

pub(crate) const CHECKS: &[Check] = &[
    Check {
        id: "srv.stream.full-buffers",
        title: "A reader that stalls until every buffer on the way is full loses nothing of what was written meanwhile.",
        level: Level::Documented,
        stimulus: Stimulus::Work,
        requirements: &["STR-7"],
        killed_by: &["full-buffers-lose-the-newest", "full-buffers-lose-the-oldest"],
        run: |cx| Box::pin(full_buffers(cx)),
    },
    Check {
        id: "srv.stream.stall-is-alone",
        title: "A reader that stalls holds back no other stream and no call.",
        level: Level::Derived,
        stimulus: Stimulus::Work,
        requirements: &["STR-7"],
        killed_by: &["a-stall-holds-streams", "a-stall-holds-calls"],
        run: |cx| Box::pin(stall_is_alone(cx)),
    },
];

/// So that a page comes in time where the way is slow.
const FEW: usize = 2;

async fn full_buffers(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::CustomTool).await?;
    let stalled = Stalled::reach(cx.bench, &session).await;
    let Stalled { mut tape, messages } = stalled.map_err(|stop| match stop {
        Stop::Fail(_) => stop.blocking("srv.stream.stall-is-alone"),
        stop => stop,
    })?;
    let log = Log::walk(cx.bench, &session.id, FEW).await?;
    read_through(
        cx.bench,
        &mut tape,
        &log,
        "a reader that comes back to full buffers",
    )
    .await?;
    let events = std::mem::take(&mut tape.events);
    let record = tape.close();
    let evidence = record.last();
    expect::same_events(
        evidence,
        "the stream of a reader that comes back to full buffers",
        &log.events,
        &events,
    )?;
    cx.saw(
        format!(
            "{} events and {messages} long messages among them, none lost",
            events.len()
        ),
        evidence,
    );
    end(cx, &session).await;
    cx.pass()
}

async fn stall_is_alone(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::CustomTool).await?;
    let stalled = Stalled::reach(cx.bench, &session).await?;
    let log = Log::walk(cx.bench, &session.id, FEW).await?;
    cx.saw("the list is answered while a reader stalls", &log.evidence);
    let mut other = Tape::open(cx.bench, Request::get(session.stream())).await?;
    read_through(cx.bench, &mut other, &log, "a reader beside one that stalls").await?;
    cx.saw(
        format!("another reader reads all {} events", log.events.len()),
        &other.snapshot(),
    );
    other.close();
    let neighbour = cx.session().await?;
    let turn = cx.turn(&neighbour).await?;
    cx.saw("a turn of another Session settles", &turn.log.evidence);
    // Held until here.
    stalled.tape.close();
    end(cx, &session).await;
    cx.pass()
}

/// Reads the stream to the head of the log, as slow as it is.
async fn read_through(bench: &Bench, tape: &mut Tape<'_>, log: &Log, reader: &str) -> Result<(), Stop> {
    let head = log.head();
    let awaited = || format!("the event of seq {head} for {reader}");
    while tape.events.last().is_none_or(|event| event.seq < head) {
        tape.expect_next(bench.answer_deadline(), awaited).await?;
    }
    Ok(())
}

/// So that no Agent gets to read the messages. What is not ended here is the matter of the end of the run.
async fn end(cx: &Context<'_>, session: &Session) {
    let cancel = Request::post_empty(format!("{}/cancel", session.path()));
    let _ = cx.bench.mutate(cancel).await;
}
