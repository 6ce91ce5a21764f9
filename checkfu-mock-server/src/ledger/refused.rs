//! Refusals of the core as errors of the API.

use serde_json::Value;

use crate::core::id::ThreadId;
use crate::core::refusal::Refusal;
use crate::wire::error::{ApiError, Code};

/// What the caller is told.
pub(super) fn refusal_error(refusal: &Refusal) -> ApiError {
    let error = ApiError::new(code(refusal), refusal.to_string());
    match refusal {
        Refusal::InvalidTransition { from, to } => error
            .with_detail("from", from.as_str())
            .with_detail("to", to.as_str()),
        Refusal::UnknownThread => error.with_param("payload.session_thread_id"),
        Refusal::AmbiguousThread(candidates) => error
            .with_param("payload.session_thread_id")
            .with_detail("session_thread_ids", names(candidates)),
        Refusal::InsufficientAuthority => error.with_param("payload.authored_by"),
        Refusal::DecisionRequired {
            inspection,
            challenge,
        } => error
            .with_param("payload.content")
            .with_detail("findings", json(&inspection.findings))
            .with_detail("corrected_content", json(&inspection.corrected))
            .with_detail("challenge", challenge.as_str()),
        _ => error,
    }
}

fn code(refusal: &Refusal) -> Code {
    match refusal {
        Refusal::InvalidTransition { .. }
        | Refusal::StaleStep
        | Refusal::OutcomeActive
        | Refusal::ThreadBusy(_) => Code::InvalidTransition,
        Refusal::PrimaryThread => Code::PrimaryThread,
        Refusal::UnknownThread => Code::NotFound,
        Refusal::UnknownAction => Code::UnknownAction,
        Refusal::StaleWait(_) => Code::StaleWait,
        Refusal::AmbiguousThread(_) => Code::AmbiguousThread,
        Refusal::InsufficientAuthority => Code::InsufficientAuthority,
        Refusal::DecisionRequired { .. } => Code::DecisionRequired,
    }
}

fn names(threads: &[ThreadId]) -> Vec<&str> {
    threads.iter().map(ThreadId::as_str).collect()
}

fn json(value: &impl serde::Serialize) -> Value {
    serde_json::to_value(value).unwrap_or_default()
}
