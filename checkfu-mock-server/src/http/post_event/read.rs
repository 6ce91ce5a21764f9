//! The payload of each event that clients post (A-AUTHOR, EVT-1).

use super::as_written;
use super::content::content;
use crate::core::command::OutcomeDefinition;
use crate::core::id::{EventId, PrincipalId, QuestionId, ThreadId, ToolUseId, WatchId};
use crate::core::payload::{
    Cause, Decision, PromptDecision, PromptIntegrity, Rubric, UserCustomToolResult, UserInterrupt,
    UserMessage, UserQuestionAnswer, UserToolConfirmation,
};
use crate::http::fields::Fields;
use crate::mutant::{self, Mutant};
use crate::wire::error::ApiError;

/// A-OUT: how often an Agent may try, unless it is said.
const DEFAULT_ITERATIONS: u32 = 3;
const MAX_ITERATIONS: u64 = 20;

pub(super) fn message(fields: &mut Fields) -> Result<UserMessage, ApiError> {
    Ok(UserMessage {
        content: content(fields)?,
        prompt_integrity: prompt_integrity(fields)?,
        authored_by: author(fields)?,
        caused_by: cause(fields)?,
    })
}

pub(super) fn interrupt(fields: &mut Fields) -> Result<UserInterrupt, ApiError> {
    Ok(UserInterrupt {
        session_thread_id: thread(fields)?,
        authored_by: author(fields)?,
        caused_by: cause(fields)?,
    })
}

pub(super) fn custom_tool_result(fields: &mut Fields, text: &[u8]) -> Result<UserCustomToolResult, ApiError> {
    Ok(UserCustomToolResult {
        tool_use_id: tool_use(fields)?,
        result: fields.required("result").and_then(|_| as_written::result(text))?,
        is_error: fields.optional_boolean("is_error")?,
        session_thread_id: thread(fields)?,
        wait_generation: generation(fields)?,
        authored_by: author(fields)?,
        caused_by: cause(fields)?,
    })
}

pub(super) fn tool_confirmation(fields: &mut Fields) -> Result<UserToolConfirmation, ApiError> {
    Ok(UserToolConfirmation {
        tool_use_id: tool_use(fields)?,
        result: match fields.required_text("result")?.as_str() {
            "allow" => Decision::Allow,
            "deny" => Decision::Deny,
            _ => return Err(fields.invalid("result", "must be allow or deny")),
        },
        deny_message: fields.optional_text("deny_message")?,
        session_thread_id: thread(fields)?,
        wait_generation: generation(fields)?,
        authored_by: author(fields)?,
        caused_by: cause(fields)?,
    })
}

pub(super) fn question_answer(fields: &mut Fields, text: &[u8]) -> Result<UserQuestionAnswer, ApiError> {
    Ok(UserQuestionAnswer {
        question_id: fields.required_id("question_id", QuestionId::PREFIX, QuestionId::parse)?,
        answer: fields.required("answer").and_then(|_| as_written::answer(text))?,
        session_thread_id: thread(fields)?,
        wait_generation: generation(fields)?,
        authored_by: author(fields)?,
        caused_by: cause(fields)?,
    })
}

pub(super) fn define_outcome(fields: &mut Fields) -> Result<OutcomeDefinition, ApiError> {
    Ok(OutcomeDefinition {
        description: fields.required_word("description")?,
        rubric: rubric(fields)?,
        max_iterations: iterations(fields)?.unwrap_or(DEFAULT_ITERATIONS),
        authored_by: author(fields)?,
        caused_by: cause(fields)?,
    })
}

fn rubric(fields: &mut Fields) -> Result<Rubric, ApiError> {
    let mut rubric = Fields::of(fields.required("rubric")?, &fields.path_of("rubric"))?;
    let read = match rubric.required_text("type")?.as_str() {
        "text" => Rubric::Text {
            content: rubric.required_word("content")?,
        },
        "file" => Rubric::File {
            file_id: rubric.required_word("file_id")?,
        },
        _ => return Err(rubric.invalid("type", "must be text or file")),
    };
    rubric.finish()?;
    Ok(read)
}

fn prompt_integrity(fields: &mut Fields) -> Result<Option<PromptIntegrity>, ApiError> {
    let Some(value) = fields.optional("prompt_integrity") else {
        return Ok(None);
    };
    let mut decided = Fields::of(value, &fields.path_of("prompt_integrity"))?;
    let challenge = decided.required_word("challenge")?;
    let decision = match decided.required_text("decision")?.as_str() {
        "use_corrected" => PromptDecision::UseCorrected,
        "preserve_original" => PromptDecision::PreserveOriginal,
        _ => return Err(decided.invalid("decision", "must be use_corrected or preserve_original")),
    };
    decided.finish()?;
    Ok(Some(PromptIntegrity { challenge, decision }))
}

fn author(fields: &mut Fields) -> Result<PrincipalId, ApiError> {
    fields.required_id("authored_by", PrincipalId::PREFIX, PrincipalId::parse)
}

fn thread(fields: &mut Fields) -> Result<Option<ThreadId>, ApiError> {
    fields.optional_id("session_thread_id", ThreadId::PREFIX, ThreadId::parse)
}

fn tool_use(fields: &mut Fields) -> Result<ToolUseId, ApiError> {
    fields.required_word("tool_use_id").map(ToolUseId::new)
}

/// A generation beyond what is counted is one that never was.
fn generation(fields: &mut Fields) -> Result<Option<u32>, ApiError> {
    let number = fields.optional_whole_number("wait_generation", None)?;
    let named = number.map(|number| u32::try_from(number).unwrap_or(u32::MAX));
    Ok(named.filter(|_| !mutant::active(Mutant::AnyGeneration)))
}

fn iterations(fields: &mut Fields) -> Result<Option<u32>, ApiError> {
    let number = fields.optional_whole_number("max_iterations", Some(MAX_ITERATIONS))?;
    Ok(number.and_then(|number| u32::try_from(number).ok()))
}

/// A-AUTHOR: the kinds are open.
fn cause(fields: &mut Fields) -> Result<Cause, ApiError> {
    let given = if mutant::active(Mutant::CauseOptional) {
        let made_up = || serde_json::json!({"kind": "api"});
        fields.optional("caused_by").unwrap_or_else(made_up)
    } else {
        fields.required("caused_by")?
    };
    let mut cause = Fields::of(given, &fields.path_of("caused_by"))?;
    let kind = cause.required_word("kind")?;
    let event_id = cause.optional_id("event_id", EventId::PREFIX, EventId::parse)?;
    let watch_id = cause.optional_id("watch_id", WatchId::PREFIX, WatchId::parse)?;
    cause.finish()?;
    Ok(Cause {
        kind,
        event_id,
        watch_id,
    })
}
