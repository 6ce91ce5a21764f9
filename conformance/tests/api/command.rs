//! The binary: exit statuses, forms of report, and a key that shows nowhere.

use std::process::{Output, Stdio};

use checkfu_mock_server::MockServer;
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, BufReader},
    process::Command,
};

use checkfu_conformance::prove::{Answer, Mutant, Relay};

use crate::server::{fits_schema, reference};

/// The flags that write a report to a file.
const FORMS: [&str; 5] = ["--json", "--junit", "--markdown", "--html", "--badge"];

#[tokio::test]
async fn a_conformant_server_exits_0_with_both_reports() {
    let server = reference().await;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("report.json");
    let output = suite(
        &server,
        server.url(),
        &[
            "--profile",
            "reference",
            "--control",
            server.control_url().unwrap(),
            "--json",
            path.to_str().unwrap(),
        ],
    )
    .await;
    let table = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{table}{}", text(&output.stderr));
    assert!(table.contains("CONFORMANT for profile reference"), "{table}");
    let report = std::fs::read_to_string(path).unwrap();
    fits_schema(&report);
    let report: Value = serde_json::from_str(&report).unwrap();
    assert_eq!(report["conclusion"], "conformant");
    assert_eq!(report["exit"], "conformant");
    assert_eq!(
        report["counts"]["pass"].as_u64().unwrap() + 1,
        report["checks"].as_array().unwrap().len() as u64,
        "all but the one on claims, of which there are none: {table}"
    );
    assert_eq!(report["counts"]["not_applicable"], 1);
    assert!(!report["checks"][0]["witnesses"].as_array().unwrap().is_empty());
    server.shutdown().await;
}

/// The server sends the key back in every place it has; the reports show it in none.
#[tokio::test]
async fn the_key_appears_in_no_report() {
    let server = reference().await;
    let key = server.api_key().to_owned();
    let leaking = {
        let key = key.clone();
        Mutant::new("sends-the-key-back").instead(move |call| {
            let mut answer = Answer::new(
                418,
                "application/json",
                format!(r#"{{"key":"{key}","text":"Bearer {key}"}}"#),
            );
            answer.headers.insert("x-key", key.parse().unwrap());
            (!call.is_creation()).then_some(answer)
        })
    };
    let in_stream = {
        let key = key.clone();
        Mutant::new("streams-the-key").frame(move |_, _, mut frame| {
            frame.edit(|event| event["key"] = key.as_str().into());
            vec![frame]
        })
    };
    for mutant in [leaking, in_stream] {
        let relay = Relay::start(server.url(), mutant).await.unwrap();
        let directory = tempfile::tempdir().unwrap();
        let written = FORMS.map(|form| directory.path().join(form));
        let mut flags = vec![
            "--profile",
            "reference",
            "--answer-timeout",
            "2",
            "--turn-timeout",
            "2",
        ];
        for (form, path) in FORMS.iter().zip(&written) {
            flags.extend([*form, path.to_str().unwrap()]);
        }
        let output = suite(&server, relay.url(), &flags).await;
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
        let files = written.map(|path| std::fs::read(path).unwrap());
        for report in [&output.stdout, &output.stderr].into_iter().chain(&files) {
            assert!(!report.is_empty());
            assert!(!text(report).contains(&key), "the key is in {}", text(report));
        }
        assert!(
            text(&output.stdout).contains("[redacted]"),
            "{}",
            text(&output.stdout)
        );
    }
    server.shutdown().await;
}

#[tokio::test]
async fn a_failure_shows_expected_actual_wire_and_a_command_that_repeats_it() {
    let server = reference().await;
    let inclusive = Mutant::new("inclusive").request(|call| {
        if let Some(cursor) = call.cursor() {
            call.set_header("last-event-id", cursor.saturating_sub(1));
        }
    });
    let relay = Relay::start(server.url(), inclusive).await.unwrap();
    let output = suite(&server, relay.url(), &["--only", "srv.resume.every-cut"]).await;
    let table = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{table}");
    for part in [
        "FAIL srv.resume.every-cut",
        "STR-2:",
        "expected:  the stream after 1",
        "actual:",
        "> last-event-id: 1",
    ] {
        assert!(table.contains(part), "{part:?} is missing in {table}");
    }
    let repeat = table
        .lines()
        .find_map(|line| line.trim().strip_prefix("reproduce: checkfu-conformance server "))
        .unwrap();
    let flags: Vec<&str> = repeat.split(' ').collect();
    assert_eq!(&flags[..2], ["--url", relay.url()]);
    let repeated = suite(&server, relay.url(), &flags[2..]).await;
    assert_eq!(repeated.status.code(), Some(1), "{}", text(&repeated.stdout));
    server.shutdown().await;
}

/// Nobody has to read stderr, and what was chosen with --only is no statement about the whole.
#[tokio::test]
async fn a_selection_is_called_one_and_needs_no_reader_of_its_progress() {
    let server = reference().await;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("badge.json");
    let flags = [
        "server",
        "--url",
        server.url(),
        "--only",
        "srv.session.*",
        "--badge",
    ];
    let mut child = command(&[&flags[..], &[path.to_str().unwrap()]].concat())
        .env("CHECKFU_API_KEY", server.api_key())
        .env("CHECKFU_PRINCIPAL_ID", server.principal_id())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stderr.take());
    let output = child.wait_with_output().await.unwrap();
    let table = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{table}");
    assert!(table.contains("of a selection (srv.session.*)"), "{table}");
    let badge: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(badge["color"], "lightgrey");
    assert!(
        badge["message"].as_str().unwrap().ends_with("of a selection"),
        "{badge}"
    );
    server.shutdown().await;
}

