use serde_json::{Value, json};

/// A message that nobody asked for.
pub(super) fn trace(principal: &str) -> Value {
    json!({
        "type": "user.message",
        "payload": {
            "content": [{"type": "text", "text": "a trace"}],
            "authored_by": principal,
            "caused_by": {"kind": "api"},
        },
    })
}
