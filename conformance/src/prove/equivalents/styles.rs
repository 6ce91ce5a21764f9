use serde_json::Value;

use crate::{agent::AgentKind, prove::binary::RunningServer, target::Target};

/// What an Agent that calls a tool takes part in.
pub(super) const AREAS: [&str; 7] = [
    "srv.wait.*",
    "srv.continuation.*",
    "srv.answer.*",
    "srv.stale.*",
    "srv.authority.*",
    "srv.payload.*",
    "srv.interrupt.*",
];

/// The server with its deployment of this name as the Agent that calls a tool.
pub(super) async fn target(server: &RunningServer, name: &str) -> Result<Target, String> {
    let deployment = deployment(server, name)
        .await
        .map_err(|error| error.to_string())?;
    let deployment = deployment.ok_or_else(|| format!("the server has no deployment {name}"))?;
    let target = server.target().map_err(|error| error.to_string())?;
    Ok(target.with_agent(AgentKind::CustomTool, deployment))
}

async fn deployment(server: &RunningServer, name: &str) -> Result<Option<String>, reqwest::Error> {
    let http = reqwest::Client::builder().no_proxy().build()?;
    let request = http.get(format!("{}/v1/agent_deployments?limit=100", server.url()));
    let answer = request.bearer_auth(server.key()).send().await?.bytes().await?;
    let page: Value = serde_json::from_slice(&answer).unwrap_or_default();
    let mut deployments = page["data"].as_array().into_iter().flatten();
    let named = deployments.find(|deployment| deployment["name"] == name);
    Ok(named
        .and_then(|deployment| deployment["id"].as_str())
        .map(str::to_owned))
}
