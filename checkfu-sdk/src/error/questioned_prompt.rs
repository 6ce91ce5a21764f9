use serde::Deserialize;
use serde_json::Value;

use crate::model::open_enum;
use crate::model::payload::{Content, IntegrityDecision, PromptIntegrity};

/// What a server asks the author of a message before it takes it (`PIN-1`, `A-PIN`). Nothing was appended.
///
/// The decision is the author's, and the SDK never makes it. It is a new call, with a new idempotency key and the
/// *original* content, also where the correction is chosen: the server has that already.
///
/// ```no_run
/// use checkfu_sdk::error::Error;
/// use checkfu_sdk::input::UserMessage;
/// use checkfu_sdk::model::payload::IntegrityDecision;
///
/// # async fn example(client: checkfu_sdk::Client, text: String) -> Result<(), Error> {
/// let events = client.sessions().events("sess_1");
/// let message = UserMessage::new(text);
/// let question = match events.send(message.clone().by("prin_1")).await {
///     Err(Error::Api(refusal)) => refusal.questioned_prompt(),
///     answer => return answer.map(drop),
/// };
/// if let Some(question) = question {
///     println!("{:?}\nUse instead: {:?}", question.findings, question.corrected_content);
///     // … and whatever the author answers:
///     let decision = question.decide(IntegrityDecision::PreserveOriginal);
///     events.send(message.prompt_integrity(decision).by("prin_1")).await?;
/// }
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct QuestionedPrompt {
    /// What is suspicious, in the order of the text.
    pub findings: Vec<PromptFinding>,
    /// The content as the server would correct it.
    pub corrected_content: Option<Content>,
    /// What the decision answers. It is good for this Session, author and content, once, and for ten minutes.
    pub challenge: String,
}

/// One suspicious place of a prompt. Places count Unicode scalar values from 0 within one block of the content.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct PromptFinding {
    /// What is suspicious there.
    pub kind: PromptFindingKind,
    /// The block, counted from 0.
    pub block: usize,
    /// The first character.
    pub start: usize,
    /// The first character after it.
    pub end: usize,
    /// The characters that make it so, as in `U+202E`.
    #[serde(default)]
    pub codepoints: Vec<String>,
}

open_enum! {
    /// What is suspicious in a prompt.
    PromptFindingKind {
        /// A word with letters of several scripts that look alike.
        MixedScriptConfusable = "mixed_script_confusable",
        /// A control character that changes the order in which text is shown.
        BidiControl = "bidi_control",
    }
}

impl QuestionedPrompt {
    /// Reads it leniently: without a challenge there is nothing to answer, all else may be missing or of another shape.
    pub(super) fn read(details: &Value) -> Option<Self> {
        let findings = details.get("findings").and_then(Value::as_array);
        let findings = findings.into_iter().flatten();
        let corrected = details.get("corrected_content");
        Some(Self {
            findings: findings
                .filter_map(|finding| PromptFinding::deserialize(finding).ok())
                .collect(),
            corrected_content: corrected.and_then(|content| Content::deserialize(content).ok()),
            challenge: details.get("challenge")?.as_str()?.to_owned(),
        })
    }

    /// The answer to the challenge, to be sent with the original content.
    pub fn decide(&self, decision: IntegrityDecision) -> PromptIntegrity {
        PromptIntegrity::new(&*self.challenge, decision)
    }
}
