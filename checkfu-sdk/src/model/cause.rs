use serde::{Deserialize, Serialize};

use super::id::{EventId, WatchId};
use super::status::CauseKind;

/// Why an event entered its Session (`A-AUTHOR`).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Cause {
    /// The kind of cause.
    pub kind: CauseKind,
    /// The event that caused it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub event_id: Option<EventId>,
    /// The Watch that caused it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub watch_id: Option<WatchId>,
}

impl Cause {
    /// A cause of `kind`.
    pub fn new(kind: CauseKind) -> Self {
        Self {
            kind,
            event_id: None,
            watch_id: None,
        }
    }

    /// Another event of the log.
    pub fn event(id: impl Into<EventId>) -> Self {
        Self {
            event_id: Some(id.into()),
            ..Self::new(CauseKind::Event)
        }
    }

    /// A Watch.
    pub fn watch(id: impl Into<WatchId>) -> Self {
        Self {
            watch_id: Some(id.into()),
            ..Self::new(CauseKind::Watch)
        }
    }
}

impl Default for Cause {
    /// A call of the API.
    fn default() -> Self {
        Self::new(CauseKind::Api)
    }
}
