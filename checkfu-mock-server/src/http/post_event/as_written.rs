//! The members of a post that may be any JSON (EVT-1), taken from the text of the body and not from what a reader made
//! of their numbers.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::core::json::Json;
use crate::http::fields;
use crate::wire::error::ApiError;

/// `payload.result`.
pub(super) fn result(text: &[u8]) -> Result<Json, ApiError> {
    member(text, |payload| payload.result)
}

/// `payload.answer`.
pub(super) fn answer(text: &[u8]) -> Result<Json, ApiError> {
    member(text, |payload| payload.answer)
}

#[derive(Deserialize)]
struct Body<'b> {
    #[serde(borrow)]
    payload: Payload<'b>,
}

#[derive(Deserialize)]
struct Payload<'b> {
    #[serde(borrow)]
    result: Option<&'b RawValue>,
    #[serde(borrow)]
    answer: Option<&'b RawValue>,
}

/// A null is read as no value at all; that the member is there has been seen.
fn member<'b>(
    text: &'b [u8],
    choose: impl FnOnce(Payload<'b>) -> Option<&'b RawValue>,
) -> Result<Json, ApiError> {
    let body: Body<'b> = serde_json::from_slice(text)
        .map_err(|error| fields::invalid("", &format!("is not valid JSON: {error}")))?;
    Ok(Json::of(choose(body.payload).unwrap_or(RawValue::NULL)))
}
