use std::sync::Arc;

use serde_json::{Value, json};

use super::bench::Bench;
use crate::{
    expect,
    stop::Stop,
    wire::{exchange::Exchange, request::Request},
};

/// A Session that the suite created, as the server answered.
#[derive(Debug, Clone)]
pub(crate) struct Session {
    pub(crate) id: String,
    pub(crate) resource: Value,
    pub(crate) answer: Arc<Exchange>,
}

impl Session {
    pub(crate) fn path(&self) -> String {
        path(&self.id)
    }

    pub(crate) fn events(&self) -> String {
        events(&self.id)
    }

    pub(crate) fn stream(&self) -> String {
        stream(&self.id)
    }
}

pub(crate) fn path(id: &str) -> String {
    format!("/v1/sessions/{id}")
}

pub(crate) fn events(id: &str) -> String {
    format!("/v1/sessions/{id}/events")
}

pub(crate) fn stream(id: &str) -> String {
    format!("/v1/sessions/{id}/events/stream")
}

/// A well-formed id of a Session that was never created.
pub(crate) const UNKNOWN_SESSION: &str = "sess_00000000000000000000000000000000";

/// The body that creates a Session of the target's deployment.
pub(crate) async fn creation(bench: &Bench) -> Result<Value, Stop> {
    Ok(json!({
        "agent_deployment_id": deployment(bench).await?,
        "principal_id": bench.target.principal,
        "title": format!("conformance run {}", bench.run_id),
    }))
}

/// Creates a Session; anything but a success with a `sess_` id is a failure.
pub(crate) async fn create(bench: &Bench) -> Result<Session, Stop> {
    let body = creation(bench).await?;
    let answer = bench.mutate(Request::post("/v1/sessions", &body)).await?;
    created(answer)
}

/// Reads the answer to a creation.
pub(crate) fn created(answer: Arc<Exchange>) -> Result<Session, Stop> {
    expect::success(&answer)?;
    let resource = expect::json(&answer)?;
    let id = expect::string(&answer, &resource, "/id")?.to_owned();
    let well_formed = id.len() > 5
        && id
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    expect::that(
        id.starts_with("sess_") && well_formed,
        &answer,
        "a Session id sess_…",
        id.clone(),
    )?;
    Ok(Session { id, resource, answer })
}

/// The deployment to create Sessions of: the operator's, else the first one that the server lists.
pub(crate) async fn deployment(bench: &Bench) -> Result<String, Stop> {
    if let Some(id) = &bench.target.deployment {
        return Ok(id.clone());
    }
    let answer = bench.send(Request::get("/v1/agent_deployments")).await?;
    let told = "; or set CHECKFU_AGENT_DEPLOYMENT_ID";
    expect::that(
        answer.status() == 200,
        &answer,
        format!("status 200 and a list of deployments to take one from{told}"),
        format!("status {}", answer.status()),
    )?;
    let page = expect::json(&answer)?;
    let id = page.pointer("/data/0/id").and_then(Value::as_str);
    id.map(str::to_owned)
        .ok_or_else(|| Stop::fail(format!("a deployment at /data/0/id{told}"), "none", &answer))
}
