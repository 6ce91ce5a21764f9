use std::sync::Arc;

use serde_json::Value;
use tokio::time::Instant;

use super::{
    bench::Bench,
    event::Event,
    line::{Framed, Line, Record},
    tape::ended,
};
use crate::{
    stop::Stop,
    wire::{exchange::Exchange, reading::End, request::Request},
};

/// A stream that may show previews, being read.
pub(crate) struct Watch<'run> {
    line: Line<'run>,
    pub(crate) seen: Vec<Seen>,
}

/// What a stream with previews showed, read to a settlement.
#[derive(Debug)]
pub(crate) struct Watched {
    pub(crate) seen: Vec<Seen>,
    record: Record,
    /// The last connection.
    pub(crate) evidence: Arc<Exchange>,
}

/// One frame of such a stream.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Seen {
    Preview(Preview),
    Event(Event),
}

/// A frame that shows something before it is there.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Preview {
    pub(crate) framed: Framed,
    pub(crate) data: Value,
    /// Whether it announces an event rather than adds to one.
    pub(crate) is_start: bool,
}

impl Preview {
    /// The id of the event that it is of; its members may stand under payload or beside it.
    pub(crate) fn event_id(&self) -> Option<&str> {
        let pointer = if self.is_start { "/event/id" } else { "/event_id" };
        self.member(pointer)?.as_str()
    }

    /// The type of the event that it announces.
    pub(crate) fn event_type(&self) -> Option<&str> {
        self.member("/event/type")?.as_str()
    }

    /// The text that it adds, and to which block.
    pub(crate) fn text(&self) -> Option<(u64, &str)> {
        let index = self.member("/delta/index").and_then(Value::as_u64).unwrap_or(0);
        Some((index, self.member("/delta/content/text")?.as_str()?))
    }

    fn member(&self, pointer: &str) -> Option<&Value> {
        let payload = self.data.get("payload").unwrap_or(&self.data);
        payload.pointer(pointer)
    }
}

impl<'run> Watch<'run> {
    /// Opens a stream, which has to succeed, and reads until an event at or above `head` arrives.
    pub(crate) async fn open(bench: &'run Bench, request: Request, head: u64) -> Result<Self, Stop> {
        let mut watch = Self {
            line: Line::open(bench, request).await?,
            seen: Vec::new(),
        };
        watch.through(bench, head).await?;
        Ok(watch)
    }

    /// Reads until an event at or above `head` arrives.
    pub(crate) async fn through(&mut self, bench: &Bench, head: u64) -> Result<(), Stop> {
        let expected = format!("the event of seq {head}");
        self.read(bench.delivery_deadline(head), &expected, |event| {
            event.seq >= head
        })
        .await
    }

    /// Reads until a settlement above `head` arrives.
    pub(crate) async fn until_settled(mut self, bench: &Bench, head: u64) -> Result<Watched, Stop> {
        let expected = format!("a Session settlement above seq {head}");
        let settles = |event: &Event| event.seq > head && event.settles_session();
        self.read(bench.turn_deadline(), &expected, settles).await?;
        Ok(self.close())
    }

    /// Stops reading and keeps what came.
    pub(crate) fn close(self) -> Watched {
        let record = self.line.close();
        Watched {
            seen: self.seen,
            evidence: Arc::clone(record.last()),
            record,
        }
    }

    async fn read(
        &mut self,
        deadline: Instant,
        expected: &str,
        done: impl Fn(&Event) -> bool,
    ) -> Result<(), Stop> {
        loop {
            let seen = match self.line.next(deadline, self.cursor()).await? {
                Ok(framed) => self.classified(framed)?,
                Err(End::Deadline) if expected.starts_with("a Session settlement") => {
                    return Err(Stop::Inconclusive(format!(
                        "{expected} did not come; --turn-timeout gives it more"
                    )));
                }
                Err(end) => return Err(Stop::fail(expected, ended(end), &self.line.snapshot())),
            };
            let last = matches!(&seen, Seen::Event(event) if done(event));
            self.seen.push(seen);
            if last {
                return Ok(());
            }
        }
    }

    /// Where to join again: behind the last persisted event, whatever was previewed since.
    fn cursor(&self) -> Option<u64> {
        self.seen.iter().rev().find_map(|seen| match seen {
            Seen::Event(event) => Some(event.seq),
            Seen::Preview(_) => None,
        })
    }

    fn classified(&self, framed: Framed) -> Result<Seen, Stop> {
        let fault = |fault: String| {
            let wire = self.line.excerpt_of(&framed);
            Stop::fail_with("a preview or a persisted envelope", fault, wire)
        };
        let frame = &framed.frame;
        let data: Value = crate::json::read(frame.data.as_bytes())
            .map_err(|error| fault(format!("data that is not JSON ({error})")))?;
        let kind = data["type"]
            .as_str()
            .or(frame.event.as_deref())
            .unwrap_or_default();
        let is_start = kind == "event_start";
        if is_start || kind == "event_delta" {
            return Ok(Seen::Preview(Preview {
                framed,
                data,
                is_start,
            }));
        }
        let event = Event::read(&data).map_err(fault)?;
        Ok(Seen::Event(event))
    }
}

impl Watched {
    pub(crate) fn previews(&self) -> impl Iterator<Item = &Preview> {
        self.seen.iter().filter_map(|seen| match seen {
            Seen::Preview(preview) => Some(preview),
            Seen::Event(_) => None,
        })
    }

    /// The persisted events, exact re-deliveries left out.
    pub(crate) fn events(&self) -> Vec<Event> {
        let mut events: Vec<Event> = Vec::new();
        for seen in &self.seen {
            if let Seen::Event(event) = seen
                && !events.contains(event)
            {
                events.push(event.clone());
            }
        }
        events
    }

    /// The previews, of which there has to be one for anything to be judged.
    pub(crate) fn some_previews(&self) -> Result<Vec<&Preview>, Stop> {
        let previews: Vec<_> = self.previews().collect();
        if previews.is_empty() {
            let why = "no preview came, and a server may drop them".to_owned();
            return Err(Stop::Inconclusive(why));
        }
        Ok(previews)
    }

    /// A failure whose evidence is the bytes of this preview.
    pub(crate) fn fail_at(&self, preview: &Preview, expected: impl Into<String>) -> Stop {
        let wire = self.record.excerpt_of(&preview.framed);
        Stop::fail_with(expected, preview.data.to_string(), wire)
    }
}
