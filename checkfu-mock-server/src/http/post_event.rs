//! The body of `POST /v1/sessions/{id}/events`: one `{type, payload}` (EVT-1, SES-4, A-AUTHOR, A-POST).

use serde_json::{Map, Value};

use super::fields::{Fields, invalid, kind};
use crate::capability::Capability;
use crate::core::command::Command;
use crate::core::id::PrincipalId;
use crate::core::payload::{Block, Cause, UserMessage};
use crate::wire::error::ApiError;

/// The capability that a body needs: its type's, or that of a member.
pub(crate) fn needed_capability(body: &Value) -> Option<Capability> {
    match body.get("type")?.as_str()? {
        "user.message" => {
            body.pointer("/payload/prompt_integrity")
                .filter(|value| !value.is_null())?;
            Some(Capability::PromptIntegrity)
        }
        "user.interrupt" => Some(Capability::Interrupts),
        "user.custom_tool_result" | "user.tool_confirmation" | "user.question_answer" => {
            Some(Capability::Waits)
        }
        "user.define_outcome" => Some(Capability::Outcomes),
        _ => None,
    }
}

/// Reads the body into a command.
pub(crate) fn command(body: Value) -> Result<Command, ApiError> {
    let mut fields = Fields::of(body, "")?;
    if fields.optional("events").is_some() {
        return Err(fields.invalid(
            "events",
            "is not accepted: post one event at a time as {type, payload}",
        ));
    }
    let type_name = fields.required_text("type")?;
    let payload = fields.required("payload")?;
    match type_name.as_str() {
        "user.message" => {
            let message = user_message(payload)?;
            fields.finish()?;
            Ok(Command::Message(message))
        }
        _ => Err(fields.invalid(
            "type",
            "must be a user.* event that clients post, such as user.message",
        )),
    }
}

fn user_message(payload: Value) -> Result<UserMessage, ApiError> {
    let mut fields = Fields::of(payload, "payload")?;
    let content = content(&mut fields)?;
    let authored_by = fields.required_id("authored_by", PrincipalId::PREFIX, PrincipalId::parse)?;
    let caused_by = cause(&mut fields)?;
    let _ = fields.optional("prompt_integrity");
    fields.finish()?;
    Ok(UserMessage {
        content,
        authored_by,
        caused_by,
    })
}

/// A-AUTHOR: the kinds are open, and so is what a kind says beyond its name.
fn cause(fields: &mut Fields) -> Result<Cause, ApiError> {
    let mut cause = Fields::of(fields.required("caused_by")?, &fields.path_of("caused_by"))?;
    let kind = cause.required_text("kind")?;
    if kind.is_empty() {
        return Err(cause.invalid("kind", "must not be empty; a program that calls the API says api"));
    }
    Ok(Cause {
        kind,
        more: cause.rest(),
    })
}

/// An array of blocks; a bare string is short for one text block.
fn content(fields: &mut Fields) -> Result<Vec<Block>, ApiError> {
    let path = fields.path_of("content");
    match fields.required("content")? {
        Value::String(text) => Ok(vec![text_block(text, &path)?]),
        Value::Array(blocks) if blocks.is_empty() => Err(invalid(&path, "must have at least one block")),
        Value::Array(blocks) => blocks
            .into_iter()
            .enumerate()
            .map(|(index, value)| block(value, &format!("{path}[{index}]")))
            .collect(),
        other => Err(invalid(
            &path,
            &format!("must be a string or an array of blocks, not {}", kind(&other)),
        )),
    }
}

fn block(value: Value, path: &str) -> Result<Block, ApiError> {
    let mut fields = Fields::of(value, path)?;
    let block = match fields.required_text("type")?.as_str() {
        "text" => text_block(fields.required_text("text")?, &fields.path_of("text"))?,
        "image" => Block::Image {
            source: source(&mut fields)?,
        },
        "document" => Block::Document {
            source: source(&mut fields)?,
        },
        _ => return Err(fields.invalid("type", "must be text, image or document")),
    };
    fields.finish()?;
    Ok(block)
}

fn text_block(text: String, path: &str) -> Result<Block, ApiError> {
    if text.is_empty() {
        Err(invalid(path, "must not be empty"))
    } else {
        Ok(Block::Text { text })
    }
}

fn source(fields: &mut Fields) -> Result<Map<String, Value>, ApiError> {
    match fields.required("source")? {
        Value::Object(source) => Ok(source),
        other => Err(fields.invalid("source", &format!("must be an object, not {}", kind(&other)))),
    }
}
