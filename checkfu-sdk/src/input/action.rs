use serde_json::{Map, Value};

use super::user_input::UserInput;
use crate::model::payload::Confirmation;
use crate::model::{PrincipalId, QuestionId, SessionThreadId, ToolUseId};

/// What every answer to a wait can say of the wait.
macro_rules! answers_a_wait {
    () => {
        /// Names the thread that waits. For a child's wait it is always right to do so (`THR-8`).
        pub fn on_thread(mut self, thread: impl Into<SessionThreadId>) -> Self {
            self.0.insert(
                "session_thread_id".to_owned(),
                thread.into().as_str().into(),
            );
            self
        }

        /// Names the wait that it answers (`A-GEN`).
        pub fn wait_generation(mut self, generation: u64) -> Self {
            self.0
                .insert("wait_generation".to_owned(), generation.into());
            self
        }
    };
}

/// `user.custom_tool_result`: what a tool that the application runs gave.
#[derive(Debug, Clone, PartialEq)]
#[must_use = "an input does nothing until it is sent"]
pub struct CustomToolResult(Map<String, Value>);

impl CustomToolResult {
    /// The result of the call, any JSON.
    pub fn new(tool_use_id: impl Into<ToolUseId>, result: impl Into<Value>) -> Self {
        let mut payload = Map::new();
        payload.insert("tool_use_id".to_owned(), tool_use_id.into().as_str().into());
        payload.insert("result".to_owned(), result.into());
        Self(payload)
    }

    /// Says that the tool failed.
    pub fn error(mut self) -> Self {
        self.0.insert("is_error".to_owned(), true.into());
        self
    }

    answers_a_wait!();

    /// Names the author.
    pub fn by(self, author: impl Into<PrincipalId>) -> UserInput {
        UserInput::new("user.custom_tool_result", self.0, author)
    }
}

/// `user.tool_confirmation`: the decision on a governed tool call.
#[derive(Debug, Clone, PartialEq)]
#[must_use = "an input does nothing until it is sent"]
pub struct ToolConfirmation(Map<String, Value>);

impl ToolConfirmation {
    /// The call may run.
    pub fn allow(tool_use_id: impl Into<ToolUseId>) -> Self {
        Self::new(tool_use_id.into(), &Confirmation::Allow)
    }

    /// The call must not run.
    pub fn deny(tool_use_id: impl Into<ToolUseId>) -> Self {
        Self::new(tool_use_id.into(), &Confirmation::Deny)
    }

    fn new(tool_use_id: ToolUseId, result: &Confirmation) -> Self {
        let mut payload = Map::new();
        payload.insert("tool_use_id".to_owned(), tool_use_id.as_str().into());
        payload.insert("result".to_owned(), result.as_str().into());
        Self(payload)
    }

    /// Tells the Agent why the call was denied.
    pub fn message(mut self, message: impl Into<String>) -> Self {
        self.0
            .insert("deny_message".to_owned(), Value::String(message.into()));
        self
    }

    answers_a_wait!();

    /// Names the author.
    pub fn by(self, author: impl Into<PrincipalId>) -> UserInput {
        UserInput::new("user.tool_confirmation", self.0, author)
    }
}

/// `user.question_answer`: the answer to a question of the Agent.
#[derive(Debug, Clone, PartialEq)]
#[must_use = "an input does nothing until it is sent"]
pub struct QuestionAnswer(Map<String, Value>);

impl QuestionAnswer {
    /// The answer, any JSON.
    pub fn new(question_id: impl Into<QuestionId>, answer: impl Into<Value>) -> Self {
        let mut payload = Map::new();
        payload.insert("question_id".to_owned(), question_id.into().as_str().into());
        payload.insert("answer".to_owned(), answer.into());
        Self(payload)
    }

    answers_a_wait!();

    /// Names the author.
    pub fn by(self, author: impl Into<PrincipalId>) -> UserInput {
        UserInput::new("user.question_answer", self.0, author)
    }
}
