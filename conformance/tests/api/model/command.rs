//! `model` and `check-history`: exit statuses, bundles, and a key that is in none of them.

use checkfu_conformance::prove::{Mutant, Relay};
use std::path::Path;

use checkfu_mock_server::MockServer;
use tokio::process::Command;

use super::broken;
use crate::{
    command::{command, text},
    server::reference,
};

#[tokio::test]
async fn a_correct_server_exits_0_and_the_seed_comes_first() {
    let server = reference().await;
    let output = model(
        &server,
        server.url(),
        &["--seed", "3", "--histories", "12", "--profile", "reference"],
    )
    .output()
    .await
    .unwrap();
    let shown = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0), "{shown}");
    assert!(shown.starts_with("seed 3\n"), "{shown}");
    assert!(shown.contains("CONFORMANT for profile reference"), "{shown}");
    server.shutdown().await;
}

/// What is written down is judged offline as it was in the run, and so is what is left of it after shrinking.
#[tokio::test]
async fn a_bundle_shows_offline_what_the_run_found() {
    let server = reference().await;
    let (_, mutant) = broken::servers()
        .into_iter()
        .find(|(name, _)| *name == "missing-in-stream")
        .unwrap();
    let relay = Relay::start(server.url(), mutant).await.unwrap();
    let directory = tempfile::tempdir().unwrap();
    let bundle = directory.path().join("bundle");
    let flags = [
        "--seed",
        "3",
        "--histories",
        "2",
        "--turn-timeout",
        "2",
        "--bundle",
        bundle.to_str().unwrap(),
    ];
    let output = model(&server, relay.url(), &flags).output().await.unwrap();
    let found = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{found}{}", text(&output.stderr));
    assert!(
        found.contains("FAIL missing-in-stream (documented) history 0"),
        "{found}"
    );
    assert!(found.contains("--seed 3 --only-history 0"), "{found}");
    for file in ["history-0.jsonl", "history-0.shrunk.jsonl"] {
        let path = bundle.join(file);
        let output = check(&[&path]).output().await.unwrap();
        let shown = text(&output.stdout);
        assert_eq!(output.status.code(), Some(1), "{shown}{}", text(&output.stderr));
        assert!(shown.contains("FAIL missing-in-stream (documented)"), "{shown}");
    }
    let sizes = ["history-0.jsonl", "history-0.shrunk.jsonl"].map(|file| read(&bundle, file).lines().count());
    assert!(sizes[1] * 2 < sizes[0], "{sizes:?}");
    let offline = text(
        &check(&[&bundle.join("history-0.jsonl")])
            .output()
            .await
            .unwrap()
            .stdout,
    );
    let of_history = |shown: &str| -> Vec<String> {
        let lines = shown
            .lines()
            .filter(|line| line.starts_with("  shown by: ") || line.starts_with("  about: "));
        lines.map(str::to_owned).collect()
    };
    assert_eq!(of_history(&offline)[..2], of_history(&found)[..2]);
    server.shutdown().await;
}

/// Proves that the key is in no history, whatever a server sends back.
#[tokio::test]
async fn the_key_is_in_no_bundle() {
    let server = reference().await;
    let key = server.api_key().to_owned();
    let leaking = {
        let key = key.clone();
        Mutant::new("streams-the-key").frame(move |_, number, mut frame| {
            frame.edit(|event| event["payload"]["key"] = format!("{key} {}", number % 2).into());
            vec![frame]
        })
    };
    let relay = Relay::start(server.url(), leaking).await.unwrap();
    let directory = tempfile::tempdir().unwrap();
    let flags = ["--histories", "2", "--bundle", directory.path().to_str().unwrap()];
    let output = model(&server, relay.url(), &flags).output().await.unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    let files: Vec<String> = std::fs::read_dir(directory.path())
        .unwrap()
        .map(|file| std::fs::read_to_string(file.unwrap().path()).unwrap())
        .collect();
    assert!(files.iter().any(|file| file.contains("[redacted]")));
    assert!(!files.iter().any(|file| file.contains(&key)));
    assert!(!text(&output.stdout).contains(&key));
    server.shutdown().await;
}

