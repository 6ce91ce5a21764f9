//! What flags and their variables take, and how the program tells what it does not take.

use std::path::Path;
use std::process::{Output, Stdio};

use checkfu_mock_server::{Fault, GoAway, MockServer, On, Operation, StartError, Tls};
use tokio::process::Command;

use crate::support::frames::PATIENCE;
use crate::support::process::{Process, program};

const SWITCHES: [&str; 3] = [
    "CHECKFU_MOCK_IN_MEMORY",
    "CHECKFU_MOCK_TLS",
    "CHECKFU_MOCK_HOSTILE",
];

/// The program without a place for its log.
fn bare() -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_checkfu-mock-server"));
    command
        .kill_on_drop(true)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    command
}

/// Runs a program that is to end by itself; gives its code and what it told.
async fn ended(command: &mut Command) -> (Option<i32>, String) {
    let output = command.stdout(Stdio::piped()).stderr(Stdio::piped()).output();
    // A program that starts after all never ends.
    let Output { status, stderr, .. } = tokio::time::timeout(PATIENCE, output).await.unwrap().unwrap();
    (status.code(), String::from_utf8(stderr).unwrap())
}

/// A switch is off or on by its variable, in any case; off is as if the variable were not there, for what excludes the
/// switch and for what it is required by.
#[tokio::test]
async fn a_switch_is_off_or_on_by_its_variable() {
    let directory = tempfile::tempdir().unwrap();
    for word in ["false", "0", "No", "OFF"] {
        let mut command = program(directory.path());
        let process = Process::start(std::mem::replace(
            command.envs(SWITCHES.map(|switch| (switch, word))),
            bare(),
        ))
        .await;
        assert_eq!(process.announcement.get("seed"), None, "{word}");
        process.kill().await;
        let (code, told) = ended(bare().env("CHECKFU_MOCK_IN_MEMORY", word)).await;
        assert_eq!(code, Some(2), "{word} {told}");
        assert!(told.contains("--data-dir"), "{told}");
    }
    for word in ["true", "1", "Yes", "ON"] {
        let mut command = bare();
        command
            .env("CHECKFU_MOCK_IN_MEMORY", word)
            .env("CHECKFU_MOCK_HOSTILE", word);
        let process = Process::start(command).await;
        assert!(process.announcement["seed"].is_u64(), "{word}");
        process.kill().await;
    }
}

/// An empty variable counts as unset, whatever its flag takes.
#[tokio::test]
async fn an_empty_variable_counts_as_unset() {
    let directory = tempfile::tempdir().unwrap();
    let help = bare().arg("--help").output().await.unwrap();
    let help = String::from_utf8(help.stdout).unwrap();
    let variables: Vec<&str> = help
        .split("[env: ")
        .skip(1)
        .filter_map(|rest| rest.split('=').next())
        .collect();
    assert!(variables.len() > 20, "{help}");
    let mut command = program(directory.path());
    command.envs(variables.iter().map(|variable| (variable, "")));
    Process::start(command).await.kill().await;
}

/// A value that no flag takes names the variable that it comes from, and no variable where it is written out.
#[tokio::test]
async fn a_bad_value_names_its_variable() {
    let directory = tempfile::tempdir().unwrap();
    for (variable, value, flag) in [
        ("CHECKFU_MOCK_IN_MEMORY", "maybe", None),
        ("CHECKFU_MOCK_PORT", "x", Some("--port")),
        ("CHECKFU_MOCK_PRINCIPALS", "me", Some("--principal")),
        ("CHECKFU_MOCK_DISABLE", "fork", Some("--disable")),
        ("CHECKFU_MOCK_KEEP_ALIVE_MS", "0", Some("--keep-alive-ms")),
        ("CHECKFU_MOCK_MANUAL_CLOCK", "noon", Some("--manual-clock")),
        ("CHECKFU_MOCK_LOG", "infoo", Some("--log")),
        ("CHECKFU_MOCK_API_KEY", "pass word", None),
        ("CHECKFU_MOCK_SCENARIOS", "/does/not/exist", None),
    ] {
        let (code, told) = ended(program(directory.path()).env(variable, value)).await;
        assert_eq!(code, Some(2), "{variable} {told}");
        assert!(told.contains(variable), "{variable} {told}");
        if let Some(flag) = flag {
            let (code, told) = ended(program(directory.path()).args([flag, value])).await;
            assert_eq!(code, Some(2), "{flag} {told}");
            assert!(told.contains(flag) && !told.contains(variable), "{flag} {told}");
        }
    }
}

