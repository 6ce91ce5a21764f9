use std::sync::Arc;

use tokio::time::Instant;

use super::{bench::Bench, event::Event};
use crate::{
    json,
    stop::Stop,
    wire::{
        exchange::Exchange,
        reading::{End, Reading},
        request::Request,
        sse::Frame,
    },
};

/// A stream being read: the events on it, exact re-deliveries set aside, since delivery is at least once.
pub(crate) struct Tape {
    reading: Reading,
    /// The frames of `events`.
    pub(crate) frames: Vec<Frame>,
    pub(crate) events: Vec<Event>,
    /// How many frames gave an event of this connection once more.
    pub(crate) repeats: usize,
}

impl Tape {
    /// Opens a stream, which has to succeed.
    pub(crate) async fn open(bench: &Bench, request: Request) -> Result<Self, Stop> {
        let reading = bench.open(request).await?;
        Ok(Self {
            reading,
            frames: Vec::new(),
            events: Vec::new(),
            repeats: 0,
        })
    }

    /// The next event, or how the stream ended. A frame that holds no persisted envelope is a failure.
    pub(crate) async fn next(&mut self, deadline: Instant) -> Result<Result<Event, End>, Stop> {
        loop {
            let frame = match self.reading.next_frame(deadline).await {
                Ok(frame) => frame,
                Err(end) => return Ok(Err(end)),
            };
            let event = self.persisted(&frame)?;
            if self.events.contains(&event) {
                self.repeats += 1;
                continue;
            }
            self.frames.push(frame);
            self.events.push(event.clone());
            return Ok(Ok(event));
        }
    }

    /// The next event, which has to come; `awaited` says what it is to be.
    pub(crate) async fn expect_next(
        &mut self,
        deadline: Instant,
        awaited: impl Fn() -> String,
    ) -> Result<Event, Stop> {
        match self.next(deadline).await? {
            Ok(event) => Ok(event),
            Err(end) => Err(Stop::fail(awaited(), ended(end), &self.snapshot())),
        }
    }

    /// A failure whose evidence is the bytes of this frame.
    pub(crate) fn fail_at(
        &self,
        frame: &Frame,
        expected: impl Into<String>,
        actual: impl Into<String>,
    ) -> Stop {
        Stop::fail_with(expected, actual, self.snapshot().excerpt_of(frame.bytes.clone()))
    }

    /// The newest frame and its event.
    pub(crate) fn last(&self) -> Option<(&Frame, &Event)> {
        self.frames.last().zip(self.events.last())
    }

    /// Whether the bytes so far end inside a frame.
    pub(crate) fn is_mid_frame(&self) -> bool {
        self.reading.is_mid_frame()
    }

    /// What was read so far, as an exchange to show.
    pub(crate) fn snapshot(&self) -> Exchange {
        self.reading.snapshot()
    }

    /// Stops reading and keeps what came.
    pub(crate) fn close(self, bench: &Bench) -> Arc<Exchange> {
        bench.close(self.reading)
    }

    fn persisted(&self, frame: &Frame) -> Result<Event, Stop> {
        let data =
            json::read(frame.data.as_bytes()).map_err(|error| format!("data that is not JSON ({error})"));
        data.and_then(|data| Event::read(&data))
            .map_err(|fault| self.fail_at(frame, "a persisted envelope", fault))
    }
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
