use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, event::Event, log::Log, long, replay::Replay},
    stop::Stop,
    wire::request::Request,
};

pub(crate) const CHECKS: &[Check] = &[Check {
    id: "srv.resume.deep-in-the-log",
    title: "Deep in a log of more than one default page, stream and list go on right behind a cursor as well.",
    level: Level::Documented,
    stimulus: Stimulus::Create,
    requirements: &["STR-2", "LST-2"],
    killed_by: &["stream-skips-one-deep-down", "list-skips-one-deep-down"],
    run: |cx| Box::pin(deep_in_the_log(cx)),
}];

/// More than a default page holds.
const EVENTS: usize = 130;
/// How many events lie between two cursors.
const STEP: usize = 9;

async fn deep_in_the_log(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    cx.offered("interrupts").await?;
    long::fill(cx.bench, &session, EVENTS).await?;
    let log = cx.log(&session.id).await?;
    if log.events.len() < EVENTS {
        let why = format!("it takes a long log, and there are {} events", log.events.len());
        return Err(Stop::Inconclusive(why));
    }
    let cursors = log.events.iter().step_by(STEP).map(|event| event.seq);
    for cursor in cursors.filter(|cursor| *cursor < log.head()) {
        let rest: &[Event] = log.above(cursor);
        let resume = Request::get(session.stream()).after(cursor);
        let stream = Replay::through(cx.bench, resume, log.head()).await?;
        let what = format!("the stream after {cursor}, deep in the log");
        expect::same_events(&stream.evidence, &what, rest, &stream.events)?;
        let list = Log::walk_after(cx.bench, &session.id, cursor).await?;
        let what = format!("the list after {cursor}, deep in the log");
        expect::same_events(&list.evidence, &what, rest, &list.events)?;
        cx.saw(
            format!("{} events after {cursor}, by stream and list", rest.len()),
            &stream.evidence,
        );
    }
    cx.pass()
}