/// Blanks after the commas of a list are none of its items.
#[tokio::test]
async fn lists_may_have_blanks_after_their_commas() {
    let directory = tempfile::tempdir().unwrap();
    let mut command = program(directory.path());
    let (one, other) = (format!("prin_{:032x}", 1), format!("prin_{:032x}", 2));
    command.args([
        "--disable",
        "forks, previews",
        "--principal",
        &format!("{one}, {other}"),
    ]);
    let process = Process::start(command).await;
    let body = |principal: &str| {
        serde_json::json!({
            "agent_deployment_id": process.announcement["agent_deployment_id"],
            "principal_id": principal,
        })
    };
    for principal in [&one, &other] {
        process
            .client
            .post("/v1/sessions", &body(principal))
            .await
            .ok(201);
    }
    process.kill().await;
}

/// What the program refuses, it refuses with the flag, the file and the fix.
#[tokio::test]
async fn a_refusal_names_flag_and_fix() {
    let directory = tempfile::tempdir().unwrap();
    let (first, second) = (
        certificate(directory.path(), "one").await,
        certificate(directory.path(), "two").await,
    );
    let [certificate, key, other_key] = [&first.0, &first.1, &second.1].map(String::as_str);
    let pem = |certificate, key| ["--tls-certificate", certificate, "--tls-key", key];
    for (arguments, parts) in [
        (&["--drain-ms", "600001"][..], &["--drain-ms", "600000"][..]),
        (&["--manual-clock", "noon"][..], &["2026-08-31T12:00:00Z"][..]),
        (
            &[&pem(certificate, key)[..], &["--tls-name", "x"][..]].concat()[..],
            &["--tls-name"][..],
        ),
        (
            &pem(key, certificate)[..],
            &["--tls-certificate", key, "a private key, no certificate"][..],
        ),
        (
            &pem(certificate, certificate)[..],
            &["--tls-key", "there is no private key"][..],
        ),
        (
            &pem(certificate, other_key)[..],
            &["--tls-key", other_key, "does not belong to the certificate"][..],
        ),
    ] {
        let (code, told) = ended(program(directory.path()).args(arguments)).await;
        assert_eq!(code, Some(2), "{arguments:?} {told}");
        for part in parts {
            assert!(told.contains(part), "{arguments:?}: no {part:?} in {told}");
        }
        assert!(!told.contains("KeyMismatch"), "{told}");
    }
}

/// A certificate and a key, as a server makes them.
async fn certificate(directory: &Path, name: &str) -> (String, String) {
    let directory = directory.join(name);
    let builder = MockServer::builder().tls(Tls::generated()).data_dir(&directory);
    builder.start().await.unwrap().shutdown().await;
    let file = |file: &str| directory.join(file).to_str().unwrap().to_owned();
    (file("tls-certificate.pem"), file("tls-key.pem"))
}

/// A data directory that is none is told as that, with the flag and the file.
#[tokio::test]
async fn a_data_directory_that_is_none_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("file");
    std::fs::write(&file, "x").unwrap();
    let foreign = directory.path().join("foreign");
    std::fs::create_dir(&foreign).unwrap();
    std::fs::write(
        foreign.join("log.sqlite3"),
        "no database, and quite long for one that is none",
    )
    .unwrap();
    let database = foreign.join("log.sqlite3");
    for (place, parts) in [
        (&file, [file.to_str().unwrap(), "is a file, not a directory"]),
        (
            &foreign,
            [database.to_str().unwrap(), "choose an empty data directory"],
        ),
    ] {
        let (code, told) = ended(&mut program(place)).await;
        assert_eq!(code, Some(1), "{told}");
        for part in ["--data-dir", parts[0], parts[1]] {
            assert!(told.contains(part), "no {part:?} in {told}");
        }
    }
}

