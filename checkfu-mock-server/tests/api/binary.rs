//! The program: its one line, its signals, its logs.

use std::process::Stdio;

use serde_json::Value;
use tokio::io::AsyncReadExt;

use crate::support::frames::{Frames, PATIENCE};
use crate::support::process::{Process, program};
use crate::support::world::{message, until_status};

/// The program prints one line that is all one needs; SIGTERM lets it finish and leaves it with success; the key
/// stands in that line alone.
#[tokio::test]
async fn the_program_prints_one_line_and_stops_on_sigterm() {
    let directory = tempfile::tempdir().unwrap();
    let mut command = program(directory.path());
    command
        .stderr(Stdio::piped())
        .args(["--log", "trace", "--step-delay-ms", "1"]);
    let mut process = Process::start(command).await;
    let stderr = process.child.stderr.take().unwrap();
    let logs = tokio::spawn(async move {
        let mut text = String::new();
        let mut stderr = stderr;
        stderr.read_to_string(&mut text).await.unwrap();
        text
    });
    let line = process.announcement.clone();
    let mut members: Vec<&String> = line.as_object().unwrap().keys().collect();
    members.sort();
    assert_eq!(
        members,
        [
            "agent_deployment_id",
            "api_key",
            "principal_id",
            "url",
            "workspace_id"
        ]
    );
    let body = serde_json::json!({
        "agent_deployment_id": line["agent_deployment_id"],
        "principal_id": line["principal_id"],
    });
    let client = process.client.clone();
    let created = client.post("/v1/sessions", &body).await.ok(201);
    let session = created["id"].as_str().unwrap();
    client
        .post(
            &format!("/v1/sessions/{session}/events"),
            &message("top secret words"),
        )
        .await
        .ok(202);
    until_status(&client, session, "idle").await;
    let mut stream = Frames::open(&client, session, None).await;
    stream.until("session.status_idle").await;

    let pid = process.child.id().unwrap();
    std::process::Command::new("kill")
        .arg(pid.to_string())
        .status()
        .unwrap();
    assert_eq!(stream.event().await, None);
    let status = tokio::time::timeout(PATIENCE, process.child.wait())
        .await
        .unwrap();
    assert!(status.unwrap().success());
    let logs = logs.await.unwrap();
    assert!(logs.lines().count() > 2);
    for line in logs.lines() {
        serde_json::from_str::<Value>(line).unwrap_or_else(|error| panic!("not JSON ({error}): {line}"));
    }
    assert!(
        !logs.contains(line["api_key"].as_str().unwrap()),
        "the key is in the logs"
    );
    assert!(!logs.contains("top secret words"), "a message is in the logs");
}

/// Flags are read from the environment too, the two ways to keep the log exclude each other, and what makes no sense is
/// told in plain text before anything else happens.
#[tokio::test]
async fn flags_come_from_the_environment_too() {
    let directory = tempfile::tempdir().unwrap();
    let mut command = program(directory.path());
    command.env("CHECKFU_MOCK_API_KEY", "from-the-environment");
    let process = Process::start(command).await;
    assert_eq!(process.announcement["api_key"], "from-the-environment");
    process.kill().await;
    for filter in ["debug", "warn,checkfu_mock_server=trace"] {
        let mut command = program(directory.path());
        command.args(["--log", filter]);
        Process::start(command).await.kill().await;
    }

    for arguments in [
        &["--in-memory"][..],
        &["--port", "x"][..],
        &["--principal", "me"][..],
        &["--api-key", "pass word"][..],
        &["--keep-alive-ms", "0"][..],
        &["--log", "infoo"][..],
        &["--log", "info,"][..],
        &["--log", "a=b=c"][..],
        &["--disable", "fork"][..],
        &["--disable", "forks,sessions"][..],
    ] {
        let mut command = program(directory.path());
        let output = command.args(arguments).stderr(Stdio::piped()).output();
        // A program that starts after all never ends.
        let output = tokio::time::timeout(PATIENCE, output).await.unwrap().unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(output.stdout.is_empty());
        let told = String::from_utf8(output.stderr).unwrap();
        assert!(told.starts_with("error: "), "{told}");
        assert!(!told.contains("pass word"), "{told}");
    }
}

/// Without the feature the program can keep its promises only: it has no flag to break one.
#[cfg(not(feature = "mutants"))]
#[tokio::test]
async fn a_program_without_the_feature_has_no_mutants() {
    let directory = tempfile::tempdir().unwrap();
    let mut command = program(directory.path());
    command.args(["--mutant", "any_key"]);
    let output = command.stderr(Stdio::piped()).output().await.unwrap();
    assert!(!output.status.success());
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.contains("unexpected argument '--mutant'"), "{told}");
}
