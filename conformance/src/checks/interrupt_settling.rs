use super::interrupt::interrupt;
use crate::{
    agent::AgentKind,
    check::Check,
    context::{Context, Judgement},
    expect,
    level::Level,
    stimulus::{
        Stimulus,
        event::Event,
        log::Log,
        session::Session,
        tape::Tape,
        turn::{self, Turn},
    },
    stop::Stop,
    wire::request::Request,
};

pub(crate) const CHECKS: &[Check] = &[Check {
    id: "srv.interrupt.settling-finishes",
    title: "An interrupt while output settles is accepted, and settling finishes first: the Run completes.",
    level: Level::Assumed,
    stimulus: Stimulus::Work,
    requirements: &["A-INT"],
    killed_by: &["interrupts-what-settles", "refuses-interrupts"],
    run: |cx| Box::pin(settling_finishes(cx)),
}];

/// How many turns are tried, since output may have settled before the interrupt arrives.
const TURNS: usize = 12;

async fn settling_finishes(cx: &mut Context<'_>) -> Judgement {
    let session = cx.session_of(AgentKind::Reconcile).await?;
    cx.offered("interrupts").await?;
    for _ in 0..TURNS {
        let (turn, settling) = interrupted_turn(cx, &session).await?;
        let Some((reconciling, interrupt)) = settling else {
            continue;
        };
        let behind = turn.log.above(reconciling);
        let end = behind.iter().find(|event| event.settles_run());
        let actual = end.map_or("no end of a Run", |event| event.kind.as_str());
        let expected = format!("run.completed of the Run that was settling at seq {reconciling}");
        expect::that(actual == "run.completed", &turn.log.evidence, expected, actual)?;
        cx.saw(
            format!("settling from seq {reconciling}, interrupted at {interrupt}, and completed"),
            &turn.log.evidence,
        );
        return cx.pass();
    }
    Err(Stop::Inconclusive(format!(
        "in {TURNS} turns no interrupt arrived while output settled"
    )))
}

/// A turn that is interrupted as soon as it is seen to settle, with the seqs of both if the interrupt came in time.
async fn interrupted_turn(cx: &Context<'_>, session: &Session) -> Result<(Turn, Option<(u64, u64)>), Stop> {
    let head = cx.log(&session.id).await?.head();
    let mut tape = Tape::open(cx.bench, Request::get(session.stream()).after(head)).await?;
    let marker = cx.bench.fresh_name("settling");
    let said = turn::say(cx.bench, &session.id, &marker).await;
    said.map_err(|stop| stop.blocking("srv.append.accepted"))?;
    let deadline = cx.bench.turn_deadline();
    let awaited = || "the settlement of the turn on the stream".to_owned();
    loop {
        let event = tape.expect_next(deadline, awaited).await?;
        if event.kind == "session.status_reconciling" {
            cx.accepted(session, &interrupt(cx)).await?;
            break;
        }
        if event.settles_session() {
            break;
        }
    }
    tape.close();
    let turn = turn::settle(cx.bench, &session.id, &marker).await?;
    let place = in_between(&turn.log, head);
    Ok((turn, place))
}

/// The seqs of the reconciling status above `head` and of an interrupt behind it, where nothing had settled yet.
fn in_between(log: &Log, head: u64) -> Option<(u64, u64)> {
    let events = log.above(head);
    let reconciling = events
        .iter()
        .find(|event| event.kind == "session.status_reconciling")?
        .seq;
    let ends = |event: &&Event| event.settles_run() || event.kind == "user.interrupt";
    let next = log.above(reconciling).iter().find(ends)?;
    (next.kind == "user.interrupt").then_some((reconciling, next.seq))
}
