use serde_json::{Map, Value, json};

use super::user_input::UserInput;
use crate::model::PrincipalId;
use crate::model::payload::{Content, PromptIntegrity};

/// `user.message`: starts a turn, or adds to the Session's work.
#[derive(Debug, Clone, PartialEq)]
#[must_use = "an input does nothing until it is sent"]
pub struct UserMessage {
    content: Content,
    prompt_integrity: Option<PromptIntegrity>,
}

impl UserMessage {
    /// A message of text, or of several blocks.
    pub fn new(content: impl Into<Content>) -> Self {
        Self {
            content: content.into(),
            prompt_integrity: None,
        }
    }

    /// The author's decision on a prompt that the server questioned, as
    /// [`QuestionedPrompt::decide`](crate::error::QuestionedPrompt::decide) makes it (`PIN-1`, `A-PIN`). It goes with the
    /// original content, and is never made by the SDK.
    pub fn prompt_integrity(mut self, decision: PromptIntegrity) -> Self {
        self.prompt_integrity = Some(decision);
        self
    }

    /// Names the author.
    pub fn by(self, author: impl Into<PrincipalId>) -> UserInput {
        let mut payload = Map::new();
        payload.insert("content".to_owned(), self.content.to_json());
        if let Some(PromptIntegrity {
            challenge, decision, ..
        }) = self.prompt_integrity
        {
            let decision = json!({ "challenge": challenge, "decision": decision.as_str() });
            payload.insert("prompt_integrity".to_owned(), decision);
        }
        UserInput::new("user.message", payload, author)
    }
}

impl Content {
    fn to_json(&self) -> Value {
        use crate::model::payload::ContentBlock;
        let blocks = self.blocks().iter().map(|block| match block {
            ContentBlock::Text(text) => json!({ "type": "text", "text": text }),
            ContentBlock::Other(members) => Value::Object(members.clone()),
        });
        Value::Array(blocks.collect())
    }
}
