//! What happens to cursors and pages.

use serde::{Deserialize, Serialize};

/// A stream that resumes too early: events that were delivered come once more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Resume {
    /// How far before the cursor; 1 sends the cursor's own event again. Absent: from the beginning.
    #[serde(default)]
    pub rewind: Option<u64>,
}

/// A page of a list is changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Page {
    /// What is changed.
    pub edit: PageEdit,
    /// How many items `shorter` leaves at most. Default 1.
    #[serde(default = "one")]
    pub items: u32,
}

impl Page {
    /// A page that is changed in this way.
    pub fn new(edit: PageEdit) -> Self {
        Self { edit, items: one() }
    }
}

fn one() -> u32 {
    1
}

/// What is changed of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum PageEdit {
    /// Fewer items than were asked for and are there.
    Shorter,
    /// No items and a `next_page` that leads on to them.
    Empty,
    /// The `next_page` that led here, again.
    Loop,
    /// Its last item twice.
    Duplicate,
    /// It begins with the item before.
    Overlap,
    /// It begins at the beginning.
    IgnoreAfter,
}

/// A replica that lags: lists end, and a Session's `last_seq` stands, so many events before the end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stale {
    /// How many events are missing.
    pub events: u64,
}