/// What ends a program from outside ends the run in order: what was judged is reported.
#[cfg(unix)]
#[tokio::test]
async fn sigterm_ends_a_run_with_its_report() {
    let server = reference().await;
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("report.json");
    let flags = ["server", "--url", server.url(), "--json", path.to_str().unwrap()];
    let mut child = command(&flags)
        .env("CHECKFU_API_KEY", server.api_key())
        .env("CHECKFU_PRINCIPAL_ID", server.principal_id())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The first line of progress says that the run is under way.
    let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
    lines.next_line().await.unwrap().unwrap();
    let id = child.id().unwrap().to_string();
    let killed = Command::new("kill").args(["-TERM", &id]).status().await.unwrap();
    assert!(killed.success());
    while lines.next_line().await.unwrap().is_some() {}
    let output = child.wait_with_output().await.unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", text(&output.stdout));
    let report: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert_eq!(report["exit"], "interrupted");
    let created = report["created"].as_array().unwrap();
    assert!(created.iter().all(|session| session["end"] != "left"), "{report}");
    server.shutdown().await;
}

#[tokio::test]
async fn bad_configuration_exits_2_and_names_the_fix() {
    let server = reference().await;
    for (flags, part) in [
        (&["--only", "srv.nothing"][..], "list"),
        (&["--profile", "everything"], "reference"),
        (&["--answer-timeout", "0"], "seconds"),
        (&["--control", "8081"], "control url"),
        (
            &["--capability", "threads=on", "--capability", "threads=off"],
            "threads is given twice",
        ),
        (
            &["--stimulus", "control"],
            "--control (CHECKFU_CONTROL_URL) is not given",
        ),
        (
            &["--json", "/nowhere/report.json", "--only", "srv.session.create"],
            "/nowhere/report.json",
        ),
        (
            &["--html", "/nowhere/statement.html"],
            "--html: /nowhere/statement.html",
        ),
    ] {
        let output = suite(&server, server.url(), flags).await;
        assert_eq!(
            output.status.code(),
            Some(2),
            "{flags:?}: {}",
            text(&output.stderr)
        );
        assert!(
            text(&output.stderr).contains(part),
            "{flags:?}: {}",
            text(&output.stderr)
        );
    }
    let output = command(&["server", "--url", "http://127.0.0.1:1", "--principal", "prin_1"])
        .output()
        .await
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stderr).contains("CHECKFU_API_KEY"));
    server.shutdown().await;
}

#[tokio::test]
async fn a_key_that_is_refused_is_no_judgement_of_the_server() {
    let server = reference().await;
    let output = command(&[
        "server",
        "--url",
        server.url(),
        "--principal",
        server.principal_id(),
    ])
    .env("CHECKFU_API_KEY", "ck_test_of_somebody_else")
    .output()
    .await
    .unwrap();
    let told = text(&output.stdout);
    assert_eq!(output.status.code(), Some(4), "{told}");
    assert!(
        told.contains("refuses the key (401): set CHECKFU_API_KEY"),
        "{told}"
    );
    server.shutdown().await;
}

#[tokio::test]
async fn list_and_explain_need_no_server() {
    let listed = command(&["list"]).output().await.unwrap();
    assert_eq!(listed.status.code(), Some(0));
    for check in checkfu_conformance::checks() {
        assert!(text(&listed.stdout).contains(check.id()), "{}", check.id());
    }
    let explained = command(&["explain", "A-GAP"]).output().await.unwrap();
    assert!(text(&explained.stdout).contains("srv.resume.ahead-of-head"));
    for (id, parts) in [
        (
            "STR-3",
            &["said in S-resume-a-stream-032", "srv.stream.framing"][..],
        ),
        (
            "S-resume-a-stream-032",
            &["resume-a-stream)", "STR-3: ", "proven: srv.stream.framing"],
        ),
        ("S-resume-a-stream-121", &["excluded: "]),
    ] {
        let explained = command(&["explain", id]).output().await.unwrap();
        for part in parts {
            assert!(
                text(&explained.stdout).contains(part),
                "{id}: {}",
                text(&explained.stdout)
            );
        }
    }
    assert_eq!(
        command(&["explain", "X-1"]).output().await.unwrap().status.code(),
        Some(2)
    );
}

pub(crate) async fn suite(server: &MockServer, url: &str, flags: &[&str]) -> Output {
    command(&[&["server", "--url", url][..], flags].concat())
        .env("CHECKFU_API_KEY", server.api_key())
        .env("CHECKFU_PRINCIPAL_ID", server.principal_id())
        .env(
            "CHECKFU_CONTROL_TOKEN",
            server.control_token().unwrap_or_default(),
        )
        .output()
        .await
        .unwrap()
}

pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_checkfu-conformance"));
    for name in [
        "CHECKFU_API_KEY",
        "CHECKFU_BASE_URL",
        "CHECKFU_PRINCIPAL_ID",
        "CHECKFU_AGENT_DEPLOYMENT_ID",
        "CHECKFU_WORKSPACE_ID",
        "CHECKFU_CONTROL_URL",
        "CHECKFU_CONTROL_TOKEN",
        "CHECKFU_SESSION_IDS",
    ] {
        command.env_remove(name);
    }
    command.args(arguments).stdin(Stdio::null()).kill_on_drop(true);
    command
}

pub(crate) fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}
