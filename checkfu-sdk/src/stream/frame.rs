use crate::error::ProtocolErrorKind;
use crate::model::{Event, EventData, members, optional, present};
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
        match members(block.data(), ["type", "seq", "error"]) {
            Ok([name, seq, error]) => {
                match (optional::<String>(name).as_deref(), present(seq), present(error)) {
                    (Some(name), ..) if PREVIEWS.contains(&name) => return Ok(Self::Uncursored),
                    (Some("error"), None, Some(error)) => return Ok(Self::Failure(shorten(error.get()))),
                    (_, None, _) if id.is_empty() => return Ok(Self::Uncursored),
                    _ => {}
                }
            }
            Err(_) if id.is_empty() && is_control(block) => return Ok(Self::Uncursored),
            Err(_) => {}
        }
        Err(ProtocolErrorKind::UnreadableFrame {
            id: shorten(id),
            reason,
        })
    }
}

/// Whether the block has a name of its own that is no known event's: it need not be JSON.
fn is_control(block: &Block) -> bool {
    block.names_event() && !EventData::KNOWN_TYPES.contains(&block.event())
}
