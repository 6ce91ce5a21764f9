//! What the README promises an operator who may only read.

use serde_json::Value;

use crate::{
    command::{suite, text},
    server::reference,
};

#[tokio::test]
async fn the_sessions_that_a_kept_run_prints_are_all_that_a_run_of_reads_takes() {
    let server = reference().await;
    let only = [
        "srv.stream.equals-list",
        "srv.thread.spawn-order",
        "srv.list.largest-page",
    ];
    let only = only.map(|check| ["--only", check]).concat();
    let made = suite(
        &server,
        server.url(),
        &[&["--keep", "--quiet"], &only[..]].concat(),
    )
    .await;
    let printed = text(&made.stdout);
    assert_eq!(made.status.code(), Some(0), "{printed}{}", text(&made.stderr));
    let ids: Vec<&str> = printed
        .lines()
        .filter_map(|line| line.trim().strip_prefix("left "))
        .filter_map(|line| Some(line.split_once(": kept (--keep)")?.0))
        .collect();
    assert_eq!(ids.len(), 3, "{printed}");
    let sessions: Vec<&str> = ids.iter().flat_map(|id| ["--session", id]).collect();
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("report.json");
    let flags = [
        "--profile",
        "reference",
        "--stimulus",
        "read",
        "--json",
        path.to_str().unwrap(),
    ];
    let read = suite(&server, server.url(), &[&flags[..], &sessions].concat()).await;
    assert_eq!(read.status.code(), Some(3), "{}", text(&read.stdout));
    let report: Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let reading = report["checks"].as_array().unwrap().iter();
    let reading: Vec<_> = reading.filter(|check| check["stimulus"] == "read").collect();
    for check in &reading {
        let verdict = check["verdict"].as_str().unwrap();
        assert!(["pass", "not_applicable"].contains(&verdict), "{check:#}");
    }
    assert!(!reading.is_empty());
    server.shutdown().await;
}

#[tokio::test]
async fn a_run_that_creates_says_why_it_cannot_read_and_what_mends_it() {
    let server = reference().await;
    let flags = ["--stimulus", "create", "--only", "srv.stream.equals-list"];
    let output = suite(&server, server.url(), &flags).await;
    let told = text(&output.stdout);
    assert_eq!(output.status.code(), Some(3), "{told}");
    for part in ["none has worked", "name one with --session", "--stimulus work"] {
        assert!(told.contains(part), "{part:?} is missing in {told}");
    }
    server.shutdown().await;
}
