//! Programs in the place of the reference server's: each prints what it is told to and waits.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use axum::{Json, Router, routing::get};
use checkfu_mock_server::MockServer;
use serde_json::json;
use tokio::net::TcpListener;

/// A program that does what this shell script says.
pub(crate) fn script(directory: &Path, lines: &str) -> PathBuf {
    let path = directory.join("server");
    fs::write(&path, format!("#!/bin/sh\n{lines}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    path
}

/// The shell command that prints the line of this server, with the control listener at `control`.
pub(crate) fn prints(server: &MockServer, control: &str) -> String {
    let line = json!({
        "url": server.url(),
        "api_key": server.api_key(),
        "principal_id": server.principal_id(),
        "agent_deployment_id": server.deployment_id(),
        "control_url": control,
        "control_token": "open",
    });
    format!("echo '{line}'")
}

/// A control listener that lists this mutant; it ends with the test's runtime.
pub(crate) async fn control_with(mutant: &'static str) -> String {
    let listed = move || async move { Json(json!({"data": [{"name": mutant}]})) };
    let router = Router::new().route("/control/mutants", get(listed));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, router).await });
    url
}
