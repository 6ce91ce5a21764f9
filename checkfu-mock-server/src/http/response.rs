//! JSON responses and refusals.

use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use serde::Serialize;

use crate::ledger::reply::Reply;
use crate::wire::error::ApiError;

/// What handlers return.
pub(crate) type Answer = Result<Response, Refused>;

/// A refusal on its way out. Its body is written where the request id is known.
#[derive(Debug, Clone)]
pub(crate) struct Refused(pub(crate) Box<ApiError>);

impl From<ApiError> for Refused {
    fn from(error: ApiError) -> Self {
        Self(Box::new(error))
    }
}

impl IntoResponse for Refused {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.0.code.status()).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = status.into_response();
        response.extensions_mut().insert(self);
        response
    }
}

impl IntoResponse for Reply {
    fn into_response(self) -> Response {
        json(
            StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR),
            self.body,
        )
    }
}

/// A response whose body is JSON already.
pub(crate) fn json(status: StatusCode, body: impl Into<Bytes>) -> Response {
    let mut response = Response::new(Body::from(body.into()));
    *response.status_mut() = status;
    response
        .headers_mut()
        .insert(header::CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// A resource as JSON.
pub(crate) fn resource(value: &impl Serialize) -> Answer {
    match serde_json::to_vec(value) {
        Ok(body) => Ok(json(StatusCode::OK, body)),
        Err(error) => {
            tracing::error!(%error, "response");
            Err(ApiError::internal().into())
        }
    }
}
