//! A stream on its way out, rewritten block by block.

use std::collections::VecDeque;
use std::sync::Arc;

use axum::body::Body;
use bytes::{Bytes, BytesMut};
use futures::stream;
use http_body_util::BodyExt;

use super::effect::{Cut, Event, Format, How, Insert, Point};
use super::event::{self, Changed};
use super::frame::{Block, Style};
use super::line::Line;
use super::plan::Shot;
use super::preview::Previews;
use super::sever::{Broken, sever};
use crate::stop::Stopping;

/// The largest piece that is handed over at a time.
const PIECE: usize = 64 * 1024;

/// What is to be done to one stream.
#[derive(Debug, Default)]
pub(super) struct Edits {
    pub(super) format: Option<Format>,
    pub(super) events: Vec<(Event, Shot)>,
    pub(super) previews: Vec<Previews>,
    pub(super) inserts: Vec<(Insert, Shot)>,
    pub(super) cuts: Vec<(Cut, Shot)>,
}

impl Edits {
    pub(super) fn is_empty(&self) -> bool {
        self.format.is_none()
            && self.events.is_empty()
            && self.previews.is_empty()
            && self.inserts.is_empty()
            && self.cuts.is_empty()
    }

    /// The stream as the edits make it.
    pub(super) fn apply(self, body: Body, line: Arc<Line>, stopping: Stopping) -> Body {
        let mut rewriting = Rewriting {
            style: Style::new(self.format.unwrap_or_default()),
            edits: self,
            body,
            buffer: BytesMut::new(),
            outgoing: VecDeque::new(),
            events: 0,
            previous: None,
            line,
            stopping,
        };
        rewriting.counted();
        Body::from_stream(stream::unfold(rewriting, |mut rewriting| async move {
            let piece = rewriting.next().await?;
            Some((piece, rewriting))
        }))
    }
}

/// What goes out next.
#[derive(Debug)]
enum Piece {
    Bytes(Bytes),
    Repeat(Bytes, u64),
    End(How),
}

struct Rewriting {
    style: Style,
    edits: Edits,
    body: Body,
    buffer: BytesMut,
    outgoing: VecDeque<Piece>,
    /// How many events have gone out, before edits.
    events: u64,
    previous: Option<Block>,
    line: Arc<Line>,
    stopping: Stopping,
}

impl Rewriting {
    async fn next(&mut self) -> Option<Result<Bytes, Broken>> {
        loop {
            match self.outgoing.pop_front() {
                Some(Piece::Bytes(bytes)) => return Some(Ok(bytes)),
                Some(Piece::Repeat(bytes, times)) => {
                    if times > 1 {
                        self.outgoing.push_front(Piece::Repeat(bytes.clone(), times - 1));
                    }
                    return Some(Ok(bytes));
                }
                Some(Piece::End(how)) => return Some(Err(sever(how, &self.line, &self.stopping).await)),
                None => self.read().await?,
            }
        }
    }

    /// Takes what the server sends next apart; nothing once it has ended.
    async fn read(&mut self) -> Option<()> {
        let frame = self.body.frame().await?.ok()?;
        self.buffer.extend_from_slice(frame.data_ref()?);
        while let Some(end) = self.buffer.windows(2).position(|pair| pair == b"\n\n") {
            let text = self.buffer.split_to(end + 2).freeze();
            self.take(Block::parse(&text.slice(..end)));
        }
        Some(())
    }

    fn take(&mut self, block: Block) {
        let mut blocks = vec![block];
        for previews in &mut self.edits.previews {
            let mut out = Vec::new();
            for block in blocks {
                previews.take(block, &mut out);
            }
            blocks = out;
        }
        for block in blocks {
            if block.is_event() && !block.is_preview() {
                self.event(block);
            } else if !self.style.leaves_out(&block) {
                let bytes = self.style.write(&block);
                self.outgoing.push_back(Piece::Bytes(bytes));
            }
        }
    }

    fn event(&mut self, block: Block) {
        let number = self.events;
        let mut changed = Changed::new(block.clone(), self.previous.replace(block));
        for (edit, shot) in &mut self.edits.events {
            if edit.event.is_none_or(|event| event == number) && event::change(edit, &mut changed) {
                shot.hit();
            }
        }
        let middle = self.due(Point::MidEvent, number);
        if let Some(bytes) = changed.endless {
            self.outgoing
                .push_back(Piece::Bytes(Bytes::from_static(b"data: ")));
            self.fill(bytes);
            self.outgoing.push_back(Piece::End(How::Close));
            return;
        }
        for block in changed.blocks {
            let bytes = self.style.write(&block);
            if let Some(how) = middle {
                self.outgoing
                    .push_back(Piece::Bytes(bytes.slice(..bytes.len() / 2)));
                self.outgoing.push_back(Piece::End(how));
                return;
            }
            self.outgoing.push_back(Piece::Bytes(bytes));
        }
        self.events += 1;
        self.counted();
    }

    /// So many events have gone out: is anything due now?
    fn counted(&mut self) {
        for (insert, shot) in &mut self.edits.inserts {
            if insert.after == self.events && insert.repeat > 0 {
                shot.hit();
                let text = Bytes::from(insert.text.clone());
                self.outgoing.push_back(Piece::Repeat(text, insert.repeat));
            }
        }
        if let Some(how) = self.due(Point::Event, self.events) {
            self.outgoing.push_back(Piece::End(how));
        }
    }

    fn due(&mut self, point: Point, events: u64) -> Option<How> {
        let cuts = self.edits.cuts.iter_mut();
        let (cut, shot) = cuts
            .into_iter()
            .find(|(cut, _)| cut.at == point && cut.after == events)?;
        shot.hit();
        Some(cut.how)
    }

    fn fill(&mut self, bytes: u64) {
        let piece = Bytes::from(vec![b'x'; PIECE]);
        let (whole, rest) = (bytes / PIECE as u64, bytes % PIECE as u64);
        if whole > 0 {
            self.outgoing.push_back(Piece::Repeat(piece.clone(), whole));
        }
        let rest = usize::try_from(rest).unwrap_or_default();
        self.outgoing.push_back(Piece::Bytes(piece.slice(..rest)));
    }
}
