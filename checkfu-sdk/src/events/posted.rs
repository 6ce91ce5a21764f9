use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::model::Event;

/// The answer to a post: the event, bare or in a `data` list (`A-POST`).
pub(super) struct Posted(Event);

impl Posted {
    pub(super) fn into_event(self) -> Event {
        self.0
    }
}

#[derive(Deserialize)]
struct Wrapper {
    data: Vec<Event>,
}

impl<'de> Deserialize<'de> for Posted {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        let bare = match serde_json::from_str(raw.get()) {
            Ok(event) => return Ok(Self(event)),
            Err(error) => error,
        };
        let wrapped = serde_json::from_str::<Wrapper>(raw.get()).ok();
        let event = wrapped.and_then(|wrapper| wrapper.data.into_iter().next());
        event.map(Self).ok_or_else(|| serde::de::Error::custom(bare))
    }
}
