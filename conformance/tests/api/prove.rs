//! The command that proves the checks: what it refuses, what survives, what it leaves behind.

use std::{fs, path::Path, process::Output, time::Duration};

use checkfu_conformance::{
    checks,
    prove::{Kill, Matrix, Mutant, Relay, contradictions, kills, survivors},
};
use serde_json::Value;
use tokio::{io::AsyncBufReadExt, time::timeout};

use crate::{
    command::{command, text},
    program::{control_with, prints, script},
    server::{impatient, reference, target},
};

#[test]
fn checks_and_broken_servers_name_each_other() {
    let told = contradictions(checks(), &kills());
    assert!(told.is_empty(), "{}", told.join("\n"));
    let told = contradictions(checks(), &kills()[1..]).join("\n");
    let missing = &kills()[0];
    let expected = format!(
        "{} names {}, which does not name it",
        missing.check, missing.mutant
    );
    assert_eq!(told, expected);
}

/// Of a change that no check has to notice it is told what the check expected of it, and what came.
#[tokio::test]
async fn a_mutant_that_breaks_nothing_survives() {
    let server = reference().await;
    let relay = Relay::start(server.url(), Mutant::new("breaks-nothing"))
        .await
        .unwrap();
    let kill = Kill {
        check: "srv.auth.wrong-key-refused",
        mutant: "breaks-nothing",
        expected: "4xx",
    };
    let told = survivors(&[kill], target(relay.url(), &server), impatient()).await;
    assert_eq!(
        told,
        ["breaks-nothing survives srv.auth.wrong-key-refused, which has to expect \"4xx\": pass"]
    );
    server.shutdown().await;
}

/// Another contradiction than the one that a mutant is there for does not count.
#[tokio::test]
async fn a_failure_for_another_reason_is_no_kill() {
    let server = reference().await;
    let mutant = Mutant::new("every-answer-is-a-success").answer(|_, answer| answer.status = 200);
    let relay = Relay::start(server.url(), mutant).await.unwrap();
    let kill = |expected| Kill {
        check: "srv.auth.wrong-key-refused",
        mutant: "every-answer-is-a-success",
        expected,
    };
    let told = survivors(
        &[kill("4xx"), kill("not retryable")],
        target(relay.url(), &server),
        impatient(),
    )
    .await;
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(
        told[0].ends_with("FAIL, expected a 4xx status other than 429, got status 200"),
        "{told:?}"
    );
    server.shutdown().await;
}

#[tokio::test]
async fn a_server_that_breaks_nothing_when_told_to_exits_1() {
    let server = reference().await;
    let directory = tempfile::tempdir().unwrap();
    let line = prints(&server, &control_with("any_key").await);
    let program = script(directory.path(), &format!("{line}\nexec sleep 600"));
    let output = prove(&program, &["--only", "server:any_key"]).await;
    let told = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{told}{}", text(&output.stderr));
    for part in [
        "BROKEN  mutants of the server: 0 of 1",
        "holds   checks with their killers: 1 of 1",
        "server:any_key survives srv.auth.wrong-key-refused, which has to expect",
        "NOT PROVEN of a selection (server:any_key), 0 of 1 broken servers found",
    ] {
        assert!(told.contains(part), "{part:?} is missing in {told}");
    }
    server.shutdown().await;
}

