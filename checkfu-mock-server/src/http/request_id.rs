//! A `request-id` on every response, and the body of every refusal (A-ERR).

use std::time::Instant;

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;

use super::response::Refused;
use crate::ledger::entropy::SystemEntropy;
use crate::mutant::{self, Mutant};

/// The header field.
pub(crate) static REQUEST_ID: HeaderName = HeaderName::from_static("request-id");

/// What a request is found by in logs, errors and the journal: `req_` and 32 hexadecimal digits.
#[derive(Debug, Clone)]
pub(crate) struct RequestId(String);

impl RequestId {
    /// One that no other request has.
    pub(crate) fn fresh() -> Self {
        Self(format!(
            "req_{}",
            data_encoding::HEXLOWER.encode(&SystemEntropy::bytes::<16>())
        ))
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.0
    }
}

/// The outermost layer. A request that has no id yet gets one.
pub(crate) async fn identify(request: Request, next: Next) -> Response {
    let id = request.extensions().get::<RequestId>().cloned();
    let id = id.unwrap_or_else(RequestId::fresh);
    let method = request.method().clone();
    let started = Instant::now();
    let mut response = next.run(request).await;
    if let Some(Refused(error)) = response.extensions_mut().remove::<Refused>() {
        let told = if mutant::active(Mutant::OtherRequestId) {
            RequestId::fresh()
        } else {
            id.clone()
        };
        *response.body_mut() = Body::from(error.body(told.as_str()));
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.remove(header::CONTENT_LENGTH);
        if mutant::active(Mutant::PlainTextErrors) {
            headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/plain"));
            *response.body_mut() = Body::from(error.message.clone());
        }
        let headers = response.headers_mut();
        if let Some(seconds) = error.retry_after() {
            headers.insert(header::RETRY_AFTER, seconds.into());
        }
        if response.status() == StatusCode::UNAUTHORIZED {
            response
                .headers_mut()
                .insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
    }
    tracing::debug!(
        request_id = id.as_str(),
        %method,
        status = response.status().as_u16(),
        milliseconds = started.elapsed().as_millis(),
        "answered"
    );
    if let Ok(value) = HeaderValue::from_str(id.as_str()) {
        response.headers_mut().insert(REQUEST_ID.clone(), value);
    }
    response
}
