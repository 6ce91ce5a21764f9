//! The body of `POST /v1/sessions/{id}/events`: one `{type, payload}` (EVT-1, A-AUTHOR, A-POST).

mod content;
mod read;

use serde_json::Value;

use super::fields::Fields;
use crate::capability::Capability;
use crate::catalog::Catalog;
use crate::catalog::principal::APPROVE;
use crate::core::command::{Command, Response};
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

/// Reads the body into a command; what its author may do is looked up now (WAIT-5).
pub(crate) fn command(body: Value, catalog: &Catalog) -> Result<Command, ApiError> {
    let mut fields = Fields::of(body, "")?;
    if fields.optional("events").is_some() {
        return Err(fields.invalid(
            "events",
            "is not accepted: post one event at a time as {type, payload}",
        ));
    }
    let type_name = fields.required_text("type")?;
    let mut payload = Fields::of(fields.required("payload")?, "payload")?;
    let payload = &mut payload;
    let command = match type_name.as_str() {
        "user.message" => Command::Message {
            message: read::message(payload)?,
            check: None,
        },
        "user.interrupt" => Command::Interrupt(read::interrupt(payload)?),
        "user.custom_tool_result" => Command::Respond(Response::Result(read::custom_tool_result(payload)?)),
        "user.tool_confirmation" => {
            let confirmation = read::tool_confirmation(payload)?;
            Command::Respond(Response::Confirmation {
                authorized: catalog.may(&confirmation.authored_by, APPROVE),
                confirmation,
            })
        }
        "user.question_answer" => Command::Respond(Response::Answer(read::question_answer(payload)?)),
        "user.define_outcome" => Command::DefineOutcome(read::define_outcome(payload)?),
        _ => {
            return Err(fields.invalid(
                "type",
                "must be a user.* event that clients post, such as user.message",
            ));
        }
    };
    payload.finish()?;
    fields.finish()?;
    Ok(command)
}
