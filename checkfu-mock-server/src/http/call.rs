//! A mutation on its way from the request to the log and back.

use axum::body::Body;
use axum::extract::{FromRequest, FromRequestParts, Path, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method};
use axum::response::IntoResponse;
use serde::de::DeserializeOwned;

use super::auth::Caller;
use super::body::{self, EmptyBody, ReadBody};
use super::idempotency;
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
}

/// What an idempotency record says about a call, its body aside.
#[derive(Debug)]
pub(crate) struct CallHead {
    method: Method,
    path: String,
    headers: HeaderMap,
}

impl Call {
    /// Reads the body.
    pub(crate) async fn read(self, empty: EmptyBody) -> Result<(CallHead, ReadBody), ApiError> {
        let read = body::read(&self.head.headers, self.body, empty).await?;
        Ok((self.head, read))
    }
}

impl FromRequest<Shared> for Call {
    type Rejection = Refused;

    async fn from_request(request: Request, _: &Shared) -> Result<Self, Refused> {
        let (parts, body) = request.into_parts();
        let caller = parts
            .extensions
            .get::<Caller>()
            .cloned()
            .ok_or_else(ApiError::internal)?;
        let path = parts.uri.path().to_owned();
        Ok(Self {
            caller,
            head: CallHead {
                method: parts.method,
                path,
                headers: parts.headers,
            },
            body,
        })
    }
}

/// A-ORDER from the idempotency record on: the refusal of a body counts only if no record answers the call.
pub(crate) async fn mutate(
    shared: &Shared,
    workspace: &WorkspaceId,
    head: &CallHead,
    body_hash: [u8; 32],
    effect: Result<Effect, ApiError>,
) -> Answer {
    let record = idempotency::record_key(&head.headers, workspace, &head.method, &head.path, body_hash)?;
    let effect = match effect {
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
