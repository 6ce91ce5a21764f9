use serde::Serialize;
use serde_json::{Map, Value};

use crate::model::{Cause, PrincipalId};

/// One input with its author, ready to be sent (`SES-4`, `EVT-1`, `A-AUTHOR`).
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct UserInput {
    r#type: &'static str,
    payload: Payload,
    #[serde(skip)]
    idempotency_key: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
struct Payload {
    #[serde(flatten)]
    members: Map<String, Value>,
    authored_by: PrincipalId,
    caused_by: Cause,
}

impl UserInput {
    pub(super) fn new(
        event_type: &'static str,
        members: Map<String, Value>,
        author: impl Into<PrincipalId>,
    ) -> Self {
        let payload = Payload {
            members,
            authored_by: author.into(),
            caused_by: Cause::default(),
        };
        Self {
            r#type: event_type,
            payload,
            idempotency_key: None,
        }
    }

    /// Says why the input enters the Session. Default: a call of the API.
    pub fn caused_by(mut self, cause: Cause) -> Self {
        self.payload.caused_by = cause;
        self
    }

    /// Names this logical call, so that sending the input again has no second effect. Default: a new random key
    /// for each time it is sent, kept over that call's retries (`A-IDEM`). It has 1 to 255 visible ASCII characters;
    /// another is refused as [`Error::Config`](crate::Error::Config) and nothing is sent.
    pub fn idempotency_key(mut self, key: impl Into<String>) -> Self {
        self.idempotency_key = Some(key.into());
        self
    }

    /// The type of the event that it becomes.
    pub fn event_type(&self) -> &'static str {
        self.r#type
    }

    pub(crate) fn own_idempotency_key(&self) -> Option<&str> {
        self.idempotency_key.as_deref()
    }
}
