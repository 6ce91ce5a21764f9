use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

/// The members of an envelope, each still JSON. Of a repeated member the last one counts.
#[derive(Default)]
pub(super) struct Envelope<'e> {
    pub(super) id: Option<&'e RawValue>,
    pub(super) seq: Option<&'e RawValue>,
    pub(super) r#type: Option<&'e RawValue>,
    pub(super) session_id: Option<&'e RawValue>,
    pub(super) session_thread_id: Option<&'e RawValue>,
    pub(super) run_id: Option<&'e RawValue>,
    pub(super) created_at: Option<&'e RawValue>,
    pub(super) stop_reason: Option<&'e RawValue>,
    pub(super) payload: Option<&'e RawValue>,
}

impl<'de: 'e, 'e> Deserialize<'de> for Envelope<'e> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer
            .deserialize_map(Members)
            .map(|envelope: Envelope<'de>| envelope)
    }
}

struct Members;

impl<'de> Visitor<'de> for Members {
    type Value = Envelope<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an event envelope, which is a JSON object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut envelope = Envelope::default();
        while let Some(name) = members.next_key::<String>()? {
            let place = match name.as_str() {
                "id" => &mut envelope.id,
                "seq" => &mut envelope.seq,
                "type" => &mut envelope.r#type,
                "session_id" => &mut envelope.session_id,
                "session_thread_id" => &mut envelope.session_thread_id,
                "run_id" => &mut envelope.run_id,
                "created_at" => &mut envelope.created_at,
                "stop_reason" => &mut envelope.stop_reason,
                "payload" => &mut envelope.payload,
                _ => {
                    members.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            *place = Some(members.next_value()?);
        }
        Ok(envelope)
    }
}
