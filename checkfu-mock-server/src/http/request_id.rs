//! A `request-id` on every response, and the body of every refusal (A-ERR).

use std::time::Instant;

use axum::body::Body;
use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::Next;
use axum::response::Response;

use super::response::Refused;
use crate::ledger::entropy::SystemEntropy;

static REQUEST_ID: HeaderName = HeaderName::from_static("request-id");

/// The outermost layer.
pub(crate) async fn identify(request: Request, next: Next) -> Response {
    let id = format!(
        "req_{}",
        data_encoding::HEXLOWER.encode(&SystemEntropy::bytes::<16>())
    );
    let method = request.method().clone();
    let started = Instant::now();
    let mut response = next.run(request).await;
    if let Some(Refused(error)) = response.extensions_mut().remove::<Refused>() {
        *response.body_mut() = Body::from(error.body(&id));
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.remove(header::CONTENT_LENGTH);
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
        request_id = id,
        %method,
        status = response.status().as_u16(),
        milliseconds = started.elapsed().as_millis(),
        "answered"
    );
    if let Ok(value) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID.clone(), value);
    }
    response
}
