//! Previews that are changed, or made up.

use std::collections::VecDeque;

use serde_json::json;

use super::effect::{Preview, PreviewEdit};
use super::frame::Block;
use super::plan::Shot;

/// Changes the previews of one stream.
#[derive(Debug)]
pub(super) struct Previews {
    preview: Preview,
    shot: Shot,
    held: VecDeque<Block>,
    made_up: bool,
}

impl Previews {
    pub(super) fn new(preview: Preview, shot: Shot) -> Self {
        Self {
            preview,
            shot,
            held: VecDeque::new(),
            made_up: false,
        }
    }

    /// What goes out in place of this block.
    pub(super) fn take(&mut self, block: Block, out: &mut Vec<Block>) {
        use PreviewEdit::{
            Drop, DropStarts, Duplicate, Interleaved, Late, Phantom, Reorder, UnknownKind, WithId,
        };
        let (preview, delta) = (block.is_preview(), block.is_delta());
        match self.preview.edit {
            Drop if preview => self.shot.hit(),
            DropStarts if preview && !delta => self.shot.hit(),
            Duplicate if delta => {
                self.shot.hit();
                out.extend([block.clone(), block]);
            }
            Late if delta => self.held.push_back(block),
            Late if block.is_event() && !self.held.is_empty() => {
                self.shot.hit();
                out.push(block);
                out.extend(self.held.drain(..));
            }
            Reorder if delta && self.held.is_empty() => self.held.push_back(block),
            Reorder if !self.held.is_empty() => {
                if delta {
                    self.shot.hit();
                    out.push(block);
                    out.extend(self.held.drain(..));
                } else {
                    out.extend(self.held.drain(..));
                    out.push(block);
                }
            }
            Phantom | Interleaved | UnknownKind | WithId if block.is_event() && !self.made_up => {
                self.made_up = true;
                self.shot.hit();
                out.push(block);
                self.make_up(out);
            }
            _ => out.push(block),
        }
    }

    fn make_up(&mut self, out: &mut Vec<Block>) {
        let mut id = || {
            format!(
                "evt_{:016x}{:016x}",
                self.shot.random.next(),
                self.shot.random.next()
            )
        };
        let ids = [id(), id()];
        let ids = if self.preview.edit == PreviewEdit::Interleaved {
            &ids[..]
        } else {
            &ids[..1]
        };
        out.extend(ids.iter().map(|id| self.frame(start(id))));
        for delta in 0..self.preview.deltas {
            out.extend(ids.iter().map(|id| self.frame(self.delta(id, delta))));
        }
    }

    fn delta(&self, id: &str, number: u64) -> (&'static str, String) {
        let content = json!({"type": "text", "text": format!("made up {number} ")});
        let delta = if self.preview.edit == PreviewEdit::UnknownKind {
            json!({"type": "unheard_of", "content": content})
        } else {
            json!({"type": "content_delta", "index": 0, "content": content})
        };
        let data = json!({"type": "event_delta", "payload": {"event_id": id, "delta": delta}});
        ("event_delta", data.to_string())
    }

    fn frame(&self, (kind, data): (&str, String)) -> Block {
        let mut fields = Vec::new();
        if self.preview.edit == PreviewEdit::WithId {
            fields.push(("id", "9007199254740991".to_owned()));
        }
        fields.extend([("event", kind.to_owned()), ("data", data)]);
        Block::of(&fields)
    }
}

fn start(id: &str) -> (&'static str, String) {
    let data = json!({"type": "event_start", "payload": {"event": {"type": "agent.message", "id": id}}});
    ("event_start", data.to_string())
}
