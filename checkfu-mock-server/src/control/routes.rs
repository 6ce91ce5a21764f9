//! The control listener: JSON over HTTP, with a token of its own.

use std::time::Duration;

use axum::extract::{Path, Request, State};
use axum::http::{Method, StatusCode, header};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::Response;
#[cfg(not(feature = "mutants"))]
use axum::routing::any;
use axum::routing::{get, post};
use axum::{Router, body::Body};
use serde_json::{Value, json};

use super::input;
use super::restart::RestartError;
use super::retention_routes;
use super::workspace_routes;
use super::{Control, FixedClock};
use crate::http::body::{self, EmptyBody};
use crate::http::fields::invalid;
use crate::http::key_ring::KeyHash;
use crate::http::query;
use crate::http::request_id;
use crate::http::response::{Answer, Refused, json as json_response};
use crate::wire::error::{ApiError, Code};

/// How long the body of a request may take to arrive.
const BODY_LIMIT: Duration = Duration::from_secs(10);

/// Every route of the control listener.
pub(crate) fn router(control: Control, token: &str) -> Router {
    let routes = Router::new()
        .route("/control/faults", get(faults).post(plan).delete(clear))
        .route("/control/faults/{fault_id}", get(fault).delete(remove))
        .route("/control/clock", get(clock))
        .route("/control/clock/advance", post(advance))
        .route("/control/journal", get(journal))
        .route("/control/snapshots", post(snapshot))
        .route("/control/restart", post(restart));
    #[cfg(feature = "mutants")]
    let routes = routes.route("/control/mutants", get(mutants).put(set_mutants));
    #[cfg(not(feature = "mutants"))]
    let routes = routes.route("/control/mutants", any(no_mutants));
    routes
        .merge(workspace_routes::routes())
        .merge(retention_routes::routes())
        .fallback(async || {
            Refused::from(ApiError::new(
                Code::NotFound,
                "there is no such endpoint; check the path",
            ))
        })
        .method_not_allowed_fallback(async || {
            let message = "this endpoint does not take this method; see Allow";
            Refused::from(ApiError::new(Code::MethodNotAllowed, message))
        })
        .layer(from_fn(known_parameters))
        .layer(from_fn_with_state(KeyHash::of(token), authenticate))
        .route(
            "/healthz",
            get(async || json_response(StatusCode::OK, r#"{"status":"ok"}"#)),
        )
        .layer(from_fn(request_id::identify))
        .with_state(control)
}

async fn authenticate(
    State(token): State<KeyHash>,
    request: Request,
    next: Next,
) -> Result<Response, Refused> {
    let presented = request.headers().get(header::AUTHORIZATION);
    let token_sent = presented.and_then(|value| value.as_bytes().strip_prefix(b"Bearer "));
    if token_sent.is_some_and(|sent| token.opens(sent)) {
        return Ok(next.run(request).await);
    }
    let message = "send the control token, not the API key, as Authorization: Bearer <token>";
    Err(ApiError::new(Code::InvalidKey, message)
        .with_param("Authorization")
        .into())
}

/// One endpoint has a parameter, and reads it itself.
async fn known_parameters(request: Request, next: Next) -> Result<Response, Refused> {
    let reads = request.method() == Method::POST && request.uri().path() == "/control/deployments";
    if !reads {
        query::none(request.uri())?;
    }
    Ok(next.run(request).await)
}

async fn faults(State(control): State<Control>) -> Answer {
    Ok(answer(
        StatusCode::OK,
        &json!({"seed": control.faults().seed(), "data": control.faults().all()}),
    ))
}

async fn plan(State(control): State<Control>, request: Request) -> Answer {
    let fault = input::fault(read(request, EmptyBody::IsAnError).await?)?;
    let id = control.faults().plan(fault);
    Ok(answer(StatusCode::CREATED, &json!(control.faults().status(&id))))
}

async fn clear(State(control): State<Control>) -> Answer {
    control.faults().clear();
    Ok(answer(StatusCode::OK, &json!({"data": []})))
}

async fn fault(State(control): State<Control>, Path(id): Path<String>) -> Answer {
    let found = control.faults().status(&id).ok_or_else(|| no_fault(&id))?;
    Ok(answer(StatusCode::OK, &json!(found)))
}

async fn remove(State(control): State<Control>, Path(id): Path<String>) -> Answer {
    let removed = control.faults().remove(&id).ok_or_else(|| no_fault(&id))?;
    Ok(answer(StatusCode::OK, &json!(removed)))
}

async fn clock(State(control): State<Control>) -> Answer {
    Ok(answer(StatusCode::OK, &time(&control)))
}

async fn advance(State(control): State<Control>, request: Request) -> Answer {
    let by = input::advance(read(request, EmptyBody::IsAnError).await?)?;
    control
        .advance(by)
        .map_err(|error: FixedClock| ApiError::new(Code::InvalidTransition, error.to_string()))?;
    Ok(answer(StatusCode::OK, &time(&control)))
}

async fn journal(State(control): State<Control>) -> Answer {
    Ok(answer(StatusCode::OK, &json!({"data": control.journal()})))
}

async fn snapshot(State(control): State<Control>) -> Answer {
    let id = control.snapshot().await.map_err(failed)?;
    Ok(answer(StatusCode::CREATED, &json!({"id": id})))
}

async fn restart(State(control): State<Control>, request: Request) -> Answer {
    let restart = input::restart(read(request, EmptyBody::IsAnObject).await?)?;
    control.restart(restart).await.map_err(failed)?;
    Ok(answer(StatusCode::OK, &json!({"status": "ok"})))
}

#[cfg(not(feature = "mutants"))]
async fn no_mutants() -> Refused {
    let message = "this server has no mutants; build it with the cargo feature `mutants`";
    ApiError::new(Code::NotFound, message).into()
}

#[cfg(feature = "mutants")]
async fn mutants(State(control): State<Control>) -> Answer {
    use crate::mutant::Mutant;
    let active = control.mutants();
    let all = Mutant::ALL.iter().map(|mutant| {
        json!({
            "name": mutant.name(),
            "description": mutant.description(),
            "requirement": mutant.requirement(),
            "active": active.contains(mutant),
        })
    });
    Ok(answer(StatusCode::OK, &json!({"data": all.collect::<Vec<_>>()})))
}

#[cfg(feature = "mutants")]
async fn set_mutants(State(control): State<Control>, request: Request) -> Answer {
    let wanted = input::mutants(read(request, EmptyBody::IsAnError).await?)?;
    control.set_mutants(&wanted);
    mutants(State(control)).await
}

async fn read(request: Request, empty: EmptyBody) -> Result<Value, ApiError> {
    let (parts, incoming): (_, Body) = request.into_parts();
    body::read(&parts.headers, incoming, empty, BODY_LIMIT)
        .await?
        .json
}

fn time(control: &Control) -> Value {
    json!({"now": control.now(), "kind": control.clock().kind()})
}

fn no_fault(id: &str) -> ApiError {
    ApiError::new(Code::NotFound, format!("there is no fault {id:?}")).with_param("fault_id")
}

fn failed(error: RestartError) -> ApiError {
    match error {
        RestartError::Snapshot { .. } => invalid("restore", &format!("is unknown: {error}")),
        RestartError::Start(_) | RestartError::Stopped => {
            tracing::error!(%error, "restart");
            ApiError::new(Code::Internal, error.to_string())
        }
    }
}

fn answer(status: StatusCode, value: &Value) -> Response {
    json_response(status, value.to_string())
}
