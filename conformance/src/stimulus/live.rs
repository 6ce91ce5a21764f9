use std::sync::Arc;

use tokio::time::Instant;

use super::{
    bench::Bench,
    event::Event,
    log::{LARGEST_PAGE, Log},
    session::Session,
    tape::{Tape, ended},
    turn,
};
use crate::{
    expect,
    stop::Stop,
    wire::{exchange::Exchange, reading::End, request::Request},
};

/// A connection may end for reasons that are nobody's fault; one that ends so often is no accident.
const ATTEMPTS: usize = 16;

/// A stream from the start that went on with what was written after its replay, on one connection.
#[derive(Debug)]
pub(crate) struct Live {
    /// The first event behind the replay.
    pub(crate) event: Event,
    /// How many events were replayed.
    pub(crate) replayed: usize,
    pub(crate) evidence: Arc<Exchange>,
}

/// Why one connection did not show it.
enum Missed {
    /// The connection ended in this phase.
    Ended(Phase, Stop),
    /// Whatever else.
    Otherwise(Stop),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Phase {
    Replay,
    Live,
}

impl Live {
    /// Opens the stream beside the list, reads the replay, says something to the Session and reads on; `awaited` says what
    /// has to come then. Once more, on another connection, where one ends.
    pub(crate) async fn reach(
        bench: &Bench,
        session: &Session,
        (list, stream): (&str, &str),
        awaited: &str,
    ) -> Result<Self, Stop> {
        let mut furthest: Option<(Phase, Stop)> = None;
        for _ in 0..ATTEMPTS {
            match attempt(bench, session, (list, stream), awaited).await {
                Ok(live) => return Ok(live),
                Err(Missed::Otherwise(stop)) => return Err(stop),
                Err(Missed::Ended(phase, stop)) => {
                    if furthest.as_ref().is_none_or(|(most, _)| phase >= *most) {
                        furthest = Some((phase, stop));
                    }
                }
            }
        }
        let (_, stop) = furthest.ok_or_else(|| Stop::Error("no attempt was made".to_owned()))?;
        Err(stop)
    }
}

async fn attempt(
    bench: &Bench,
    session: &Session,
    (list, stream): (&str, &str),
    awaited: &str,
) -> Result<Live, Missed> {
    let listed = Log::walk_at(bench, list, LARGEST_PAGE).await?;
    let head = listed.head();
    let mut tape = Tape::open(bench, Request::get(stream)).await?;
    let deadline = bench.answer_deadline();
    while tape.events.last().map_or(0, |event| event.seq) < head {
        let awaited = format!("the replay up to seq {head}");
        next(&mut tape, deadline, Phase::Replay, &awaited).await?;
    }
    expect::same_events(&tape.snapshot(), "the replay", &listed.events, &tape.events)?;
    let marker = bench.fresh_name("live");
    let said = turn::say(bench, &session.id, &marker).await;
    said.map_err(|stop| stop.blocking("srv.append.accepted"))?;
    let event = next(&mut tape, bench.answer_deadline(), Phase::Live, awaited).await?;
    if let Some((framed, event)) = tape.last().filter(|(_, event)| event.seq <= head) {
        let expected = format!("an event above {head}");
        return Err(tape
            .fail_at(framed, expected, format!("seq {}", event.seq))
            .into());
    }
    Ok(Live {
        event,
        replayed: listed.events.len(),
        evidence: Arc::clone(tape.close().last()),
    })
}

async fn next(tape: &mut Tape<'_>, deadline: Instant, phase: Phase, awaited: &str) -> Result<Event, Missed> {
    match tape.next_here(deadline).await? {
        Ok(event) => Ok(event),
        Err(end) => {
            let stop = Stop::fail(awaited, ended(end), &tape.snapshot());
            match end {
                End::Closed | End::Broken => Err(Missed::Ended(phase, stop)),
                End::Deadline | End::TooLarge => Err(Missed::Otherwise(stop)),
            }
        }
    }
}

impl From<Stop> for Missed {
    fn from(stop: Stop) -> Self {
        Self::Otherwise(stop)
    }
}
