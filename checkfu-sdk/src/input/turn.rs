use serde_json::{Map, Value};

use super::user_input::UserInput;
use crate::model::{PrincipalId, SessionThreadId};

/// `user.interrupt`: ends the current turn. The Session becomes idle and can be driven again (`SES-10`).
#[derive(Debug, Clone, PartialEq, Default)]
#[must_use = "an input does nothing until it is sent"]
pub struct Interrupt(Map<String, Value>);

impl Interrupt {
    /// Ends the whole turn.
    pub fn turn() -> Self {
        Self::default()
    }

    /// Ends the work of one thread only.
    pub fn thread(thread: impl Into<SessionThreadId>) -> Self {
        let mut payload = Map::new();
        payload.insert("session_thread_id".to_owned(), thread.into().as_str().into());
        Self(payload)
    }

    /// Names the author.
    pub fn by(self, author: impl Into<PrincipalId>) -> UserInput {
        UserInput::new("user.interrupt", self.0, author)
    }
}

/// `user.define_outcome`: sets the Agent to work until an Outcome is reached.
#[derive(Debug, Clone, PartialEq)]
#[must_use = "an input does nothing until it is sent"]
pub struct DefineOutcome(Map<String, Value>);

impl DefineOutcome {
    /// What is to be reached, and the rubric that it is judged by.
    pub fn new(description: impl Into<String>, rubric: impl Into<Value>) -> Self {
        let mut payload = Map::new();
        payload.insert("description".to_owned(), Value::String(description.into()));
        payload.insert("rubric".to_owned(), rubric.into());
        Self(payload)
    }

    /// How many times the Agent may try. Default: the server's.
    pub fn max_iterations(mut self, iterations: u64) -> Self {
        self.0.insert("max_iterations".to_owned(), iterations.into());
        self
    }

    /// Names the author.
    pub fn by(self, author: impl Into<PrincipalId>) -> UserInput {
        UserInput::new("user.define_outcome", self.0, author)
    }
}
