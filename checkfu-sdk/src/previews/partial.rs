use std::collections::BTreeMap;

use crate::model::{EventId, Halves, PreviewDelta, PreviewStarted, PreviewType};

/// What a block counts for beside its text.
const BLOCK: usize = 64;

/// An event that is being made, as far as its previews tell.
///
/// The text of each block is a prefix of what the event will hold there, if it comes to be (`A-PRV`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartialEvent {
    event_id: EventId,
    event_type: PreviewType,
    blocks: BTreeMap<u64, Block>,
    bytes: usize,
    is_cut: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
struct Block {
    text: String,
    /// The first half of a character whose second has not come yet.
    half: Option<u16>,
}

impl PartialEvent {
    /// The id that the event will have (`PRV-3`).
    pub fn event_id(&self) -> &EventId {
        &self.event_id
    }

    /// The type that it will have.
    pub fn event_type(&self) -> &PreviewType {
        &self.event_type
    }

    /// The text so far, block after block.
    pub fn text(&self) -> String {
        self.blocks.values().map(|block| block.text.as_str()).collect()
    }

    /// The blocks so far, by their place in the content.
    pub fn blocks(&self) -> impl Iterator<Item = (u64, &str)> {
        self.blocks
            .iter()
            .map(|(index, block)| (*index, block.text.as_str()))
    }

    /// Whether no more will be added: a piece of it could not be read, and the text ends before that one; or it went over
    /// a limit, and all of its text was let go.
    pub fn is_cut(&self) -> bool {
        self.is_cut
    }

    pub(super) fn new(started: &PreviewStarted) -> Self {
        Self {
            event_id: started.event_id.clone(),
            event_type: started.event_type.clone(),
            blocks: BTreeMap::new(),
            bytes: 0,
            is_cut: false,
        }
    }

    /// What it counts for.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    /// What this piece would add to that.
    pub(super) fn cost(&self, delta: &PreviewDelta) -> usize {
        let block = if self.blocks.contains_key(&delta.index) {
            0
        } else {
            BLOCK
        };
        let joined = delta.halves.before.map_or(0, |_| char::MAX_LEN_UTF8);
        block + joined + delta.text.len()
    }

    /// Adds a piece; `false`, and nothing is added, if there are halves of characters in it that do not fit.
    pub(super) fn add(&mut self, delta: &PreviewDelta) -> bool {
        let half = self.blocks.get(&delta.index).and_then(|block| block.half);
        let Halves { before, behind } = delta.halves;
        let joined = match (half, before) {
            (None, None) => None,
            (Some(first), Some(second)) => join(first, second),
            // A piece without anything changes nothing.
            (Some(_), None) if delta.text.is_empty() && behind.is_none() => return true,
            _ => return false,
        };
        if half.is_some() && joined.is_none() {
            return false;
        }
        self.bytes += self.cost(delta);
        let block = self.blocks.entry(delta.index).or_default();
        block.text.extend(joined);
        block.text.push_str(&delta.text);
        block.half = behind;
        true
    }

    /// Takes no more.
    pub(super) fn cut(&mut self) {
        self.is_cut = true;
    }

    /// Takes no more, and lets go of what there is.
    pub(super) fn drop_text(&mut self) {
        self.is_cut = true;
        self.blocks = BTreeMap::new();
        self.bytes = 0;
    }
}

fn join(first: u16, second: u16) -> Option<char> {
    char::decode_utf16([first, second]).next()?.ok()
}
