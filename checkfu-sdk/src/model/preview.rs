mod text;

pub(crate) use text::Halves;

use text::Piece;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::id::EventId;
use super::json::{members, optional, present};
use super::open_enum::open_enum;

open_enum! {
    /// A type of event that has previews (`PRV-1`). The set is open.
    PreviewType {
        /// What the Agent writes: its start, then its text piece by piece.
        AgentMessage = "agent.message",
        /// That the Agent thinks: its start, and nothing more.
        AgentThinking = "agent.thinking",
    }
}

/// A sign of an event that is being made (`PRV-2`): it has no place in the log, is never repeated and may be missing.
///
/// Nothing lasting may come of it. If the event comes to be it has the same id, and takes the place of all its previews
/// (`PRV-3`).
///
/// ```
/// use checkfu_sdk::model::{Preview, PreviewData};
///
/// let json = r#"{"type": "event_delta", "payload": {"event_id": "evt_1", "delta": {"type": "content_delta", "index": 0,
///                "content": {"type": "text", "text": "Hel"}}}}"#;
/// let preview: Preview = serde_json::from_str(json)?;
/// let PreviewData::Delta(delta) = preview.data() else { panic!() };
/// assert_eq!((delta.event_id.as_str(), delta.index, &*delta.text), ("evt_1", 0, "Hel"));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Preview {
    data: PreviewData,
    raw: Box<str>,
}

/// What a preview says.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum PreviewData {
    /// An event is being made: `event_start`.
    Started(PreviewStarted),
    /// The next piece of its text: `event_delta`.
    Delta(PreviewDelta),
    /// One that this version does not know, or that cannot be read. Its JSON is kept.
    Unknown(UnknownPreview),
}

/// `event_start`.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PreviewStarted {
    /// The id that the event will have.
    pub event_id: EventId,
    /// The type that it will have.
    pub event_type: PreviewType,
}

/// `event_delta` with a piece of text.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct PreviewDelta {
    /// The id that the event will have.
    pub event_id: EventId,
    /// The block of the message's content that goes on, from 0.
    pub index: u64,
    /// What comes behind the pieces before. Where a server cuts between the halves of a character, neither piece has it
    /// here; [`PreviewReducer`](crate::previews::PreviewReducer) puts it together.
    pub text: String,
    pub(crate) halves: Halves,
}

/// A preview that could not be read.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct UnknownPreview {
    /// The event that it is of, if it says so.
    pub event_id: Option<EventId>,
}

const START: &str = "event_start";
const DELTA: &str = "event_delta";

impl Preview {
    /// What it says.
    pub fn data(&self) -> &PreviewData {
        &self.data
    }

    /// The id that the event will have, if the preview tells one.
    pub fn event_id(&self) -> Option<&EventId> {
        match &self.data {
            PreviewData::Started(started) => Some(&started.event_id),
            PreviewData::Delta(delta) => Some(&delta.event_id),
            PreviewData::Unknown(unknown) => unknown.event_id.as_ref(),
        }
    }

    /// The preview as the server sent it, which may be no JSON.
    pub fn raw_json(&self) -> &str {
        &self.raw
    }

    /// Whether a frame of this type is a preview.
    pub(crate) fn is_named(name: &str) -> bool {
        [START, DELTA].contains(&name)
    }

    /// Reads the data of a frame that is a preview, by its `event` line or by its data. The members stand under
    /// `payload`, or beside the type.
    pub(crate) fn read(frame_name: &str, data: &str) -> Self {
        Self {
            data: read(frame_name, data).unwrap_or(PreviewData::Unknown(UnknownPreview { event_id: None })),
            raw: data.into(),
        }
    }
}

impl<'de> Deserialize<'de> for Preview {
    /// Reads a preview whose JSON names its type.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        use serde::de::Error;
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let [name] = members(raw.get(), ["type"]).map_err(Error::custom)?;
        let name = optional::<String>(name).filter(|name| Self::is_named(name));
        let name = name.ok_or_else(|| Error::custom("the type is that of no preview"))?;
        Ok(Self::read(&name, raw.get()))
    }
}

fn read(frame_name: &str, data: &str) -> Option<PreviewData> {
    let [name, payload, event, event_id, delta] =
        members(data, ["type", "payload", "event", "event_id", "delta"]).ok()?;
    let beneath = payload.and_then(|payload| members(payload.get(), ["event", "event_id", "delta"]).ok());
    let [nested_event, nested_event_id, nested_delta] = beneath.unwrap_or_default();
    let name: Option<String> = optional(name);
    let name = name
        .as_deref()
        .filter(|name| Preview::is_named(name))
        .unwrap_or(frame_name);
    if name == START {
        return started(nested_event.or(event)?);
    }
    let event_id: Option<EventId> = optional(nested_event_id.or(event_id));
    let piece = event_id
        .clone()
        .zip(nested_delta.or(delta))
        .and_then(|(event_id, delta)| piece(event_id, delta));
    Some(piece.unwrap_or(PreviewData::Unknown(UnknownPreview { event_id })))
}

fn started(event: &RawValue) -> Option<PreviewData> {
    let [name, id] = members(event.get(), ["type", "id"]).ok()?;
    let event_id: EventId = optional(id)?;
    Some(match optional(name) {
        Some(event_type) => PreviewData::Started(PreviewStarted { event_id, event_type }),
        None => PreviewData::Unknown(UnknownPreview {
            event_id: Some(event_id),
        }),
    })
}

fn piece(event_id: EventId, delta: &RawValue) -> Option<PreviewData> {
    let [name, index, content] = members(delta.get(), ["type", "index", "content"]).ok()?;
    let [kind, text] = members(content?.get(), ["type", "text"]).ok()?;
    let is = |member: Option<&RawValue>, wanted: &str| optional::<String>(member).as_deref() == Some(wanted);
    if !is(name, "content_delta") || !is(kind, "text") {
        return None;
    }
    // No index means the first block.
    let index = match present(index) {
        Some(index) => optional(Some(index))?,
        None => 0,
    };
    let Piece { text, halves } = optional(text)?;
    Some(PreviewData::Delta(PreviewDelta {
        event_id,
        index,
        text,
        halves,
    }))
}