#[tokio::test]
async fn what_cannot_be_proven_with_exits_2_or_4_and_says_why() {
    let server = reference().await;
    let directory = tempfile::tempdir().unwrap();
    let without = prints(&server, server.url());
    let with = prints(&server, &control_with("any_key").await);
    for (lines, flags, status, part) in [
        (
            format!("{without}\nexec sleep 600"),
            &[][..],
            2,
            "--features mutants",
        ),
        (
            format!("{with}\nexec sleep 600"),
            &["--only", "server:nothing"],
            2,
            "no mutant \"server:nothing\"",
        ),
        (
            "echo ready; exec sleep 600".to_owned(),
            &[],
            4,
            "where it listens",
        ),
        (
            "echo the port is taken >&2; exit 3".to_owned(),
            &[],
            4,
            "the port is taken",
        ),
        (
            with.clone(),
            &["--write", "/nowhere"],
            2,
            "/nowhere is no directory",
        ),
        (with.clone(), &["--check", ".", "--only", "any"], 2, "--only"),
        (with.clone(), &["--jobs", "0"], 2, "--jobs"),
    ] {
        let program = script(directory.path(), &lines);
        let output = prove(&program, flags).await;
        let told = text(&output.stderr);
        assert_eq!(output.status.code(), Some(status), "{lines}: {told}");
        assert!(told.contains(part), "{part:?} is missing in {told}");
    }
    let output = prove(&directory.path().join("nothing"), &[]).await;
    let told = text(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{told}");
    assert!(
        told.contains("cargo build -p checkfu-mock-server --features mutants"),
        "{told}"
    );
    server.shutdown().await;
}

/// The end of a program is seen on a pipe that it holds open for writing.
#[tokio::test]
async fn an_interrupted_proof_leaves_no_server_behind() {
    for signal in ["-INT", "-TERM"] {
        ends_with_its_server_at(signal).await;
    }
}

async fn ends_with_its_server_at(signal: &str) {
    let server = reference().await;
    let directory = tempfile::tempdir().unwrap();
    let pipe = directory.path().join("pipe");
    assert!(
        std::process::Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    let line = prints(&server, &control_with("any_key").await);
    let program = script(
        directory.path(),
        &format!("{line}\nexec sleep 600 3> '{}'", pipe.display()),
    );
    let ended = tokio::task::spawn_blocking(move || fs::read(pipe).unwrap());
    let mut proving = command(&["prove", "--server", program.to_str().unwrap()])
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut progress = tokio::io::BufReader::new(proving.stderr.take().unwrap()).lines();
    // Which of them is judged first is open.
    let first = progress.next_line().await.unwrap().unwrap();
    assert!(
        first.starts_with("holds") || first.starts_with("BROKEN"),
        "{first}"
    );
    let id = proving.id().unwrap().to_string();
    let interrupted = std::process::Command::new("kill").args([signal, &id]).status();
    assert!(interrupted.unwrap().success());
    let status = timeout(Duration::from_secs(30), proving.wait()).await;
    let status = status.expect("the proof goes on").unwrap();
    assert_eq!(status.code(), Some(130), "{signal}");
    let said = timeout(Duration::from_secs(30), ended).await;
    assert!(said.expect("the server still runs").unwrap().is_empty());
    server.shutdown().await;
}

#[test]
fn the_committed_matrix_has_the_kills_of_the_tables() {
    let matrix: Value = serde_json::from_str(include_str!("../../KILL-MATRIX.json")).unwrap();
    let mut listed: Vec<(String, String, String)> = Vec::new();
    for check in matrix["checks"].as_array().unwrap() {
        for kill in check["kills"].as_array().unwrap() {
            let [id, mutant, expected] = [&check["id"], &kill["mutant"], &kill["expected"]];
            let text = |value: &Value| value.as_str().unwrap().to_owned();
            listed.push((text(id), text(mutant), text(expected)));
        }
    }
    listed.sort();
    let expected: Vec<_> = kills()
        .into_iter()
        .map(|kill| {
            (
                kill.check.to_owned(),
                kill.mutant.to_owned(),
                kill.expected.to_owned(),
            )
        })
        .collect();
    let differing = listed.iter().zip(&expected).find(|(old, new)| old != new);
    assert!(
        listed == expected,
        "KILL-MATRIX.json is stale, {} kills of {}, first at {differing:?}: run `cargo run -p checkfu-conformance -- prove --write conformance`",
        listed.len(),
        expected.len()
    );
    let nulls = matrix["null_servers"].as_array().unwrap();
    assert!(!nulls.is_empty() && nulls.iter().all(|null| null["passed"] == 0));
}

#[test]
fn a_matrix_that_is_not_the_proofs_is_told_with_the_command_that_writes_it() {
    let directory = tempfile::tempdir().unwrap();
    let matrix = Matrix::new(&[]);
    let missing = matrix.compare(directory.path()).unwrap_err().to_string();
    assert!(
        missing.contains("KILL-MATRIX.md is not what the proof says, first in line 1"),
        "{missing}"
    );
    matrix.write(directory.path()).unwrap();
    assert_eq!(matrix.compare(directory.path()), Ok(()));
    let path = directory.path().join("KILL-MATRIX.json");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen("\"format\": 1", "\"format\": 2", 1)).unwrap();
    let stale = matrix.compare(directory.path()).unwrap_err().to_string();
    let fix = format!("prove --write {}", directory.path().display());
    assert!(
        stale.contains("KILL-MATRIX.json") && stale.contains(&fix),
        "{stale}"
    );
}

async fn prove(program: &Path, flags: &[&str]) -> Output {
    let server = ["prove", "--server", program.to_str().unwrap()];
    command(&[&server[..], flags].concat()).output().await.unwrap()
}
