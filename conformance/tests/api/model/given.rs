//! What the operator gave to `model`: it is in the lines that repeat a run, and where the server does not know it, the
//! report names the flag.

use checkfu_conformance::{
    Conclusion, Verdict,
    model::{MODEL_REPORT_SCHEMA_JSON, Property},
    prove::{Answer, Mutant, Relay},
};
use checkfu_mock_server::MockServer;
use serde_json::Value;
use std::{path::Path, process::Output, time::Duration};
use tokio::process::Command;

use super::{broken, one, play};
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

/// What a server has off as the pages let it is no gap in the judgement.
#[tokio::test(flavor = "multi_thread")]
async fn properties_of_what_is_off_do_not_apply() {
    let server = MockServer::builder()
        .step_delay(Duration::from_millis(1))
        .without(["forks", "previews"])
        .unwrap()
        .start()
        .await
        .unwrap();
    let report = play(&plan(server.url(), &server), 1, 12).await;
    for (property, name) in [(Property::Fork, "forks"), (Property::PreviewErasure, "previews")] {
        assert_eq!(report.verdict(property), Verdict::NotApplicable, "{report}");
        let told = format!("{}: the capability {name} is disabled", property.id());
        assert!(report.to_string().contains(&told), "{report}");
        assert!(report.to_markdown().contains(&told), "{}", report.to_markdown());
        assert!(report.to_junit().unwrap().contains("is disabled"));
    }
    assert_eq!(report.conclusion(), Conclusion::Conformant, "{report}");
    assert_eq!(report.exit().code(), 0);
    let schema: Value = serde_json::from_str(MODEL_REPORT_SCHEMA_JSON).unwrap();
    let document: Value = serde_json::from_str(&report.to_json().unwrap()).unwrap();
    let validator = jsonschema::draft202012::new(&schema).unwrap();
    let faults: Vec<_> = validator
        .iter_errors(&document)
        .map(|fault| fault.to_string())
        .collect();
    assert!(faults.is_empty(), "{faults:?}");
    server.shutdown().await;
}

/// Where nothing is listed, the documented refusal says it; where it is listed as on, a refusal does not excuse it.
#[tokio::test(flavor = "multi_thread")]
async fn a_refused_fork_excuses_only_a_server_that_does_not_list_forks_as_on() {
    let server = reference().await;
    for (lists, expected) in [(false, Verdict::NotApplicable), (true, Verdict::Inconclusive)] {
        let refusing = Mutant::new("refuses-forks").answer(move |call, answer| {
            if call.is_fork() {
                let body = r#"{"type":"error","error":{"type":"permission_error","code":"capability.disabled","message":"no forks"}}"#;
                *answer = Answer::new(403, "application/json", body);
            } else if call.path.starts_with("/v1/capabilities") && !lists {
                *answer = Answer::new(404, "application/json", "{}");
            }
        });
        let relay = Relay::start(server.url(), refusing).await.unwrap();
        let mut verdicts = Vec::new();
        for number in 0..6 {
            let report = one(&plan(relay.url(), &server), number).await;
            verdicts.push(report.verdict(Property::Fork));
        }
        assert!(verdicts.contains(&expected), "{lists}: {verdicts:?}");
        if lists {
            assert!(!verdicts.contains(&Verdict::NotApplicable), "{verdicts:?}");
        }
    }
    server.shutdown().await;
}
