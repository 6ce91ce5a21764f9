use std::time::Duration;

use tokio::time::Instant;

use super::{
    list::Walking,
    outcome::{ending, is_success},
    recorder::Ending,
    setting::Stage,
};
use crate::{
    json,
    model::{
        history::{Block, Call, Seen, StreamEnd, Until},
        rest::at_rest,
        script::Reader,
    },
    stimulus::{event::Event, session},
    wire::{
        client::Attempted,
        reading::{End, Reading},
        request::Request,
        sse::{self, Frame, Item},
    },
};

/// How long a reader that leaves somewhere waits for the next frame.
const IMPATIENCE: Duration = Duration::from_millis(60);

/// A stretch of a stream to read.
#[derive(Debug, Clone, Copy)]
pub(super) struct Stretch {
    pub(super) after: u64,
    pub(super) previews: bool,
    pub(super) to: To,
}

/// Where the reader leaves.
#[derive(Debug, Clone, Copy)]
pub(super) enum To {
    Frames(u64),
    /// Behind this byte of the body, whatever it is in the middle of.
    Byte(usize),
    /// Where the Session is at rest, at this seq or above it: there is rest between turns, too.
    Rest(u64),
    Seq(u64),
}

/// What a reader has when it leaves.
#[derive(Debug, Default)]
pub(super) struct Left {
    /// The cursor to resume from: the last id of a whole block, else the one that it came with.
    pub(super) cursor: u64,
    /// How many bytes it read.
    pub(super) bytes: usize,
}

impl Stage<'_> {
    /// Reads a stretch and goes on behind it as often as the script says.
    pub(super) async fn read(&self, process: u32, session: &str, reader: Reader) {
        let mut after = self.cursor(session, reader.place);
        for _ in 0..=reader.again {
            let stretch = Stretch {
                after,
                previews: reader.previews,
                to: To::Frames(reader.frames),
            };
            after = self.stream(process, session, stretch).await.cursor;
        }
    }

    pub(super) async fn until_rest(&self, process: u32, session: &str) {
        let listed = self.list(process, session, Walking::whole(1000, false)).await;
        let head = listed.iter().map(|event| event.seq).max().unwrap_or(0);
        let stretch = Stretch {
            after: 0,
            previews: false,
            to: To::Rest(head),
        };
        self.stream(process, session, stretch).await;
    }

    pub(super) async fn stream(&self, process: u32, session: &str, stretch: Stretch) -> Left {
        let call = Call::Stream {
            session: session.to_owned(),
            after: stretch.after,
            previews: stretch.previews,
            until: match stretch.to {
                To::Frames(_) | To::Byte(_) => Until::Cut,
                To::Rest(_) => Until::Rest,
                To::Seq(seq) => Until::Seq(seq),
            },
        };
        let mut request = Request::get(session::stream(session));
        if stretch.after > 0 {
            request = request.after(stretch.after);
        }
        if stretch.previews {
            request = request.query("event_deltas", "agent.message");
        }
        let begun = self.recorder.begin(process, call);
        let mut left = Left {
            cursor: stretch.after,
            bytes: 0,
        };
        let ending = match self.client.attempt_stream(request).await {
            Ok(Attempted::Stream(reading)) => {
                let (body, end) = self.follow(*reading, stretch).await;
                left.bytes = body.len();
                let blocks = self.blocks(session, &body);
                let announced = blocks
                    .iter()
                    .rev()
                    .find_map(|block| block.id.as_ref()?.parse().ok());
                left.cursor = announced.unwrap_or(stretch.after);
                Ending::ok(Some(Seen::Blocks { blocks, end }))
            }
            Ok(Attempted::Answer(attempt)) if is_success(&attempt.exchange) => {
                Ending::unknown("an answer that is no stream")
            }
            Ok(Attempted::Answer(attempt)) => ending(&Ok(self.client.keep(attempt.exchange))),
            Err(fault) => ending(&Err(fault)),
        };
        self.recorder.end(begun, ending);
        left
    }

    /// Reads up to where the reader leaves and returns what it has then.
    async fn follow(&self, mut reading: Reading, stretch: Stretch) -> (Vec<u8>, StreamEnd) {
        let long = match stretch.to {
            To::Rest(_) => self.bench.turn_deadline(),
            To::Frames(_) | To::Byte(_) | To::Seq(_) => self.bench.answer_deadline(),
        };
        let (mut events, mut frames) = (Vec::<Event>::new(), 0);
        let end = loop {
            let there = match stretch.to {
                To::Frames(most) => frames >= most,
                To::Byte(_) => false,
                To::Rest(head) => is_boundary(&events, head) && at_rest(&events.iter().collect::<Vec<_>>()),
                To::Seq(seq) => events.last().is_some_and(|event| event.seq >= seq),
            };
            if there {
                break StreamEnd::Cut;
            }
            let deadline = match stretch.to {
                To::Frames(_) | To::Byte(_) => long.min(Instant::now() + IMPATIENCE),
                To::Rest(_) | To::Seq(_) => long,
            };
            let frame = match reading.next_frame(deadline).await {
                Ok(frame) => frame,
                Err(End::Closed) => break StreamEnd::Closed,
                Err(End::Broken | End::TooLarge) => break StreamEnd::Broken,
                Err(End::Deadline) => match stretch.to {
                    To::Frames(_) | To::Byte(_) => break StreamEnd::Cut,
                    To::Rest(_) | To::Seq(_) => break StreamEnd::Deadline,
                },
            };
            frames += 1;
            if matches!(stretch.to, To::Rest(_) | To::Seq(_)) {
                events.extend(persisted(&frame));
            }
            if let To::Byte(byte) = stretch.to
                && frame.bytes.end >= byte
            {
                let body = reading.snapshot().body().to_vec();
                return (body[..byte.min(body.len())].to_vec(), StreamEnd::Cut);
            }
        };
        (reading.snapshot().body().to_vec(), end)
    }

    /// The whole blocks of a body.
    fn blocks(&self, session: &str, body: &[u8]) -> Vec<Block> {
        let (mut blocks, mut events) = (Vec::new(), Vec::new());
        for item in sse::Reader::default().push(body) {
            let (Item::Frame(frame) | Item::Empty(frame)) = item else {
                continue;
            };
            let event = persisted(&frame);
            let preview = match event {
                Some(_) => None,
                None => frame.event.clone().filter(|kind| kind.starts_with("event_")),
            };
            blocks.push(Block {
                id: frame.id,
                event: event.as_ref().map(|event| self.recorder.name(&event.raw)),
                preview,
            });
            events.extend(event);
        }
        self.sessions.learn(session, &events);
        blocks
    }
}

fn persisted(frame: &Frame) -> Option<Event> {
    let data = json::read(frame.data.as_bytes()).ok()?;
    Event::read(&data).ok()
}

/// Whether what came last may have brought the Session to rest.
fn is_boundary(events: &[Event], head: u64) -> bool {
    events.last().is_some_and(|event| event.seq >= head)
}
