use std::sync::Arc;

use super::{
    bench::Bench,
    event::Event,
    log::Log,
    tape::{Tape, ended},
};
use crate::{
    stop::Stop,
    wire::{exchange::Exchange, reading::End, request::Request, sse::Frame},
};

/// A stretch of a stream, frame by frame and as the envelopes in it.
#[derive(Debug, Clone)]
pub(crate) struct Replay {
    pub(crate) frames: Vec<Frame>,
    pub(crate) events: Vec<Event>,
    /// How many frames gave an event of this connection once more.
    pub(crate) repeats: usize,
    pub(crate) evidence: Arc<Exchange>,
}

impl Replay {
    /// Opens a stream and reads until an event at or above `head` arrives.
    pub(crate) async fn through(bench: &Bench, request: Request, head: u64) -> Result<Self, Stop> {
        let mut tape = Tape::open(bench, request).await?;
        let deadline = bench.answer_deadline();
        while tape
            .expect_next(deadline, || format!("the event of seq {head}"))
            .await?
            .seq
            < head
        {}
        Ok(Self::of(tape, bench))
    }

    /// Opens a stream and reads until a settlement above `head` arrives.
    pub(crate) async fn until_settled(
        bench: &Bench,
        session_id: &str,
        request: Request,
        head: u64,
    ) -> Result<Self, Stop> {
        let mut tape = Tape::open(bench, request).await?;
        let deadline = bench.turn_deadline();
        let settles = |event: &Event| event.seq > head && event.settles_session();
        loop {
            match tape.next(deadline).await? {
                Ok(event) if settles(&event) => return Ok(Self::of(tape, bench)),
                Ok(_) => {}
                Err(end) => {
                    let listed = Log::read(bench, session_id).await?;
                    if end == End::Deadline && !listed.events.iter().any(settles) {
                        return Err(Stop::Inconclusive(format!(
                            "the turn did not settle within {:?}; --turn-timeout gives it more",
                            bench.limits.turn
                        )));
                    }
                    let expected = format!("a Session settlement above seq {head}");
                    return Err(Stop::fail(expected, ended(end), &tape.snapshot()));
                }
            }
        }
    }

    /// Opens a stream and reads until the server closes it.
    pub(crate) async fn to_close(bench: &Bench, request: Request) -> Result<Self, Stop> {
        let mut tape = Tape::open(bench, request).await?;
        let deadline = bench.answer_deadline();
        loop {
            match tape.next(deadline).await? {
                Ok(_) => {}
                Err(End::Closed) if tape.is_mid_frame() => {
                    let expected = "a stream that the server closes between frames";
                    return Err(Stop::fail(expected, "half a frame", &tape.snapshot()));
                }
                Err(End::Closed) => return Ok(Self::of(tape, bench)),
                Err(end) => {
                    return Err(Stop::fail(
                        "a stream that the server closes",
                        ended(end),
                        &tape.snapshot(),
                    ));
                }
            }
        }
    }

    fn of(mut tape: Tape, bench: &Bench) -> Self {
        let (frames, events) = (std::mem::take(&mut tape.frames), std::mem::take(&mut tape.events));
        Self {
            frames,
            events,
            repeats: tape.repeats,
            evidence: tape.close(bench),
        }
    }
}
