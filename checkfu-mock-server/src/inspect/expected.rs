//! What a test expects that a client posted.

use std::fmt;

use serde_json::{Value, json};

use super::event::LoggedEvent;

/// A posted event as a test expects it: its type and some members of its payload. What is not named may be anything.
///
/// A member that is absent counts as `null`; where `false` is expected, as `false`.
///
/// ```
/// use checkfu_mock_server::Expected;
/// use serde_json::json;
///
/// let expected = Expected::tool_result("toolu_1", json!({"status": "sent"})).by("prin_00000000000000000000000000000001");
/// println!("{expected}"); // user.custom_tool_result {"authored_by":…}
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Expected {
    event_type: String,
    members: Vec<(String, Value)>,
}

impl Expected {
    /// Any event of this type, such as `user.message`.
    pub fn event(event_type: impl Into<String>) -> Self {
        Self {
            event_type: event_type.into(),
            members: Vec::new(),
        }
    }

    /// A `user.message` of exactly this text, given as a string or as its one text block.
    pub fn message(text: impl Into<String>) -> Self {
        let block = json!({"type": "text", "text": text.into()});
        Self::event("user.message").with("content", json!([block]))
    }

    /// A `user.interrupt`, of the whole turn or of a thread.
    pub fn interrupt() -> Self {
        Self::event("user.interrupt")
    }

    /// A `user.custom_tool_result` that is no error.
    pub fn tool_result(tool_use_id: impl Into<String>, result: Value) -> Self {
        Self::event("user.custom_tool_result")
            .with("tool_use_id", tool_use_id.into())
            .with("result", result)
            .with("is_error", false)
    }

    /// A `user.custom_tool_result` that is an error.
    pub fn tool_error(tool_use_id: impl Into<String>, result: Value) -> Self {
        Self::tool_result(tool_use_id, result).with("is_error", true)
    }

    /// A `user.tool_confirmation` that allows the call.
    pub fn allow(tool_use_id: impl Into<String>) -> Self {
        Self::event("user.tool_confirmation")
            .with("tool_use_id", tool_use_id.into())
            .with("result", "allow")
    }

    /// A `user.tool_confirmation` that denies the call, whatever its reason.
    pub fn deny(tool_use_id: impl Into<String>) -> Self {
        Self::allow(tool_use_id).with("result", "deny")
    }

    /// A `user.question_answer`.
    pub fn answer(question_id: impl Into<String>, answer: impl Into<Value>) -> Self {
        Self::event("user.question_answer")
            .with("question_id", question_id.into())
            .with("answer", answer)
    }

    /// A `user.define_outcome` with this description.
    pub fn outcome(description: impl Into<String>) -> Self {
        Self::event("user.define_outcome").with("description", description.into())
    }

    /// Only from this Principal.
    #[must_use]
    pub fn by(self, principal: impl Into<String>) -> Self {
        self.with("authored_by", principal.into())
    }

    /// Only if this member of the payload has this value, all of it.
    #[must_use]
    pub fn with(mut self, member: impl Into<String>, value: impl Into<Value>) -> Self {
        let member = member.into();
        self.members.retain(|(name, _)| *name != member);
        self.members.push((member, value.into()));
        self
    }

    /// The first thing that is not as expected, in words; nothing if the event fits.
    pub(super) fn difference(&self, event: &LoggedEvent) -> Option<String> {
        if self.event_type != event.event_type {
            return Some(format!(
                "type: expected {}, received {}",
                self.event_type, event.event_type
            ));
        }
        self.members.iter().find_map(|(name, expected)| {
            let found = match event.payload.get(name) {
                Some(found) => found.clone(),
                None if *expected == Value::Bool(false) => Value::Bool(false),
                None => Value::Null,
            };
            difference(&format!("payload.{name}"), expected, &found)
        })
    }
}

/// Its type and what it expects of the payload, as JSON.
impl fmt::Display for Expected {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let members: serde_json::Map<String, Value> = self.members.iter().cloned().collect();
        write!(formatter, "{} {}", self.event_type, Value::Object(members))
    }
}

/// The first place, from the outside in, where two values differ.
fn difference(path: &str, expected: &Value, received: &Value) -> Option<String> {
    if expected == received {
        return None;
    }
    match (expected, received) {
        (Value::Object(wanted), Value::Object(found)) => {
            let names = wanted
                .keys()
                .chain(found.keys().filter(|name| !wanted.contains_key(*name)));
            names
                .filter(|name| wanted.get(*name) != found.get(*name))
                .find_map(|name| inner(&format!("{path}.{name}"), wanted.get(name), found.get(name)))
        }
        (Value::Array(wanted), Value::Array(found)) => (0..wanted.len().max(found.len()))
            .filter(|index| wanted.get(*index) != found.get(*index))
            .find_map(|index| inner(&format!("{path}[{index}]"), wanted.get(index), found.get(index))),
        _ => Some(format!("{path}: expected {expected}, received {received}")),
    }
}

fn inner(path: &str, expected: Option<&Value>, received: Option<&Value>) -> Option<String> {
    match (expected, received) {
        (Some(expected), Some(received)) => difference(path, expected, received),
        (Some(expected), None) => Some(format!("{path}: expected {expected}, received nothing")),
        (None, Some(received)) => Some(format!("{path}: expected nothing, received {received}")),
        (None, None) => None,
    }
}
