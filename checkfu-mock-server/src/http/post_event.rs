//! The body of `POST /v1/sessions/{id}/events`: one `{type, payload}` (EVT-1, A-AUTHOR, A-POST).

mod as_written;
mod content;
mod read;

use serde_json::Value;

use super::challenge::Subject;
use super::fields::Fields;
use super::state::State;
use crate::capability::Capability;
use crate::catalog::principal::APPROVE;
use crate::core::command::{Command, PromptCheck, Response};
use crate::core::id::SessionId;
use crate::core::moment::Moment;
use crate::core::payload::UserMessage;
use crate::core::prompt_integrity;
use crate::mutant::{self, Mutant};
use crate::wire::error::ApiError;

/// The capabilities that a body needs: its type's, and those of its members.
pub(crate) fn needed_capabilities(body: &Value) -> impl Iterator<Item = Capability> {
    let of_type = match body.get("type").and_then(Value::as_str) {
        Some("user.interrupt") => Some(Capability::Interrupts),
        Some("user.custom_tool_result" | "user.tool_confirmation" | "user.question_answer") => {
            Some(Capability::Waits)
        }
        Some("user.define_outcome") => Some(Capability::Outcomes),
        _ => None,
    };
    let payload = body.get("payload");
    let of_member = move |name: &str, capability| {
        let member = payload.and_then(|payload| payload.get(name));
        member.filter(|value| !value.is_null()).map(|_| capability)
    };
    [
        of_type,
        of_member("session_thread_id", Capability::Threads),
        of_member("prompt_integrity", Capability::PromptIntegrity),
    ]
    .into_iter()
    .flatten()
}

/// Reads the body into a command for this Session; what its author may do is looked up now (WAIT-5), and so is what is
/// suspicious in what is said (PIN-1).
pub(crate) fn command(
    body: Value,
    text: &[u8],
    session: &SessionId,
    shared: &State,
    now: Moment,
) -> Result<Command, ApiError> {
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
        "user.message" => {
            let message = read::message(payload)?;
            Command::Message {
                check: prompt_check(&message, session, shared, now),
                message,
            }
        }
        "user.interrupt" => Command::Interrupt(read::interrupt(payload)?),
        "user.custom_tool_result" => {
            Command::Respond(Response::Result(read::custom_tool_result(payload, text)?))
        }
        "user.tool_confirmation" => {
            let confirmation = read::tool_confirmation(payload)?;
            Command::Respond(Response::Confirmation {
                authorized: mutant::active(Mutant::AnyoneApproves)
                    || shared.catalog.may(&confirmation.authored_by, APPROVE),
                confirmation,
            })
        }
        "user.question_answer" => Command::Respond(Response::Answer(read::question_answer(payload, text)?)),
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

/// A-PIN: whether something is suspicious, and if so whether the author has decided about exactly this.
fn prompt_check(
    message: &UserMessage,
    session: &SessionId,
    State {
        capabilities,
        challenges,
        ..
    }: &State,
    now: Moment,
) -> Option<PromptCheck> {
    if !capabilities.has(Capability::PromptIntegrity) || mutant::active(Mutant::AnyPrompt) {
        return None;
    }
    let inspection = prompt_integrity::inspect(&message.content)?;
    let subject = Subject {
        session,
        author: &message.authored_by,
        content: &message.content,
    };
    Some(PromptCheck {
        inspection,
        challenge_is_valid: message.prompt_integrity.as_ref().is_some_and(|decided| {
            mutant::active(Mutant::AnyChallenge) || challenges.open(subject, &decided.challenge, now)
        }),
        fresh_challenge: challenges.seal(subject, now),
    })
}
