use std::sync::Arc;

use super::{
    bench::Bench,
    event::Event,
    line::{Framed, Record},
    log::Log,
    tape::{Tape, ended},
};
use crate::{
    stop::Stop,
    wire::{exchange::Exchange, reading::End, request::Request},
};

/// So many connections that end early are no stream that closes.
const JOINS: usize = 20;

/// A stretch of a stream, frame by frame and as the envelopes in it.
#[derive(Debug, Clone)]
pub(crate) struct Replay {
    pub(crate) frames: Vec<Framed>,
    pub(crate) events: Vec<Event>,
    /// How many frames gave an event of this stream once more.
    pub(crate) repeats: usize,
    pub(crate) record: Record,
    /// The last connection.
    pub(crate) evidence: Arc<Exchange>,
}

impl Replay {
    /// Opens a stream and reads until an event at or above `head` arrives.
    pub(crate) async fn through(bench: &Bench, request: Request, head: u64) -> Result<Self, Stop> {
        let mut tape = Tape::open(bench, request).await?;
        let deadline = bench.delivery_deadline(head);
        while tape
            .expect_next(deadline, || format!("the event of seq {head}"))
            .await?
            .seq
            < head
        {}
        Ok(Self::of(tape))
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
                Ok(event) if settles(&event) => return Ok(Self::of(tape)),
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

    /// Opens a stream and reads until the server closes it behind the event of seq `head`; one that ends before is joined
    /// again, as any connection may end.
    pub(crate) async fn to_close(bench: &Bench, request: Request, head: u64) -> Result<Self, Stop> {
        let cursor = request.cursor();
        let mut tape = Tape::open(bench, request).await?;
        let deadline = bench.delivery_deadline(head);
        let mut joins = 0;
        loop {
            let end = match tape.next_here(deadline).await? {
                Ok(_) => continue,
                Err(end) => end,
            };
            let reached = tape.events.last().map(|event| event.seq).or(cursor) >= Some(head);
            if end == End::Closed && reached && !tape.is_mid_frame() {
                return Ok(Self::of(tape));
            }
            if joins >= JOINS || !matches!(end, End::Closed | End::Broken) {
                let (expected, actual) = match (end, tape.is_mid_frame()) {
                    (End::Closed, true) => ("a stream that the server closes between frames", "half a frame"),
                    (End::Closed, false) => ("a stream that shows its last event", ended(end)),
                    _ => ("a stream that the server closes", ended(end)),
                };
                return Err(Stop::fail(expected, actual, &tape.snapshot()));
            }
            joins += 1;
            tape.join().await?;
        }
    }

    /// A failure whose evidence is the bytes of this frame.
    pub(crate) fn fail_at(
        &self,
        framed: &Framed,
        expected: impl Into<String>,
        actual: impl Into<String>,
    ) -> Stop {
        Stop::fail_with(expected, actual, self.record.excerpt_of(framed))
    }

    fn of(mut tape: Tape<'_>) -> Self {
        let (frames, events) = (std::mem::take(&mut tape.frames), std::mem::take(&mut tape.events));
        let repeats = tape.repeats;
        let record = tape.close();
        Self {
            frames,
            events,
            repeats,
            evidence: Arc::clone(record.last()),
            record,
        }
    }
}