/// A drain without an end would be a shutdown without one, and a fault that can never do anything is a mistake.
#[tokio::test]
async fn a_builder_is_held_to_the_same_bounds() {
    let drain = MockServer::builder()
        .drain(std::time::Duration::MAX)
        .start()
        .await;
    assert!(matches!(drain, Err(StartError::Drain)), "{drain:?}");
    let fault = Fault::new(On::operation(Operation::Connect), GoAway::default());
    let fault = MockServer::builder().fault(fault).start().await;
    assert!(matches!(fault, Err(StartError::Fault { .. })), "{fault:?}");
}

/// Each file of `scenario check` is checked, whatever became of those before it, and the worst decides.
#[tokio::test]
async fn every_scenario_file_is_checked() {
    let directory = tempfile::tempdir().unwrap();
    let file = |name: &str, bytes: &[u8]| {
        let path = directory.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path.to_str().unwrap().to_owned()
    };
    let good = "name: good\nrules:\n  - input: message\n    steps:\n      - say: hello\n";
    let good = file("good.yaml", good.as_bytes());
    let anchors = file(
        "anchors.yaml",
        b"name: x\nrules:\n  - &rule {input: message, steps: [{say: hello}]}\n",
    );
    let no_text = file("no_text.yaml", b"name: x\nrules: \xff\n");
    let missing = directory.path().join("missing").to_str().unwrap().to_owned();
    let check = async |files: &[&str]| {
        let mut command = bare();
        let output = command
            .args(["scenario", "check"])
            .args(files)
            .output()
            .await
            .unwrap();
        let told = String::from_utf8(output.stderr).unwrap();
        (
            output.status.code(),
            String::from_utf8(output.stdout).unwrap(),
            told,
        )
    };
    let (code, _, told) = check(&[&anchors]).await;
    assert_eq!(code, Some(2));
    assert!(told.contains("line 3") && told.contains("write it out"), "{told}");
    assert!(!told.contains("Anchors {"), "{told}");
    let (code, _, told) = check(&[&no_text]).await;
    assert_eq!(code, Some(2));
    assert!(told.contains("line 2, column 8: is not UTF-8"), "{told}");
    let (code, out, told) = check(&[&missing, &good]).await;
    assert_eq!(code, Some(1));
    assert!(
        told.contains(&missing) && out.contains("good.yaml: ok"),
        "{out} {told}"
    );
    assert_eq!(check(&[&anchors, &missing, &good]).await.0, Some(2));
}

/// What is no log is told by its file.
#[tokio::test]
async fn a_log_that_is_none_is_told_by_its_file() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("mine.json");
    std::fs::write(&path, "{").unwrap();
    let path = path.to_str().unwrap();
    let (code, told) = ended(bare().args(["scenario", "record", path])).await;
    assert_eq!(code, Some(2));
    assert!(told.contains(path) && !told.contains("log 1"), "{told}");
}

/// The announcement names the deployments of the scenarios that were given.
#[tokio::test]
async fn given_scenarios_are_announced() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("mine.yaml");
    let yaml = "name: mine\nrules:\n  - input: message\n    steps:\n      - say: hello\n";
    std::fs::write(&path, yaml).unwrap();
    let mut command = program(directory.path());
    command.arg("--scenario").arg(&path);
    let process = Process::start(command).await;
    let announced = &process.announcement["scenario_deployments"];
    let id = announced["mine"].as_str().unwrap();
    assert_eq!(announced.as_object().unwrap().len(), 1);
    let found = process
        .client
        .get(&format!("/v1/agent_deployments/{id}"))
        .await
        .ok(200);
    assert_eq!(found["name"], "mine");
    process.kill().await;
}
