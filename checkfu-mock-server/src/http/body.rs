//! Request bodies: bounded, hashed, decoded into values of their own.

use std::time::Duration;

use axum::body::{self, Body};
use axum::http::{HeaderMap, HeaderValue, header};
use bytes::Bytes;
use serde_json::{Map, Value};
use sha2::{Digest, Sha256};

use super::{fields, strict_json};
use crate::mutant::{self, Mutant};
use crate::wire::error::{ApiError, Code};

/// The largest body that is read: 1 MiB.
pub(crate) const MAX_BODY_BYTES: usize = 1024 * 1024;

/// A body that was read whole.
#[derive(Debug)]
pub(crate) struct ReadBody {
    /// The bytes as they came.
    pub(crate) text: Bytes,
    /// What an idempotency record remembers of it.
    pub(crate) hash: [u8; 32],
    /// The decoded JSON; its strings are copies, so nothing holds on to the connection's buffer.
    pub(crate) json: Result<Value, ApiError>,
}

/// What no bytes at all mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum EmptyBody {
    IsAnObject,
    IsAnError,
}

/// Reads a body to its end, for as long as `limit`. A body that takes longer is as good as one that ended early.
pub(crate) async fn read(
    headers: &HeaderMap,
    body: Body,
    empty: EmptyBody,
    limit: Duration,
) -> Result<ReadBody, ApiError> {
    let bytes = tokio::time::timeout(limit, body::to_bytes(body, MAX_BODY_BYTES))
        .await
        .map_err(|_| fields::invalid("", &format!("did not arrive whole within {limit:?}")))?
        .map_err(|error| unreadable(&error))?;
    let json = if bytes.is_empty() && empty == EmptyBody::IsAnObject {
        Ok(Value::Object(Map::new()))
    } else {
        check_media_type(headers).and_then(|()| decode(&bytes))
    };
    Ok(ReadBody {
        hash: Sha256::digest(&bytes).into(),
        text: bytes,
        json,
    })
}

/// A body without a media type is taken for JSON. JSON is UTF-8, and comes as it is.
fn check_media_type(headers: &HeaderMap) -> Result<(), ApiError> {
    let plain = |value: &HeaderValue| value.as_bytes().eq_ignore_ascii_case(b"identity");
    if !headers.get_all(header::CONTENT_ENCODING).iter().all(plain) {
        let message = "the request body must not be encoded; leave Content-Encoding out";
        return Err(ApiError::new(Code::UnsupportedMediaType, message).with_param("Content-Encoding"));
    }
    let Some(value) = headers.get(header::CONTENT_TYPE) else {
        return Ok(());
    };
    let mut parts = value.to_str().unwrap_or_default().split(';').map(str::trim);
    let essence = parts.next().unwrap_or_default();
    let other_charset = parts
        .filter_map(|parameter| parameter.split_once('='))
        .any(|(name, value)| {
            name.eq_ignore_ascii_case("charset") && !value.trim_matches('"').eq_ignore_ascii_case("utf-8")
        });
    let json = essence.eq_ignore_ascii_case("application/json") && !other_charset;
    if json || mutant::active(Mutant::AnyMediaType) {
        return Ok(());
    }
    let message = "the request body must be application/json in UTF-8";
    Err(ApiError::new(Code::UnsupportedMediaType, message).with_param("Content-Type"))
}

fn decode(bytes: &Bytes) -> Result<Value, ApiError> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        fields::invalid("", &format!("is not UTF-8 from byte {} on", error.valid_up_to()))
    })?;
    strict_json::read(text)
}

fn unreadable(error: &axum::Error) -> ApiError {
    let mut source: Option<&dyn std::error::Error> = Some(error);
    while let Some(current) = source {
        if current.is::<http_body_util::LengthLimitError>() {
            return ApiError::new(
                Code::TooLarge,
                format!("the request body is larger than {MAX_BODY_BYTES} bytes"),
            );
        }
        source = current.source();
    }
    fields::invalid("", "ended before it was complete")
}
