mod data;
mod envelope;

pub use data::{EventData, Undecodable};

use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use super::id::{EventId, RunId, SessionId, SessionThreadId};
use super::json::{Raw, optional, required};
use super::seq::Seq;
use super::stop_reason::StopReason;
use envelope::Envelope;

/// One event of a Session's log (`A-ENV`).
///
/// Only `id`, `seq` and `type` are needed to read one. The JSON is kept as it came, so an event that is
/// serialized again holds every member that the server sent, the unknown ones included.
///
/// ```
/// use checkfu_sdk::{Event, EventData};
///
/// let json = r#"{"id": "evt_1", "seq": 3, "type": "agent.message", "payload": {"content": "Hello"}, "new": 1}"#;
/// let event: Event = serde_json::from_str(json)?;
/// assert_eq!((event.seq().get(), event.event_type()), (3, "agent.message"));
/// if let EventData::AgentMessage(message) = event.data() {
///     assert_eq!(message.content.to_text(), "Hello");
/// }
/// assert_eq!(event.raw_json(), json);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    id: EventId,
    seq: Seq,
    event_type: Box<str>,
    session_id: Option<SessionId>,
    session_thread_id: Option<SessionThreadId>,
    run_id: Option<RunId>,
    created_at: Option<Timestamp>,
    stop_reason: Option<StopReason>,
    data: EventData,
    raw: Raw,
}

impl Event {
    /// The event's id, unique over all Sessions save for the copies in forks, which are the same event (`A-ID`): where
    /// events of several Sessions come together in no order, it tells which of them came before (`STR-4`). What stores
    /// them all needs the Session's id in its key, too.
    pub fn id(&self) -> &EventId {
        &self.id
    }

    /// The event's place in the log, and the cursor to store once it is processed.
    pub fn seq(&self) -> Seq {
        self.seq
    }

    /// The type as it stands on the wire, `agent.message` for one.
    pub fn event_type(&self) -> &str {
        &self.event_type
    }

    /// What the event says.
    pub fn data(&self) -> &EventData {
        &self.data
    }

    /// The Session, if the envelope names it.
    pub fn session_id(&self) -> Option<&SessionId> {
        self.session_id.as_ref()
    }

    /// The thread, from the envelope or else from the payload; `None` where the event is the whole Session's.
    pub fn session_thread_id(&self) -> Option<&SessionThreadId> {
        self.session_thread_id.as_ref()
    }

    /// The Run, from the envelope or else from the payload.
    pub fn run_id(&self) -> Option<&RunId> {
        self.run_id.as_ref()
    }

    /// When the server accepted the event.
    pub fn created_at(&self) -> Option<Timestamp> {
        self.created_at
    }

    /// Why the turn stopped, from the payload or else from beside it, in each of its forms (`A-STOP`).
    pub fn stop_reason(&self) -> Option<&StopReason> {
        self.stop_reason.as_ref()
    }

    /// The event's JSON, as the server sent it.
    pub fn raw_json(&self) -> &str {
        self.raw.text()
    }

    /// Decodes the payload as a type of the caller's own; no payload counts as an empty one.
    ///
    /// # Errors
    ///
    /// The decoder's error if the payload does not fit `T`.
    pub fn payload_as<T: DeserializeOwned>(&self) -> Result<T, serde_json::Error> {
        let envelope = Envelope::read(self.raw.text())?;
        serde_json::from_str(envelope.payload.map_or("{}", RawValue::get))
    }

    fn read(raw: Box<RawValue>) -> Result<Self, serde_json::Error> {
        let envelope = Envelope::read(raw.get())?;
        let id: EventId = required("id", envelope.id)?;
        let seq: Seq = required("seq", envelope.seq)?;
        let event_type: Box<str> = required("type", envelope.r#type)?;
        if seq == Seq::ZERO {
            return Err(serde::de::Error::custom(
                "seq 0 stands before the first event and can be no event's",
            ));
        }
        let beneath = envelope
            .payload
            .and_then(|payload| Envelope::read(payload.get()).ok())
            .unwrap_or_default();
        let stop_reason = beneath
            .stop_reason
            .and_then(StopReason::read)
            .or_else(|| envelope.stop_reason.and_then(StopReason::read));
        let mut data = EventData::decode(&event_type, envelope.payload);
        if let EventData::SessionStatusIdle(idle) = &mut data {
            idle.stop_reason.clone_from(&stop_reason);
        }
        Ok(Self {
            id,
            seq,
            session_id: optional(envelope.session_id),
            session_thread_id: optional(envelope.session_thread_id)
                .or_else(|| optional(beneath.session_thread_id)),
            run_id: optional(envelope.run_id).or_else(|| optional(beneath.run_id)),
            created_at: optional(envelope.created_at),
            event_type,
            stop_reason,
            data,
            raw: Raw::new(raw),
        })
    }
}

impl Serialize for Event {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.raw.as_value().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Self::read(Box::<RawValue>::deserialize(deserializer)?).map_err(serde::de::Error::custom)
    }
}
