use std::sync::Arc;

use serde_json::Value;

use super::recorder::Ending;
use crate::{
    json,
    wire::{client::Fault, exchange::Exchange},
};

pub(super) fn is_success(answer: &Exchange) -> bool {
    (200..300).contains(&answer.status())
}

/// How an operation ended of which nothing more is to be seen than its answer: refused calls have no effect, lost ones
/// may have one.
pub(super) fn ending(sent: &Result<Arc<Exchange>, Fault>) -> Ending {
    match sent {
        Ok(answer) if is_success(answer) => Ending::ok(None),
        Ok(answer) if (400..500).contains(&answer.status()) || answer.status() == 503 => {
            Ending::fail(refusal(answer))
        }
        Ok(answer) => Ending::unknown(format!("status {}", answer.status())),
        Err(fault @ (Fault::Unreachable(_) | Fault::Malformed(_) | Fault::Spent(_))) => {
            Ending::fail(fault.to_string())
        }
        Err(fault @ (Fault::NoAnswer(_) | Fault::Cut(_))) => Ending::unknown(fault.to_string()),
    }
}

pub(super) fn refusal(answer: &Exchange) -> String {
    let body = json::read(answer.body()).unwrap_or_default();
    let code = body
        .pointer("/error/code")
        .and_then(Value::as_str)
        .unwrap_or("no code");
    format!("status {} {code}", answer.status())
}

/// The same, with what the server says of it.
pub(super) fn refusal_in_words(answer: &Exchange) -> String {
    let body = json::read(answer.body()).unwrap_or_default();
    match body.pointer("/error/message").and_then(Value::as_str) {
        Some(message) => format!("{}, {message:?}", refusal(answer)),
        None => refusal(answer),
    }
}
