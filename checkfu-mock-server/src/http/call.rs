//! A mutation on its way from the request to the log and back.

use std::time::Duration;

use axum::body::Body;
use axum::extract::{FromRequest, FromRequestParts, MatchedPath, Path, RawPathParams, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, Uri};
use axum::response::IntoResponse;
use serde::de::DeserializeOwned;

use super::auth::Caller;
use super::body::{self, EmptyBody, ReadBody};
use super::idempotency;
use super::query;
use super::response::{Answer, Refused};
use super::state::Shared;
use crate::core::id::WorkspaceId;
use crate::ledger::mutation::{Effect, Mutation};
use crate::wire::error::ApiError;

/// A request that wants to change something, its body not read yet.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) caller: Caller,
    head: CallHead,
    body: Body,
    body_limit: Duration,
}

/// What an idempotency record says about a call, its body aside.
#[derive(Debug)]
pub(crate) struct CallHead {
    method: Method,
    /// The route with its identifiers as they are read, so that one call has one path however it was encoded.
    path: String,
    uri: Uri,
    headers: HeaderMap,
}

impl Call {
    /// Reads the body.
    pub(crate) async fn read(self, empty: EmptyBody) -> Result<(CallHead, ReadBody), ApiError> {
        let read = body::read(&self.head.headers, self.body, empty, self.body_limit).await?;
        Ok((self.head, read))
    }
}

impl FromRequest<Shared> for Call {
    type Rejection = Refused;

    async fn from_request(request: Request, shared: &Shared) -> Result<Self, Refused> {
        let (mut parts, body) = request.into_parts();
        let caller = parts
            .extensions
            .get::<Caller>()
            .cloned()
            .ok_or_else(ApiError::internal)?;
        let path = decoded_path(&mut parts, shared).await?;
        Ok(Self {
            caller,
            head: CallHead {
                method: parts.method,
                path,
                uri: parts.uri,
                headers: parts.headers,
            },
            body,
            body_limit: shared.body_limit,
        })
    }
}

async fn decoded_path(parts: &mut Parts, shared: &Shared) -> Result<String, Refused> {
    let Ok(route) = MatchedPath::from_request_parts(parts, shared).await else {
        return Err(ApiError::internal().into());
    };
    let identifiers = RawPathParams::from_request_parts(parts, shared)
        .await
        .map_err(|_| ApiError::not_found("resource"))?;
    let mut path = route.as_str().to_owned();
    for (name, value) in &identifiers {
        path = path.replace(&format!("{{{name}}}"), value);
    }
    Ok(path)
}

/// A-ORDER from the idempotency record on: the refusal of a body, or of a parameter, counts only if no record answers
/// the call.
pub(crate) async fn mutate(
    shared: &Shared,
    workspace: &WorkspaceId,
    head: &CallHead,
    body_hash: [u8; 32],
    effect: Result<Effect, ApiError>,
) -> Answer {
    let record = idempotency::record_key(&head.headers, workspace, &head.method, &head.path, body_hash)?;
    let effect = match query::none(&head.uri).and(effect) {
        Ok(effect) => effect,
        Err(error) if record.is_none() => return Err(error.into()),
        Err(error) => Effect::Refuse(Box::new(error)),
    };
    let _holding = record
        .as_ref()
        .map(|key| shared.in_flight.hold(key))
        .transpose()?;
    let reply = shared.ledger.mutate(Mutation { record, effect }).await?;
    Ok(reply.into_response())
}

/// Identifiers in the path; what cannot be decoded names nothing.
#[derive(Debug)]
pub(crate) struct Ids<T>(pub(crate) T);

impl<T: DeserializeOwned + Send> FromRequestParts<Shared> for Ids<T> {
    type Rejection = Refused;

    async fn from_request_parts(parts: &mut Parts, shared: &Shared) -> Result<Self, Refused> {
        match Path::from_request_parts(parts, shared).await {
            Ok(Path(ids)) => Ok(Self(ids)),
            Err(_) => Err(ApiError::not_found("resource").into()),
        }
    }
}
