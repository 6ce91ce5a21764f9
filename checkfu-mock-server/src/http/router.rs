//! Every route in one place (A-EP).

use axum::Router;
use axum::http::StatusCode;
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::{delete, get, post};

use super::response::{Answer, json};
use super::state::Shared;
use super::{
    approvals, auth, deployments, diff, event_stream, events, fence, fork, request_id, runs, sessions,
    threads,
};
use crate::capability::Capability::{self, Checkpoints, Diffs, Forks, Threads, Waits, Watches};
use crate::wire::error::{ApiError, Code};

/// The whole HTTP side. A-ORDER: without a key even a path or method that does not exist is refused for the key.
pub(crate) fn router(shared: Shared) -> Router {
    Router::new()
        .merge(enabled())
        .merge(guarded(&shared, Threads, threads()))
        .merge(guarded(&shared, Waits, approvals()))
        .merge(guarded(&shared, Forks, forks()))
        .merge(guarded(&shared, Diffs, diffs()))
        .merge(disabled())
        .fallback(unknown_route)
        .method_not_allowed_fallback(unknown_method)
        .layer(from_fn_with_state(shared.clone(), auth::authenticate))
        .merge(open())
        .layer(from_fn(request_id::identify))
        .with_state(shared)
}

/// What no key is asked for.
fn open() -> Router<Shared> {
    Router::new()
        .route(
            "/healthz",
            get(async || json(StatusCode::OK, r#"{"status":"ok"}"#)),
        )
        .route("/v1/hooks/{watch_token}", post(|| fence::closed(Watches)))
        .method_not_allowed_fallback(unknown_method)
}

fn enabled() -> Router<Shared> {
    Router::new()
        .route("/v1/sessions", post(sessions::create).get(sessions::list))
        .route("/v1/sessions/{session_id}", get(sessions::retrieve))
        .route("/v1/sessions/{session_id}/complete", post(sessions::complete))
        .route("/v1/sessions/{session_id}/cancel", post(sessions::cancel))
        .route(
            "/v1/sessions/{session_id}/events",
            post(events::post).get(events::list),
        )
        .route(
            "/v1/sessions/{session_id}/events/stream",
            get(event_stream::stream),
        )
        .route("/v1/sessions/{session_id}/runs", get(runs::list))
        .route("/v1/sessions/{session_id}/runs/{run_id}", get(runs::retrieve))
        .route("/v1/agent_deployments", get(deployments::list))
        .route(
            "/v1/agent_deployments/{agent_deployment_id}",
            get(deployments::retrieve),
        )
        .route("/v1/capabilities", get(deployments::capabilities))
}

/// WIRE-5: endpoints that a server may be told to leave off.
fn guarded(shared: &Shared, capability: Capability, endpoints: Router<Shared>) -> Router<Shared> {
    endpoints.route_layer(from_fn_with_state((shared.clone(), capability), fence::guard))
}

fn threads() -> Router<Shared> {
    let thread = "/v1/sessions/{session_id}/threads/{thread_id}";
    let path = |rest: &str| format!("{thread}/{rest}");
    Router::new()
        .route("/v1/sessions/{session_id}/threads", get(threads::list))
        .route(thread, get(threads::retrieve))
        .route(&path("archive"), post(threads::archive))
        .route(&path("events"), get(threads::events))
        .route(&path("stream"), get(threads::stream))
}

fn approvals() -> Router<Shared> {
    let approvals = "/v1/sessions/{session_id}/action_approvals";
    Router::new().route(approvals, get(approvals::list)).route(
        &format!("{approvals}/{{action_approval_id}}"),
        get(approvals::retrieve),
    )
}

fn forks() -> Router<Shared> {
    Router::new().route("/v1/sessions/{session_id}/fork", post(fork::fork))
}

fn diffs() -> Router<Shared> {
    Router::new().route("/v1/sessions/{session_id}/diff", get(diff::diff))
}

/// WIRE-5: documented endpoints of capabilities that this server does not have yet.
fn disabled() -> Router<Shared> {
    let session = "/v1/sessions/{session_id}";
    let path = |rest: &str| format!("{session}/{rest}");
    Router::new()
        .route(&path("checkpoints"), get(|| fence::closed(Checkpoints)))
        .route(
            &path("watches"),
            post(|| fence::closed(Watches)).get(|| fence::closed(Watches)),
        )
        .route(
            &path("watches/{watch_id}"),
            delete(|| fence::closed(Watches)).get(|| fence::closed(Watches)),
        )
}

async fn unknown_route() -> Answer {
    Err(ApiError::new(Code::NotFound, "there is no such endpoint; check the path").into())
}

async fn unknown_method() -> Answer {
    Err(ApiError::new(
        Code::MethodNotAllowed,
        "this endpoint does not take this method; see Allow",
    )
    .into())
}
