use std::sync::Arc;

use serde_json::Value;
use tokio::time::Instant;

use super::{bench::Bench, event::Event};
use crate::{
    stop::Stop,
    wire::{
        exchange::Exchange,
        reading::{End, Reading},
        request::Request,
        sse::Frame,
    },
};

/// A stretch of a stream, frame by frame and as the envelopes in it.
#[derive(Debug, Clone)]
pub(crate) struct Replay {
    pub(crate) frames: Vec<Frame>,
    pub(crate) events: Vec<Event>,
    pub(crate) evidence: Arc<Exchange>,
}

impl Replay {
    /// Opens a stream and reads until an event at or above `head` arrives.
    pub(crate) async fn through(bench: &Bench, request: Request, head: u64) -> Result<Self, Stop> {
        let awaited = || format!("the event of seq {head}");
        Self::until(bench, request, bench.answer_deadline(), awaited, |event| {
            event.seq >= head
        })
        .await
    }

    /// Opens a stream and reads until a settlement above `head` arrives.
    pub(crate) async fn until_settled(bench: &Bench, request: Request, head: u64) -> Result<Self, Stop> {
        let awaited = || format!("a Session settlement above seq {head}");
        let settled = |event: &Event| event.seq > head && event.settles_session();
        Self::until(bench, request, bench.turn_deadline(), awaited, settled).await
    }

    /// Opens a stream and reads until the server closes it.
    pub(crate) async fn to_close(bench: &Bench, request: Request) -> Result<Self, Stop> {
        let mut reading = bench.open(request).await?;
        let deadline = bench.answer_deadline();
        let (mut frames, mut events) = (Vec::new(), Vec::new());
        loop {
            let frame = match reading.next_frame(deadline).await {
                Ok(frame) => frame,
                Err(End::Closed) if reading.is_mid_frame() => {
                    return Err(Stop::fail(
                        "a stream closed between frames",
                        "half a frame",
                        &reading.snapshot(),
                    ));
                }
                Err(End::Closed) => {
                    return Ok(Self {
                        frames,
                        events,
                        evidence: bench.close(reading),
                    });
                }
                Err(end) => {
                    return Err(Stop::fail(
                        "a stream that the server closes",
                        ended(end),
                        &reading.snapshot(),
                    ));
                }
            };
            events.push(persisted(&reading, &frame)?);
            frames.push(frame);
        }
    }

    async fn until(
        bench: &Bench,
        request: Request,
        deadline: Instant,
        awaited: impl Fn() -> String + Send + Sync,
        last: impl Fn(&Event) -> bool + Send + Sync,
    ) -> Result<Self, Stop> {
        let mut reading = bench.open(request).await?;
        let (mut frames, mut events) = (Vec::new(), Vec::new());
        loop {
            let (frame, event) = next_event(&mut reading, deadline, &awaited).await?;
            let done = last(&event);
            frames.push(frame);
            events.push(event);
            if done {
                return Ok(Self {
                    frames,
                    events,
                    evidence: bench.close(reading),
                });
            }
        }
    }
}

/// The next frame of a stream, which has to hold a persisted envelope.
pub(crate) async fn next_event(
    reading: &mut Reading,
    deadline: Instant,
    awaited: impl Fn() -> String,
) -> Result<(Frame, Event), Stop> {
    let frame = match reading.next_frame(deadline).await {
        Ok(frame) => frame,
        Err(end) => return Err(Stop::fail(awaited(), ended(end), &reading.snapshot())),
    };
    let event = persisted(reading, &frame)?;
    Ok((frame, event))
}

/// How the end of a stream reads in a report.
pub(crate) fn ended(end: End) -> &'static str {
    match end {
        End::Closed => "the server closed the stream",
        End::Broken => "the connection broke",
        End::Deadline => "nothing more within the limit",
        End::TooLarge => "more bytes than any answer needs",
    }
}

fn persisted(reading: &Reading, frame: &Frame) -> Result<Event, Stop> {
    let data = serde_json::from_str::<Value>(&frame.data)
        .map_err(|error| format!("data that is not JSON ({error})"));
    data.and_then(|data| Event::read(&data)).map_err(|fault| {
        Stop::fail_with(
            "a persisted envelope",
            fault,
            reading.snapshot().excerpt_of(frame.bytes.clone()),
        )
    })
}
