//! The program as it is operated.

use std::process::Stdio;

use serde_json::{Value, json};

use crate::faults::bytes::exchange;
use crate::support::frames::PATIENCE;
use crate::support::process::{Process, program};

/// Every flag can be given by the environment, under the name that its help tells; what has none is what a program has in
/// any case.
#[tokio::test]
async fn every_flag_has_an_environment_variable() {
    let output = program("unused".as_ref()).arg("--help").output().await.unwrap();
    let help = String::from_utf8(output.stdout).unwrap();
    // An option's own lines, up to the next one.
    let options: Vec<&str> = help.split("\n      --").skip(1).collect();
    assert!(options.len() > 20, "{help}");
    for option in options {
        let name = option.split([' ', '\n']).next().unwrap();
        let variable = format!("CHECKFU_MOCK_{}", name.to_uppercase().replace('-', "_"));
        let plural = format!("{variable}S");
        let tells = |variable: &str| {
            let mut ends = ["=", "]"].iter();
            ends.any(|end| option.contains(&format!("[env: {variable}{end}")))
        };
        let told = tells(&variable) || tells(&plural);
        assert!(told, "--{name} is not told to be {variable}: {option}");
    }
}

/// The control side by flags and by the environment: its address and token in the announcement, a clock that stands still,
/// and the seed where chance is wanted.
#[tokio::test]
async fn the_control_side_is_announced() {
    let directory = tempfile::tempdir().unwrap();
    let mut command = program(directory.path());
    command
        .env("CHECKFU_MOCK_CONTROL_PORT", "0")
        .env("CHECKFU_MOCK_MANUAL_CLOCK", "2026-08-31T12:00:00Z")
        .args(["--control-token", "open-sesame", "--hostile", "--seed", "11"]);
    let process = Process::start(command).await;
    let line = &process.announcement;
    assert_eq!(
        (&line["control_token"], &line["seed"]),
        (&json!("open-sesame"), &json!(11))
    );
    let control = line["control_url"]
        .as_str()
        .unwrap()
        .strip_prefix("http://")
        .unwrap();
    let call = async |path: &str| -> Value {
        let request = format!(
            "GET {path} HTTP/1.1\r\nhost: x\r\nauthorization: Bearer open-sesame\r\nconnection: close\r\n\r\n"
        );
        exchange(control.parse().unwrap(), &request).await.json()
    };
    assert_eq!(
        call("/control/clock").await,
        json!({"now": "2026-08-31T12:00:00Z", "kind": "manual"})
    );
    let faults = call("/control/faults").await;
    assert_eq!(faults["seed"], 11);
    assert!(faults["data"].as_array().unwrap().len() > 20);
    process.kill().await;
}

/// TLS by flag; the announcement has the certificate, which is kept.
#[tokio::test]
async fn tls_is_a_flag() {
    let directory = tempfile::tempdir().unwrap();
    let mut command = program(directory.path());
    command.args(["--tls", "--tls-name", "mock.test,10.0.0.1"]);
    let mut child = command.spawn().unwrap();
    let mut lines = tokio::io::BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    let reading = tokio::io::AsyncBufReadExt::read_line(&mut lines, &mut line);
    tokio::time::timeout(PATIENCE, reading).await.unwrap().unwrap();
    let line: Value = serde_json::from_str(&line).unwrap();
    assert!(line["url"].as_str().unwrap().starts_with("https://127.0.0.1:"));
    let kept = std::fs::read_to_string(directory.path().join("tls-certificate.pem")).unwrap();
    assert_eq!(line["certificate_pem"], kept);
    assert!(
        kept.starts_with("For 10.0.0.1, 127.0.0.1, ::1, localhost, mock.test\n"),
        "{kept}"
    );
    child.kill().await.unwrap();
}

/// A release has no mutants: their flag is unknown without the feature, and their endpoint is not there.
#[cfg(not(feature = "mutants"))]
#[tokio::test]
async fn without_the_feature_there_are_no_mutants() {
    let directory = tempfile::tempdir().unwrap();
    let output = program(directory.path())
        .args(["--mutant", "any_key"])
        .stderr(Stdio::piped())
        .output();
    let output = tokio::time::timeout(PATIENCE, output).await.unwrap().unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(
        String::from_utf8(output.stderr)
            .unwrap()
            .contains("unexpected argument '--mutant'")
    );
}

/// What makes no sense together, or names no usable file, is told in plain text before anything is started.
#[tokio::test]
async fn flags_that_make_no_sense_are_told() {
    let directory = tempfile::tempdir().unwrap();
    let nonsense = directory.path().join("nonsense.pem");
    std::fs::write(&nonsense, "nonsense").unwrap();
    let nonsense = nonsense.to_str().unwrap();
    for arguments in [
        &["--tls-name", "x"][..],
        &["--tls-certificate", nonsense][..],
        &["--tls-certificate", nonsense, "--tls-key", nonsense][..],
        &["--tls-certificate", "/does/not/exist", "--tls-key", nonsense][..],
        &["--tls", "--tls-name", "not a name"][..],
        &["--control-token", "x"][..],
        &["--control-port", "0", "--control-token", "pass word"][..],
        &["--max-connections", "0"][..],
        &["--idle-limit-ms", "0"][..],
        &["--manual-clock", "noon"][..],
        &["--seed", "-1"][..],
        &["--scenario", "/does/not/exist"][..],
        &["--scenario", nonsense][..],
    ] {
        let mut command = program(directory.path());
        let output = command.args(arguments).stderr(Stdio::piped()).output();
        let output = tokio::time::timeout(PATIENCE, output).await;
        let output = output.unwrap_or_else(|_| panic!("{arguments:?} starts")).unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?} {told}");
        assert!(
            output.stdout.is_empty() && told.starts_with("error: "),
            "{arguments:?} {told}"
        );
        assert!(!told.contains("pass word"), "{told}");
    }
}

/// The scenario command works without a server and without a place for a log.
#[tokio::test]
async fn scenario_files_are_handled_without_a_server() {
    let run = async |arguments: &[&str]| {
        let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_checkfu-mock-server"));
        let output = command.arg("scenario").args(arguments).output();
        tokio::time::timeout(PATIENCE, output).await.unwrap().unwrap()
    };
    let listed = run(&["list"]).await;
    assert!(listed.status.success());
    assert!(String::from_utf8(listed.stdout).unwrap().contains("plain"));
    assert_eq!(run(&["show", "none"]).await.status.code(), Some(2));
}
