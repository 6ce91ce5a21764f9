//! The body of `POST /v1/sessions/{id}/events`: one `{type, payload}` (EVT-1, A-AUTHOR, A-POST).

mod content;
mod read;

use serde_json::Value;

use super::challenge::{Challenges, Subject};
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

/// Reads the body into a command for this Session; what its author may do is looked up now (WAIT-5), and so is what is
/// suspicious in what is said (PIN-1).
pub(crate) fn command(
    body: Value,
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
                check: prompt_check(&message, session, &shared.challenges, now),
                message,
            }
        }
        "user.interrupt" => Command::Interrupt(read::interrupt(payload)?),
        "user.custom_tool_result" => Command::Respond(Response::Result(read::custom_tool_result(payload)?)),
        "user.tool_confirmation" => {
            let confirmation = read::tool_confirmation(payload)?;
            Command::Respond(Response::Confirmation {
                authorized: mutant::active(Mutant::AnyoneApproves)
                    || shared.catalog.may(&confirmation.authored_by, APPROVE),
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

/// A-PIN: whether something is suspicious, and if so whether the author has decided about exactly this.
fn prompt_check(
    message: &UserMessage,
    session: &SessionId,
    challenges: &Challenges,
    now: Moment,
) -> Option<PromptCheck> {
    if !Capability::PromptIntegrity.is_enabled() || mutant::active(Mutant::AnyPrompt) {
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
