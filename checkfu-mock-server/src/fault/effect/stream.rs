//! What happens to the text of a stream.

use serde::{Deserialize, Serialize};

/// A stream is written in another way that means the same to a reader of the event-stream format (`bom` with `twice` and
/// `middle` aside).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Format {
    /// What ends a line.
    pub line_ends: LineEnds,
    /// What stands after a field's colon.
    pub spacing: Spacing,
    /// The data in two lines. (JSON means the same.)
    pub split_data: bool,
    /// Fields that the format does not know.
    pub unknown_field: bool,
    /// A byte order mark at the start: so many.
    pub byte_order_marks: u8,
    /// A byte order mark before the second line of the stream, where it is text.
    pub late_byte_order_mark: bool,
    /// So many comments before each event.
    pub comments: u32,
    /// The server's own comments are left out: the first one and those that show that the stream is alive.
    pub no_comments: bool,
}

/// What ends a line.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LineEnds {
    /// LF.
    #[default]
    Lf,
    /// CR LF.
    CrLf,
    /// CR.
    Cr,
    /// Each in turn.
    Mixed,
}

/// What stands after a field's colon.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Spacing {
    /// One space.
    #[default]
    One,
    /// Nothing.
    None,
}

/// Text between the events of a stream.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Insert {
    /// After how many events. Default 0: before the first.
    #[serde(default)]
    pub after: u64,
    /// The text, such as `"retry: 0\n\n"`, `"id\n\n"` or `"id: 99\n\n"`.
    #[serde(default)]
    pub text: String,
    /// How often; each copy is sent when the reader can take it. Default 1.
    #[serde(default = "one")]
    pub repeat: u64,
}

fn one() -> u64 {
    1
}

impl Insert {
    /// Text after so many events.
    pub fn new(after: u64, text: impl Into<String>) -> Self {
        Self {
            after,
            text: text.into(),
            repeat: 1,
        }
    }

    /// The same text so often.
    #[must_use]
    pub fn repeat(mut self, times: u64) -> Self {
        self.repeat = times;
        self
    }
}

/// An event of a stream is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Event {
    /// What is changed.
    pub edit: EventEdit,
    /// Which event of this connection, counted from 0. Absent: every one.
    #[serde(default)]
    pub event: Option<u64>,
    /// How many bytes `oversized` and `endless_line` add. Default 17 MiB.
    #[serde(default = "oversized")]
    pub bytes: u64,
}

fn oversized() -> u64 {
    17 * 1024 * 1024
}

impl Event {
    /// The event of this number on the connection, from 0 on, changed in this way.
    pub fn nth(event: u64, edit: EventEdit) -> Self {
        Self {
            edit,
            event: Some(event),
            bytes: oversized(),
        }
    }

    /// Every event, changed in this way.
    pub fn every(edit: EventEdit) -> Self {
        Self {
            edit,
            event: None,
            bytes: oversized(),
        }
    }
}

/// What is changed of an event.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum EventEdit {
    /// It comes twice.
    Duplicate,
    /// It does not come.
    Drop,
    /// The event before it comes once more, after it.
    Regress,
    /// Its `id:` is not its `seq`.
    WrongId,
    /// The same `seq` under another `id` with other content.
    Diverge,
    /// Without `id:`.
    NoId,
    /// Without `event:`.
    NoType,
    /// Its `event:` is not its type.
    WrongType,
    /// `id:` with a NUL.
    NulId,
    /// `id:` that is no UTF-8.
    BadId,
    /// Its data is no UTF-8.
    BadUtf8,
    /// Its data is no JSON.
    BadJson,
    /// Its data is JSON of another shape.
    WrongShape,
    /// Its data has something after the JSON.
    TrailingGarbage,
    /// Without data.
    NoData,
    /// Of a type that nobody knows.
    UnknownType,
    /// With members that nobody knows.
    UnknownMembers,
    /// Larger by `bytes`.
    Oversized,
    /// A line of `bytes` before it that never ends; it is not sent.
    EndlessLine,
    /// Its `id:` alone, before its data: a cursor ahead of what was delivered.
    IdFirst,
}

/// The previews of a stream are changed, or made up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Preview {
    /// What is changed.
    pub edit: PreviewEdit,
    /// How many deltas are made up. Default 3.
    #[serde(default = "three")]
    pub deltas: u64,
}

fn three() -> u64 {
    3
}

impl Preview {
    /// Previews that are changed in this way.
    pub fn new(edit: PreviewEdit) -> Self {
        Self {
            edit,
            deltas: three(),
        }
    }
}

/// What is changed of previews.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PreviewEdit {
    /// The server's own previews are lost.
    Drop,
    /// The starts of the server's own previews are lost.
    DropStarts,
    /// The server's own deltas come twice.
    Duplicate,
    /// The server's own deltas come after the durable event that follows them.
    Late,
    /// Two deltas change places.
    Reorder,
    /// A preview is made up that never becomes an event.
    Phantom,
    /// Two made-up previews, their deltas in turn.
    Interleaved,
    /// A made-up delta of a kind that nobody knows.
    UnknownKind,
    /// A made-up preview whose frames have an `id:` far beyond the log.
    WithId,
}
