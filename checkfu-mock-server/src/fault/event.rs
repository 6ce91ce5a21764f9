//! One event of a stream, changed.

use bytes::{Bytes, BytesMut};
use serde_json::{Value, json};

use super::effect::{Event, EventEdit};
use super::frame::Block;

/// An event and what goes out in its place.
#[derive(Debug)]
pub(super) struct Changed {
    pub(super) blocks: Vec<Block>,
    /// Instead of everything: a line of so many bytes that never ends.
    pub(super) endless: Option<u64>,
    previous: Option<Block>,
}

impl Changed {
    pub(super) fn new(block: Block, previous: Option<Block>) -> Self {
        Self {
            blocks: vec![block],
            endless: None,
            previous,
        }
    }
}

/// Changes an event; tells whether there was something to change.
pub(super) fn change(event: &Event, changed: &mut Changed) -> bool {
    match event.edit {
        EventEdit::Regress => {
            let previous = changed.previous.clone();
            let found = previous.is_some();
            changed.blocks.extend(previous);
            return found;
        }
        EventEdit::Drop => {
            changed.blocks.clear();
            return true;
        }
        EventEdit::EndlessLine => {
            changed.endless = Some(event.bytes);
            return true;
        }
        _ => {}
    }
    let Some(block) = changed.blocks.first_mut() else {
        return false;
    };
    let seq = block.seq().unwrap_or_default();
    match event.edit {
        EventEdit::Duplicate => {
            let again = block.clone();
            changed.blocks.insert(1, again);
        }
        EventEdit::IdFirst => {
            let alone = Block::of(&[("id", seq.to_string())]);
            changed.blocks.insert(0, alone);
        }
        EventEdit::WrongId => block.set("id", (seq + 1000).to_string()),
        EventEdit::WrongType => block.set("event", "agent.thinking"),
        EventEdit::NulId => block.set("id", format!("{seq}\0")),
        EventEdit::BadId => block.set("id", Bytes::from_static(b"\xff")),
        EventEdit::NoId => block.remove("id"),
        EventEdit::NoType => block.remove("event"),
        EventEdit::NoData => block.remove("data"),
        EventEdit::BadJson => change_text(block, |text| text.truncate(text.len().saturating_sub(1))),
        EventEdit::TrailingGarbage => change_text(block, |text| text.extend_from_slice(b" }")),
        EventEdit::BadUtf8 => change_text(block, |text| {
            let tail = text.split_off(text.len().min(2));
            text.extend_from_slice(b"\xff");
            text.unsplit(tail);
        }),
        EventEdit::WrongShape => block.set("data", Bytes::from_static(b"[1]")),
        EventEdit::Diverge => change_json(block, |data| {
            data["id"] = json!(format!("evt_{seq:032x}"));
            data["payload"] = json!({"content": [{"type": "text", "text": "another history"}]});
        }),
        EventEdit::UnknownType => {
            block.set("event", "unheard.of");
            change_json(block, |data| data["type"] = json!("unheard.of"));
        }
        EventEdit::UnknownMembers => change_json(block, |data| {
            data["unheard_of"] = json!({"of": [1, null, "two"]});
            if let Some(payload) = data.get_mut("payload").and_then(Value::as_object_mut) {
                payload.insert("unheard_of".to_owned(), json!(true));
            }
        }),
        EventEdit::Oversized => {
            let filling = "x".repeat(usize::try_from(event.bytes).unwrap_or_default());
            change_json(block, |data| data["filling"] = json!(filling));
        }
        EventEdit::Regress | EventEdit::Drop | EventEdit::EndlessLine => {}
    }
    true
}

fn change_text(block: &mut Block, change: impl FnOnce(&mut BytesMut)) {
    let mut text = BytesMut::from(block.value("data").map(|data| &**data).unwrap_or_default());
    change(&mut text);
    block.set("data", text.freeze());
}

/// What is no JSON object any more, by an edit before this one, stays as it is.
fn change_json(block: &mut Block, change: impl FnOnce(&mut Value)) {
    let data = block
        .value("data")
        .and_then(|data| serde_json::from_slice::<Value>(data).ok());
    if let Some(mut data) = data.filter(Value::is_object) {
        change(&mut data);
        block.set("data", data.to_string());
    }
}
