use crate::model::{Event, Preview};

/// What a stream with previews brings.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
#[expect(
    clippy::large_enum_variant,
    reason = "an item is handed on at once and kept nowhere"
)]
pub enum StreamItem {
    /// An event of the log. It alone moves the cursor, and it alone may have lasting effects (`PRV-4`).
    Event(Event),
    /// A preview of an event that is being made.
    Preview(Preview),
    /// A connection was opened, the first or another: none of the previews before it goes on (`PRV-5`).
    Opened,
}
