use serde_json::value::RawValue;

use crate::model::json::members;

/// The members of an envelope, each still JSON.
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

const NAMES: [&str; 9] = [
    "id",
    "seq",
    "type",
    "session_id",
    "session_thread_id",
    "run_id",
    "created_at",
    "stop_reason",
    "payload",
];

impl<'e> Envelope<'e> {
    pub(super) fn read(json: &'e str) -> Result<Self, serde_json::Error> {
        let [
            id,
            seq,
            r#type,
            session_id,
            session_thread_id,
            run_id,
            created_at,
            stop_reason,
            payload,
        ] = members(json, NAMES)?;
        Ok(Self {
            id,
            seq,
            r#type,
            session_id,
            session_thread_id,
            run_id,
            created_at,
            stop_reason,
            payload,
        })
    }
}
