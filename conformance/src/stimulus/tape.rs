use std::collections::HashMap;

use tokio::time::Instant;

use super::{
    bench::Bench,
    event::Event,
    line::{Framed, Line, Record},
};
use crate::{
    json,
    stop::Stop,
    wire::{exchange::Exchange, reading::End, request::Request},
};

/// A stream being read: the events on it, exact re-deliveries set aside, since delivery is at least once.
pub(crate) struct Tape<'run> {
    line: Line<'run>,
    /// The frames of `events`.
    pub(crate) frames: Vec<Framed>,
    pub(crate) events: Vec<Event>,
    /// How many frames gave an event of this stream once more.
    pub(crate) repeats: usize,
    /// Where the events with each id stand.
    places: HashMap<String, Vec<usize>>,
}

impl<'run> Tape<'run> {
    /// Opens a stream, which has to succeed.
    pub(crate) async fn open(bench: &'run Bench, request: Request) -> Result<Self, Stop> {
        Ok(Self {
            line: Line::open(bench, request).await?,
            frames: Vec::new(),
            events: Vec::new(),
            repeats: 0,
            places: HashMap::new(),
        })
    }

    /// The next event, over as many connections as it takes, or how the stream ended. A frame that holds no persisted
    /// envelope is a failure.
    pub(crate) async fn next(&mut self, deadline: Instant) -> Result<Result<Event, End>, Stop> {
        loop {
            let cursor = self.events.last().map(|event| event.seq);
            match self.line.next(deadline, cursor).await? {
                Ok(framed) => {
                    if let Some(event) = self.take(framed)? {
                        return Ok(Ok(event));
                    }
                }
                Err(end) => return Ok(Err(end)),
            }
        }
    }

    /// The next event of this connection, or how the connection ended.
    pub(crate) async fn next_here(&mut self, deadline: Instant) -> Result<Result<Event, End>, Stop> {
        loop {
            match self.line.next_here(deadline).await {
                Ok(framed) => {
                    if let Some(event) = self.take(framed)? {
                        return Ok(Ok(event));
                    }
                }
                Err(end) => return Ok(Err(end)),
            }
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
            Err(end) => Err(self.disorder().unwrap_or_else(|| {
                let last = match self.events.last() {
                    Some(event) => format!("behind seq {}", event.seq),
                    None => "and no event before".to_owned(),
                };
                Stop::fail(awaited(), format!("{}, {last}", ended(end)), &self.snapshot())
            })),
        }
    }

    /// The first event whose seq is not above that of the one before. Who waits in vain for an event has to hear of it first.
    fn disorder(&self) -> Option<Stop> {
        let place = self
            .events
            .windows(2)
            .position(|pair| pair[0].seq >= pair[1].seq)?;
        let (before, event) = (&self.events[place], &self.events[place + 1]);
        Some(self.fail_at(
            &self.frames[place + 1],
            format!(
                "a seq above {} behind {} ({})",
                before.seq, before.id, before.kind
            ),
            format!("seq {} of {} ({})", event.seq, event.id, event.kind),
        ))
    }

    /// Joins again behind the last event.
    pub(crate) async fn join(&mut self) -> Result<(), Stop> {
        self.line.join(self.events.last().map(|event| event.seq)).await
    }

    /// A failure whose evidence is the bytes of this frame.
    pub(crate) fn fail_at(
        &self,
        framed: &Framed,
        expected: impl Into<String>,
        actual: impl Into<String>,
    ) -> Stop {
        Stop::fail_with(expected, actual, self.line.excerpt_of(framed))
    }

    /// The newest frame and its event.
    pub(crate) fn last(&self) -> Option<(&Framed, &Event)> {
        self.frames.last().zip(self.events.last())
    }

    /// Whether the bytes so far end inside a frame.
    pub(crate) fn is_mid_frame(&self) -> bool {
        self.line.is_mid_frame()
    }

    /// What was read over this connection so far, as an exchange to show.
    pub(crate) fn snapshot(&self) -> Exchange {
        self.line.snapshot()
    }

    /// Stops reading and keeps what came.
    pub(crate) fn close(self) -> Record {
        self.line.close()
    }

    /// The event in a frame, unless it came before.
    fn take(&mut self, framed: Framed) -> Result<Option<Event>, Stop> {
        let data = json::read(framed.frame.data.as_bytes())
            .map_err(|error| format!("data that is not JSON ({error})"));
        let event = data
            .and_then(|data| Event::read(&data))
            .map_err(|fault| self.fail_at(&framed, "a persisted envelope", fault))?;
        let places = self.places.entry(event.id.clone()).or_default();
        if places.iter().any(|place| self.events.get(*place) == Some(&event)) {
            self.repeats += 1;
            return Ok(None);
        }
        places.push(self.events.len());
        self.frames.push(framed);
        self.events.push(event.clone());
        Ok(Some(event))
    }
}

/// How the end of a stream reads in a report.
pub(crate) fn ended(end: End) -> &'static str {
    match end {
        End::Closed => "the server closed the stream",
        End::Broken => "the connection broke",
        End::Deadline => "nothing more within the limit, on an open connection",
        End::TooLarge => "more bytes than any answer needs",
    }
}
