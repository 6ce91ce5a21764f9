use serde_json::Value;

/// A persisted envelope: the three members that order and identify it, and all of it.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Event {
    pub(crate) seq: u64,
    pub(crate) id: String,
    pub(crate) kind: String,
    pub(crate) raw: Value,
}

impl Event {
    /// Reads an envelope, or says which of the three members does not fit.
    pub(crate) fn read(raw: &Value) -> Result<Self, String> {
        let text = |name: &str| {
            raw.get(name)
                .and_then(Value::as_str)
                .filter(|text| !text.is_empty())
                .map(str::to_owned)
                .ok_or_else(|| format!("an envelope without a string {name:?}: {raw}"))
        };
        let seq = raw
            .get("seq")
            .and_then(Value::as_u64)
            .filter(|seq| *seq > 0)
            .ok_or_else(|| format!("an envelope without a positive integer \"seq\": {raw}"))?;
        Ok(Self {
            seq,
            id: text("id")?,
            kind: text("type")?,
            raw: raw.clone(),
        })
    }

    pub(crate) fn payload(&self, pointer: &str) -> Option<&Value> {
        self.raw
            .get("payload")
            .and_then(|payload| payload.pointer(pointer))
    }

    pub(crate) fn run_id(&self) -> Option<&str> {
        self.raw.get("run_id").and_then(Value::as_str)
    }

    /// Whether a follower of one sequential turn stops here.
    pub(crate) fn settles_session(&self) -> bool {
        match self.kind.as_str() {
            "session.status_completed" | "session.status_failed" | "session.status_canceled" => true,
            "session.status_idle" => self.stop_reason() != Some("requires_action"),
            _ => false,
        }
    }

    /// Whether it settles the Run that it names.
    pub(crate) fn settles_run(&self) -> bool {
        matches!(
            self.kind.as_str(),
            "run.completed" | "run.failed" | "run.canceled"
        )
    }

    fn stop_reason(&self) -> Option<&str> {
        let reason = self
            .payload("/stop_reason")
            .or_else(|| self.raw.get("stop_reason"))?;
        reason
            .as_str()
            .or_else(|| reason.get("type").and_then(Value::as_str))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_an_idle_that_requires_action_goes_on() {
        let event = |kind: &str, payload: Value| {
            Event::read(&json!({"seq": 1, "id": "evt_1", "type": kind, "payload": payload})).unwrap()
        };
        assert!(event("session.status_idle", json!({"stop_reason": "end_turn"})).settles_session());
        assert!(event("session.status_idle", json!({})).settles_session());
        assert!(!event("session.status_idle", json!({"stop_reason": "requires_action"})).settles_session());
        assert!(
            !event(
                "session.status_idle",
                json!({"stop_reason": {"type": "requires_action"}})
            )
            .settles_session()
        );
        assert!(event("session.status_failed", json!({})).settles_session());
        assert!(!event("session.status_waiting", json!({})).settles_session());
        assert!(event("run.failed", json!({})).settles_run());
    }

    #[test]
    fn an_envelope_without_order_or_identity_is_named() {
        for (raw, member) in [
            (json!({"id": "e", "type": "t"}), "seq"),
            (json!({"seq": 0, "id": "e", "type": "t"}), "seq"),
            (json!({"seq": 1.5, "id": "e", "type": "t"}), "seq"),
            (json!({"seq": 1, "type": "t"}), "id"),
            (json!({"seq": 1, "id": "e", "type": ""}), "type"),
        ] {
            assert!(Event::read(&raw).unwrap_err().contains(member), "{raw}");
        }
    }
}
