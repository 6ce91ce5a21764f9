use crate::error::ProtocolErrorKind;
use crate::model::{Event, EventData, Preview, members, optional, present};
use crate::redaction::Redaction;
use crate::sse::Block;

/// What a block of the stream is.
pub(super) enum Frame {
    /// An event of the log.
    Event(Box<Event>),
    /// A preview, whatever it carries beside (`PRV-2`). It never moves a cursor (`PRV-4`).
    Preview,
    /// A control frame, without a place in the log.
    Control,
    /// The server says that this stream failed.
    Failure(String),
}

/// How much of a text that may be of any length stands in an error.
const SHOWN_CHARACTERS: usize = 200;

impl Frame {
    /// Reads a block (`STR-3`, `A-CLI`). The `seq` comes from the data; an `id` line must agree with it, an empty
    /// or missing one says nothing. The type comes from the data, too.
    pub(super) fn read(block: &Block, redaction: &Redaction) -> Result<Self, ProtocolErrorKind> {
        let shorten = |text: &str| redaction.excerpt(text, SHOWN_CHARACTERS);
        if Preview::is_named(block.event()) {
            return Ok(Self::Preview);
        }
        let id = if block.has_id_line() { block.id() } else { "" };
        if id.is_empty() && block.data().is_empty() {
            return Ok(Self::Control);
        }
        let reason = match serde_json::from_str::<Event>(block.data()) {
            Ok(event) if Preview::is_named(event.event_type()) => return Ok(Self::Preview),
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
                    (Some(name), ..) if Preview::is_named(name) => return Ok(Self::Preview),
                    (Some("error"), None, Some(error)) => return Ok(Self::Failure(shorten(error.get()))),
                    (_, None, _) if id.is_empty() => return Ok(Self::Control),
                    _ => {}
                }
            }
            Err(_) if id.is_empty() && is_control(block) => return Ok(Self::Control),
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
