//! What the operator gave to `model`: it is in the lines that repeat a run, and where the server does not know it, the
//! report names the flag.

use checkfu_conformance::prove::{Answer, Mutant, Relay};
use checkfu_mock_server::MockServer;
use std::{path::Path, process::Output};
use tokio::process::Command;

use super::{broken, play};
use crate::{
    command::{command, text},
    server::{plan, reference},
};

/// The first line that begins with this, without it.
fn line<'t>(shown: &'t str, begins: &str) -> &'t str {
    let mut lines = shown.lines().map(str::trim_start);
    let found = lines.find_map(|line| line.strip_prefix(begins));
    found
        .unwrap_or_else(|| panic!("no {begins:?} in {shown}"))
        .trim_start()
}

/// Runs a line that was printed, in a shell that knows nothing but the key.
async fn typed(line: &str, server: &MockServer) -> Output {
    let program = Path::new(env!("CARGO_BIN_EXE_checkfu-conformance"));
    let path = std::env::var("PATH").unwrap_or_default();
    let mut shell = Command::new("sh");
    shell.args(["-c", line]).env_clear().kill_on_drop(true);
    shell
        .env("PATH", format!("{}:{path}", program.parent().unwrap().display()))
        .env("CHECKFU_API_KEY", server.api_key());
    shell.output().await.unwrap()
}

/// What was given by flags or by the environment is in the printed lines, and they run as they are.
#[tokio::test]
async fn the_lines_that_repeat_a_run_do_what_it_did() {
    let server = reference().await;
    let mut servers = broken::servers().into_iter();
    let (_, mutant) = servers.find(|(name, _)| *name == "nonmonotonic").unwrap();
    let relay = Relay::start(server.url(), mutant).await.unwrap();
    let directory = tempfile::tempdir().unwrap();
    let bundle = directory.path().join("a bundle");
    let flags = [
        "--seed",
        "3",
        "--histories",
        "1",
        "--strict",
        "--turn-timeout",
        "2",
    ];
    let more = ["--answer-timeout", "5", "--silence", "3", "--bundle"];
    let output = command(&[&["model", "--quiet", "--url", relay.url()][..], &flags, &more].concat())
        .arg(&bundle)
        .env("CHECKFU_API_KEY", server.api_key())
        .env("CHECKFU_PRINCIPAL_ID", server.principal_id())
        .env("CHECKFU_AGENT_DEPLOYMENT_ID", server.deployment_id())
        .output()
        .await
        .unwrap();
    let shown = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{shown}{}", text(&output.stderr));
    let again = line(&shown, "reproduce:");
    let expected = format!(
        "checkfu-conformance model --url {} --profile published --principal {} --agent-deployment {} \
         --answer-timeout 5 --turn-timeout 2 --silence 3 --strict --seed 3 --only-history 0",
        relay.url(),
        server.principal_id(),
        server.deployment_id()
    );
    assert_eq!(again, expected);
    let judged = line(&shown, "judge again:");
    assert!(judged.contains("--profile published --strict '"), "{judged}");
    for line in [again, judged] {
        let output = typed(line, &server).await;
        let told = text(&output.stdout);
        assert_eq!(
            output.status.code(),
            Some(1),
            "{line}: {told}{}",
            text(&output.stderr)
        );
        assert!(told.contains("FAIL nonmonotonic"), "{line}: {told}");
    }
    server.shutdown().await;
}

/// An id that the server does not know is told as `server` tells it, with its words and the flag.
#[tokio::test]
async fn an_id_that_the_server_does_not_know_is_named_with_its_flag() {
    let server = reference().await;
    for (flag, id, variable) in [
        (
            "--principal",
            "prin_00000000000000000000000000000bad",
            "CHECKFU_PRINCIPAL_ID",
        ),
        (
            "--agent-deployment",
            "adep_00000000000000000000000000000bad",
            "CHECKFU_AGENT_DEPLOYMENT_ID",
        ),
    ] {
        let output = super::command::model(&server, server.url(), &["--histories", "2", flag, id])
            .output()
            .await
            .unwrap();
        let shown = text(&output.stdout);
        assert_eq!(output.status.code(), Some(2), "{shown}");
        for part in [
            &format!("{flag} {id} ({variable})")[..],
            "nothing was judged",
            "NOT JUDGED",
        ] {
            assert!(shown.contains(part), "{part:?} is missing in {shown}");
        }
    }
    server.shutdown().await;
}

/// A server that makes no Session says why in its own words, which are in the report.
#[tokio::test]
async fn a_refused_creation_is_told_in_the_words_of_the_server() {
    let server = reference().await;
    let refusing = Mutant::new("makes-no-session").answer(|call, answer| {
        if call.method == "POST" && call.path == "/v1/sessions" {
            let body = r#"{"type":"error","error":{"type":"api_error","code":"quota.spent","message":"come back tomorrow"}}"#;
            *answer = Answer::new(403, "application/json", body);
        }
    });
    let relay = Relay::start(server.url(), refusing).await.unwrap();
    let report = play(&plan(relay.url(), &server), 1, 1).await;
    let told = report.to_string();
    assert!(
        told.contains("no Session could be created: status 403 quota.spent, \"come back tomorrow\""),
        "{told}"
    );
    server.shutdown().await;
}