#[tokio::test]
async fn a_server_that_is_not_there_is_not_judged() {
    let server = reference().await;
    let output = model(&server, "http://127.0.0.1:1", &["--histories", "2"])
        .output()
        .await
        .unwrap();
    assert_eq!(output.status.code(), Some(4), "{}", text(&output.stdout));
    assert!(
        text(&output.stdout).contains("no connection to the target: http://127.0.0.1:1: "),
        "{}",
        text(&output.stdout)
    );
    let refused = model(&server, server.url(), &["--jobs", "0"])
        .output()
        .await
        .unwrap();
    assert_eq!(refused.status.code(), Some(2));
    server.shutdown().await;
}

/// What was not put to the test is no pass, and a file that is no history is no judgement.
#[tokio::test]
async fn files_are_judged_by_what_they_hold() {
    let forged = |name: &str| {
        Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("tests/histories")
            .join(name)
    };
    let broken = check(&[&forged("lost-write.must.jsonl")]).output().await.unwrap();
    assert_eq!(broken.status.code(), Some(1));
    assert!(
        text(&broken.stdout).contains("shown by:  operations 0, 1, lines 2, 3, 4, 6"),
        "{}",
        text(&broken.stdout)
    );
    let partial = check(&[&forged("lost-write.must-not.jsonl")])
        .output()
        .await
        .unwrap();
    assert_eq!(partial.status.code(), Some(3), "{}", text(&partial.stdout));
    assert!(
        text(&partial.stdout).contains("inconclusive  P13"),
        "{}",
        text(&partial.stdout)
    );
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("cut.jsonl");
    let whole = read(&forged(""), "lost-write.must.jsonl");
    std::fs::write(&file, &whole[..whole.len() - 10]).unwrap();
    let cut = check(&[&file]).output().await.unwrap();
    assert_eq!(cut.status.code(), Some(2));
    assert!(
        text(&cut.stderr).contains("cut.jsonl: line 6: "),
        "{}",
        text(&cut.stderr)
    );
    let missing = check(&[&directory.path().join("none")]).output().await.unwrap();
    assert_eq!(missing.status.code(), Some(2));
}

pub(super) fn model(server: &MockServer, url: &str, flags: &[&str]) -> Command {
    let mut command = command(&[&["model", "--quiet", "--url", url][..], flags].concat());
    command
        .env("CHECKFU_API_KEY", server.api_key())
        .env("CHECKFU_PRINCIPAL_ID", server.principal_id())
        .env("CHECKFU_AGENT_DEPLOYMENT_ID", server.deployment_id());
    command
}

fn check(files: &[&Path]) -> Command {
    let mut command = command(&["check-history"]);
    command.args(files);
    command
}

fn read(directory: &Path, file: &str) -> String {
    std::fs::read_to_string(directory.join(file)).unwrap()
}

#[tokio::test]
async fn a_property_and_an_anomaly_are_explained() {
    for (id, told) in [("P04", "lost-write (documented)"), ("lost-write", "breaks P04")] {
        let output = command(&["explain", id]).output().await.unwrap();
        let shown = text(&output.stdout);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        assert!(shown.contains(told) && shown.contains("SES-1: "), "{shown}");
    }
    let unknown = command(&["explain", "P18"]).output().await.unwrap();
    assert_eq!(unknown.status.code(), Some(2));
    assert!(text(&unknown.stderr).contains("property or anomaly"));
}

/// A key twice is two histories in one: the file is refused with the line, the key and what to do.
#[tokio::test]
async fn a_file_with_a_key_twice_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("twice.jsonl");
    let forged = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/histories");
    let whole = read(&forged, "lost-write.must.jsonl");
    std::fs::write(&file, whole.replacen("\"seq\":1", "\"seq\":2,\"seq\":1", 1)).unwrap();
    let output = check(&[&file]).output().await.unwrap();
    assert_eq!(output.status.code(), Some(2));
    let told = "twice.jsonl: line 5: the key \"seq\" stands twice in one object: take one of them out";
    assert!(text(&output.stderr).contains(told), "{}", text(&output.stderr));
}
