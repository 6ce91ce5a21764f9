use std::sync::Arc;

use serde_json::{Value, json};

use super::{bench::Bench, title::title};
use crate::{
    agent::AgentKind,
    configuration::{note_refused_creation, refused_agent},
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

/// More pages of deployments than this are not looked through.
const LONGEST_WALK: usize = 100;

/// The body that creates a Session of the target's deployment.
pub(crate) async fn creation(bench: &Bench) -> Result<Value, Stop> {
    Ok(creation_of(bench, &deployment(bench).await?))
}

/// The same under a title of its own, by which the run is still found, and with these labels.
pub(crate) async fn labelled_creation(bench: &Bench, name: &str, metadata: Value) -> Result<Value, Stop> {
    let mut body = creation(bench).await?;
    body["title"] = format!("{} history {name}", title(bench)).into();
    body["metadata"] = metadata;
    Ok(body)
}

/// The body that creates a Session of this deployment.
pub(crate) fn creation_of(bench: &Bench, deployment: &str) -> Value {
    json!({
        "agent_deployment_id": deployment,
        "principal_id": bench.target.principal,
        "title": title(bench),
    })
}

/// Creates a Session; anything but a success with a `sess_` id is a failure.
pub(crate) async fn create(bench: &Bench) -> Result<Session, Stop> {
    let body = creation(bench).await?;
    let answer = bench.mutate(Request::post("/v1/sessions", &body)).await?;
    note_refused_creation(bench, &answer).await;
    created(answer)
}

/// Creates a Session whose Agent is of this kind; without one there is nothing to exercise.
pub(crate) async fn create_of(bench: &Bench, kind: AgentKind) -> Result<Session, Stop> {
    let deployment = agent(bench, kind).await?;
    let body = creation_of(bench, &deployment);
    let answer = bench.mutate(Request::post("/v1/sessions", &body)).await?;
    match refused_agent(bench, kind, &answer) {
        Some(why) => Err(Stop::Inconclusive(why)),
        None => created(answer),
    }
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

/// The operator's deployment for this kind, else the one that has its name.
pub(crate) async fn agent(bench: &Bench, kind: AgentKind) -> Result<String, Stop> {
    if let Some(id) = bench.target.agents.get(&kind) {
        return Ok(id.clone());
    }
    let mut token: Option<String> = None;
    for _ in 0..LONGEST_WALK {
        let mut request = Request::get("/v1/agent_deployments").query("limit", 100);
        if let Some(token) = &token {
            request = request.query("page", token);
        }
        let answer = bench.send(request).await?;
        expect::status(&answer, 200)?;
        let page = expect::json(&answer)?;
        let data = expect::member(&answer, &page, "/data")?.as_array();
        let named = data
            .into_iter()
            .flatten()
            .find(|item| item["name"] == kind.name());
        if let Some(id) = named.and_then(|item| item["id"].as_str()) {
            return Ok(id.to_owned());
        }
        match page["next_page"].as_str() {
            Some(next) => token = Some(next.to_owned()),
            None => break,
        }
    }
    Err(Stop::Inconclusive(format!(
        "it takes an Agent that {}: name its deployment with --agent {kind}=adep_…",
        kind.does()
    )))
}
