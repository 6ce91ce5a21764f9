//! The body of `POST /v1/sessions/{id}/events`: one `{type, payload}` (EVT-1, A-AUTHOR, A-POST).

use axum::http::Uri;
use serde_json::Value;

use super::fields::{Fields, invalid, kind};
use crate::capability::Capability;
use crate::core::command::Command;
use crate::core::id::{EventId, PrincipalId, WatchId};
use crate::core::payload::{Block, Cause, Source, UserMessage};
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

/// A-AUTHOR: the kinds are open.
fn cause(fields: &mut Fields) -> Result<Cause, ApiError> {
    let mut cause = Fields::of(fields.required("caused_by")?, &fields.path_of("caused_by"))?;
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

/// An array of blocks; a bare string is short for one text block.
fn content(fields: &mut Fields) -> Result<Vec<Block>, ApiError> {
    let path = fields.path_of("content");
    match fields.required("content")? {
        Value::String(text) if text.is_empty() => Err(invalid(&path, "must not be empty")),
        Value::String(text) => Ok(vec![Block::Text { text }]),
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
        "text" => Block::Text {
            text: fields.required_word("text")?,
        },
        "image" => Block::Image {
            source: source(&mut fields, &["base64", "url", "file"])?,
        },
        "document" => Block::Document {
            source: source(&mut fields, &["base64", "url", "file", "text"])?,
            title: fields.optional_text("title")?,
        },
        _ => return Err(fields.invalid("type", "must be text, image or document")),
    };
    fields.finish()?;
    Ok(block)
}

fn source(block: &mut Fields, allowed: &[&str]) -> Result<Source, ApiError> {
    let mut fields = Fields::of(block.required("source")?, &block.path_of("source"))?;
    let type_name = fields.required_text("type")?;
    if !allowed.contains(&type_name.as_str()) {
        return Err(fields.invalid("type", &format!("must be one of {}", allowed.join(", "))));
    }
    let source = match type_name.as_str() {
        "url" => Source::Url {
            url: absolute_url(&mut fields)?,
        },
        "file" => Source::File {
            file_id: fields.required_word("file_id")?,
        },
        "text" => Source::Text {
            media_type: fields.required_word("media_type")?,
            data: fields.required_text("data")?,
        },
        _ => Source::Base64 {
            media_type: fields.required_word("media_type")?,
            data: base64(&mut fields)?,
        },
    };
    fields.finish()?;
    Ok(source)
}

fn base64(fields: &mut Fields) -> Result<String, ApiError> {
    let data = fields.required_text("data")?;
    match data_encoding::BASE64.decode(data.as_bytes()) {
        Ok(_) => Ok(data),
        Err(_) => Err(fields.invalid("data", "must be base64 with padding")),
    }
}

fn absolute_url(fields: &mut Fields) -> Result<String, ApiError> {
    let url = fields.required_text("url")?;
    let absolute = url
        .parse::<Uri>()
        .is_ok_and(|uri| uri.scheme_str() == Some("https") && uri.host().is_some());
    if absolute {
        Ok(url)
    } else {
        Err(fields.invalid("url", "must be an absolute https address"))
    }
}
