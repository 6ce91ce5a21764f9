//! An event of the log.

use std::fmt;

use jiff::Timestamp;
use serde_json::Value;

use crate::core::event::Event;
use crate::storage::error::StorageError;

/// An event as the log has it.
#[derive(Clone, PartialEq)]
#[non_exhaustive]
pub struct LoggedEvent {
    /// `evt_…`
    pub id: String,
    /// Its place in the Session.
    pub seq: u64,
    /// Such as `user.message`.
    pub event_type: String,
    /// The thread that it belongs to; nothing if it concerns the whole Session.
    pub thread: Option<String>,
    /// The Run that it belongs to, if it belongs to one.
    pub run: Option<String>,
    /// When it was accepted, by the server's clock.
    pub created_at: Timestamp,
    /// What it says.
    pub payload: Value,
    envelope: Value,
}

impl LoggedEvent {
    /// The whole envelope, as clients list and stream it.
    ///
    /// ```
    /// # use checkfu_mock_server::LoggedEvent;
    /// fn same(event: &LoggedEvent) -> bool {
    ///     event.envelope()["payload"] == event.payload
    /// }
    /// ```
    pub fn envelope(&self) -> &Value {
        &self.envelope
    }

    pub(super) fn read(event: &Event) -> Result<Self, StorageError> {
        let envelope = serde_json::to_value(event)?;
        let milliseconds = event.created_at.milliseconds();
        Ok(Self {
            id: event.id.to_string(),
            seq: event.seq,
            event_type: event.data.type_name().to_owned(),
            thread: event.session_thread_id.as_ref().map(ToString::to_string),
            run: event.run_id.as_ref().map(ToString::to_string),
            created_at: Timestamp::from_millisecond(milliseconds).unwrap_or(Timestamp::MAX),
            payload: envelope.get("payload").cloned().unwrap_or_default(),
            envelope,
        })
    }
}

/// The envelope: the members stand in it.
impl fmt::Debug for LoggedEvent {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "LoggedEvent({})", self.envelope)
    }
}
