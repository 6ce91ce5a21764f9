//! One event of a log, as far as a recording needs it.

use serde_json::Value;

/// An event.
#[derive(Debug, Clone)]
pub(super) struct Entry {
    pub(super) id: String,
    pub(super) seq: u64,
    pub(super) kind: String,
    pub(super) thread: Option<String>,
    pub(super) run: Option<String>,
    /// When it was accepted, in milliseconds since the Unix epoch.
    pub(super) at: Option<i64>,
    pub(super) payload: Value,
}

impl Entry {
    /// The event, if the value is one.
    pub(super) fn of(value: &Value) -> Option<Self> {
        let text = |name: &str| value.get(name).and_then(Value::as_str).map(str::to_owned);
        Some(Self {
            id: text("id")?,
            seq: value.get("seq")?.as_u64()?,
            kind: text("type")?,
            thread: text("session_thread_id"),
            run: text("run_id"),
            at: text("created_at").as_deref().and_then(milliseconds),
            payload: value.get("payload").cloned().unwrap_or(Value::Null),
        })
    }

    /// A text of the payload, by pointer.
    pub(super) fn text(&self, pointer: &str) -> Option<&str> {
        self.payload.pointer(pointer).and_then(Value::as_str)
    }

    pub(super) fn number(&self, pointer: &str) -> Option<u64> {
        self.payload.pointer(pointer).and_then(Value::as_u64)
    }

    pub(super) fn flag(&self, pointer: &str) -> bool {
        self.payload
            .pointer(pointer)
            .and_then(Value::as_bool)
            .unwrap_or(false)
    }

    /// A moment of the payload.
    pub(super) fn moment(&self, pointer: &str) -> Option<i64> {
        self.text(pointer).and_then(milliseconds)
    }

    /// The text of a content, as an Agent reads it: what it was asked, or what it said.
    pub(super) fn words(&self) -> String {
        if let Some(description) = self.text("/description") {
            return description.to_owned();
        }
        match self.payload.get("content") {
            Some(Value::String(text)) => text.clone(),
            Some(Value::Array(blocks)) => {
                let texts = blocks
                    .iter()
                    .map(|block| match block.get("text").and_then(Value::as_str) {
                        Some(text) => text.to_owned(),
                        None => format!(
                            "[{}]",
                            block.get("type").and_then(Value::as_str).unwrap_or_default()
                        ),
                    });
                texts.collect::<Vec<_>>().join(" ")
            }
            _ => String::new(),
        }
    }
}

fn milliseconds(text: &str) -> Option<i64> {
    text.parse::<jiff::Timestamp>()
        .ok()
        .map(jiff::Timestamp::as_millisecond)
}
