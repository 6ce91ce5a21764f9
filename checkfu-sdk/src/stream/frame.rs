use serde::Deserialize;
use serde_json::value::RawValue;

use crate::error::ProtocolErrorKind;
use crate::model::{Event, EventData, lenient};
use crate::redaction::Redaction;
use crate::sse::Block;

/// What a block of the stream is.
pub(super) enum Frame {
    /// An event of the log.
    Event(Box<Event>),
    /// Something without a place in the log: a preview, or a control frame. It never moves a cursor (`PRV-4`).
    Uncursored,
    /// The server says that this stream failed.
    Failure(String),
}

/// How much of a text that may be of any length stands in an error.
const SHOWN_CHARACTERS: usize = 200;

const PREVIEWS: [&str; 2] = ["event_start", "event_delta"];

#[derive(Deserialize)]
struct Probe {
    #[serde(default, deserialize_with = "lenient")]
    r#type: Option<String>,
    #[serde(default)]
    seq: Option<Box<RawValue>>,
    #[serde(default)]
    error: Option<Box<RawValue>>,
}

impl Frame {
    /// Reads a block (`STR-3`, `A-CLI`). The `seq` comes from the data; an `id` line must agree with it, an empty
    /// or missing one says nothing. The type comes from the data, too.
    pub(super) fn read(block: &Block, redaction: &Redaction) -> Result<Self, ProtocolErrorKind> {
        let shorten = |text: &str| redaction.excerpt(text, SHOWN_CHARACTERS);
        if PREVIEWS.contains(&block.event()) {
            return Ok(Self::Uncursored);
        }
        let id = if block.has_id_line() { block.id() } else { "" };
        if id.is_empty() && block.data().is_empty() {
            return Ok(Self::Uncursored);
        }
        let reason = match serde_json::from_str::<Event>(block.data()) {
            Ok(event) if PREVIEWS.contains(&event.event_type()) => return Ok(Self::Uncursored),
            Ok(event) if id.is_empty() || id == event.seq().to_string() => {
                return Ok(Self::Event(Box::new(event)));
            }
            Ok(event) => {
                return Err(ProtocolErrorKind::SequenceMismatch {
                    id: shorten(id),
                    seq: event.seq(),
                });
            }
            Err(reason) => shorten(&reason.to_string()),
        };
        match serde_json::from_str::<Probe>(block.data()) {
            Ok(probe)
                if probe
                    .r#type
                    .as_deref()
                    .is_some_and(|name| PREVIEWS.contains(&name)) =>
            {
                Ok(Self::Uncursored)
            }
            Ok(Probe {
                r#type: Some(name),
                seq: None,
                error: Some(error),
            }) if name == "error" => Ok(Self::Failure(shorten(error.get()))),
            Ok(Probe { seq: None, .. }) if id.is_empty() => Ok(Self::Uncursored),
            Err(_) if id.is_empty() && is_control(block) => Ok(Self::Uncursored),
            _ => Err(ProtocolErrorKind::UnreadableFrame {
                id: shorten(id),
                reason,
            }),
        }
    }
}

/// Whether the block has a name of its own that is no known event's: it need not be JSON.
fn is_control(block: &Block) -> bool {
    block.names_event() && !EventData::KNOWN_TYPES.contains(&block.event())
}
