use crate::{
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{Stimulus, event::Event, replay::Replay, tape::Tape, turn},
    wire::request::Request,
};

pub(crate) const CHECKS: &[Check] = &[Check {
    id: "srv.resume.mid-turn",
    title: "A reader that leaves in the middle of a turn and comes back sees the rest of it; the turn goes on and is not begun again.",
    level: Level::Documented,
    requirements: &["STR-2"],
    stimulus: Stimulus::Work,
    killed_by: &["resume-is-inclusive", "reconnect-starts-again"],
    run: |cx| Box::pin(mid_turn(cx)),
}];

async fn mid_turn(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session().await?;
    let head = cx.log(&session.id).await?.head();
    let mut tape = Tape::open(cx.bench, Request::get(session.stream()).after(head)).await?;
    let marker = cx.bench.fresh_name("left");
    let said = turn::say(cx.bench, &session.id, &marker).await;
    said.map_err(|stop| stop.blocking("srv.append.accepted"))?;
    let awaited = || "the first event of the turn on the stream".to_owned();
    let first = tape.expect_next(cx.bench.answer_deadline(), awaited).await?;
    tape.close();
    let back = Request::get(session.stream()).after(first.seq);
    let rest = Replay::until_settled(cx.bench, &session.id, back, head).await?;
    let log = cx.rested(&session.id).await?;
    let last = rest.events.last().map_or(0, |event| event.seq);
    let listed: Vec<Event> = log
        .above(first.seq)
        .iter()
        .filter(|event| event.seq <= last)
        .cloned()
        .collect();
    let what = format!("the stream of a turn, left at seq {}", first.seq);
    expect::same_events(&rest.evidence, &what, &listed, &rest.events)?;
    cx.saw(
        format!("{} events of the turn came behind it", listed.len()),
        &rest.evidence,
    );
    let inputs = log
        .above(head)
        .iter()
        .filter(|event| event.kind == "user.message")
        .count();
    expect::that(
        inputs == 1,
        &log.evidence,
        "the one message of the turn in the log behind the reconnect",
        format!("{inputs} messages"),
    )?;
    cx.saw("the reconnect began nothing again", &log.evidence);
    cx.pass()
}
