//! Ids that the server under test does not know are the operator's matter, and nothing else is.

use checkfu_conformance::prove::{Answer, Mutant, Relay};
use checkfu_mock_server::MockServer;
use serde_json::{Value, json};

use crate::{
    command::{command, text},
    server::{fits_schema, reference},
};

const UNKNOWN_PRINCIPAL: &str = "prin_00000000000000000000000000000bad";
const UNKNOWN_DEPLOYMENT: &str = "adep_00000000000000000000000000000bad";
const UNKNOWN_WORKSPACE: &str = "wksp_00000000000000000000000000000bad";

/// The exit status, what was printed on both and the report.
async fn judged(server: &MockServer, url: &str, principal: &str, flags: &[&str]) -> (i32, String, Value) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("report.json");
    let file = ["--json", path.to_str().unwrap()];
    let arguments = [
        &["server", "--url", url, "--principal", principal][..],
        &file,
        flags,
    ]
    .concat();
    let output = command(&arguments)
        .env("CHECKFU_API_KEY", server.api_key())
        .output()
        .await
        .unwrap();
    let report = std::fs::read_to_string(path).unwrap();
    fits_schema(&report);
    let told = text(&output.stdout) + &text(&output.stderr);
    (
        output.status.code().unwrap(),
        told,
        serde_json::from_str(&report).unwrap(),
    )
}

#[tokio::test]
async fn an_id_that_the_server_does_not_know_exits_2_and_names_its_flag() {
    let server = reference().await;
    let known = server.principal_id();
    for (principal, flags, parts) in [
        (
            UNKNOWN_PRINCIPAL,
            &[][..],
            ["--principal prin_", "CHECKFU_PRINCIPAL_ID"],
        ),
        ("prin_1", &[], ["--principal prin_1", "CHECKFU_PRINCIPAL_ID"]),
        (
            known,
            &["--agent-deployment", UNKNOWN_DEPLOYMENT],
            ["--agent-deployment adep_", "CHECKFU_AGENT_DEPLOYMENT_ID"],
        ),
        (
            known,
            &["--workspace", UNKNOWN_WORKSPACE],
            ["--workspace wksp_", "CHECKFU_WORKSPACE_ID"],
        ),
        (
            known,
            &["--workspace", UNKNOWN_WORKSPACE, "--stimulus", "read"],
            ["--workspace wksp_", "CHECKFU_WORKSPACE_ID"],
        ),
        (
            UNKNOWN_PRINCIPAL,
            &["--only", "srv.prompt.*", "--profile", "reference"],
            ["--principal prin_", "nothing was judged"],
        ),
    ] {
        let (exit, told, report) = judged(&server, server.url(), principal, flags).await;
        assert_eq!(exit, 2, "{flags:?}: {told}");
        for part in parts {
            assert!(told.contains(part), "{flags:?}: {part:?} is missing in {told}");
        }
        assert!(!told.contains("FAIL"), "{told}");
        assert_eq!(report["exit"], "usage", "{told}");
        assert_eq!(report["conclusion"], "not_judged");
        assert_eq!(report["checks"], json!([]));
    }
    server.shutdown().await;
}

/// A deployment for one kind of Agent is the operator's word too: what needs it cannot be judged, and nothing fails.
#[tokio::test]
async fn an_agent_that_the_server_does_not_know_leaves_its_checks_undecided() {
    let server = reference().await;
    let agent = format!("question={UNKNOWN_DEPLOYMENT}");
    let flags = [
        "--agent",
        &agent,
        "--only",
        "srv.wait.question-pauses",
        "--only",
        "srv.session.create",
    ];
    let (exit, told, report) = judged(&server, server.url(), server.principal_id(), &flags).await;
    assert_eq!(exit, 3, "{told}");
    let verdicts = report["checks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|check| &check["verdict"]);
    assert_eq!(Vec::from_iter(verdicts), ["pass", "inconclusive"], "{told}");
    assert!(
        told.contains(&format!("refuses --agent {agent} with 404")),
        "{told}"
    );
    server.shutdown().await;
}

/// What the contract has for an id that is not known, as a server says it of `param`.
fn refusal(param: &str) -> Answer {
    let error = json!({
        "type": "not_found_error",
        "code": "resource.not_found",
        "message": "no such thing",
        "retryable": false,
        "param": param,
        "details": {},
    });
    let id = "req_00000000000000000000000000000001";
    let body = json!({"type": "error", "error": error, "request_id": id});
    let mut answer = Answer::new(404, "application/json", body.to_string());
    answer.headers.insert("request-id", id.parse().unwrap());
    answer
}

#[tokio::test]
async fn a_server_that_refuses_more_than_the_id_is_judged_and_fails() {
    let server = reference().await;
    let broken = [
        // In good form, whatever is asked.
        Mutant::new("refuses-everything").instead(|_| Some(refusal("principal_id"))),
        // Only the creation, and without a word of the id.
        Mutant::new("refuses-creations").instead(|call| call.is_creation().then(|| refusal("mood"))),
        // In a form that is none.
        Mutant::new("refuses-creations-bare").instead(|call| {
            let bare = json!({"error": {"param": "principal_id", "message": "no principal_id"}});
            call.is_creation()
                .then(|| Answer::new(404, "application/json", bare.to_string()))
        }),
        // As the server's own trouble.
        Mutant::new("fails-creations").instead(|call| {
            call.is_creation().then(|| {
                let mut answer = refusal("principal_id");
                answer.status = 500;
                answer
            })
        }),
    ];
    for mutant in broken {
        let name = mutant.name();
        let relay = Relay::start(server.url(), mutant).await.unwrap();
        let flags = [
            // Without one the list of deployments would be refused first.
            "--agent-deployment",
            server.deployment_id(),
            "--only",
            "srv.session.*",
            "--only",
            "srv.errors.*",
            "--answer-timeout",
            "2",
        ];
        let (exit, told, report) = judged(&server, relay.url(), server.principal_id(), &flags).await;
        assert_eq!(exit, 1, "{name}: {told}");
        assert_eq!(report["exit"], "failed", "{name}");
        assert!(!report["checks"].as_array().unwrap().is_empty(), "{name}");
    }
    server.shutdown().await;
}

/// A creation that is refused once Sessions were made has nothing to do with how the run was set up.
#[tokio::test]
async fn a_refusal_behind_the_first_session_is_a_failure() {
    let server = reference().await;
    let made = std::sync::atomic::AtomicUsize::new(0);
    let tires = Mutant::new("tires").instead(move |call| {
        let order = std::sync::atomic::Ordering::Relaxed;
        (call.is_creation() && made.fetch_add(1, order) > 0).then(|| refusal("principal_id"))
    });
    let relay = Relay::start(server.url(), tires).await.unwrap();
    let flags = ["--only", "srv.session.*"];
    let (exit, told, _) = judged(&server, relay.url(), server.principal_id(), &flags).await;
    assert_eq!(exit, 1, "{told}");
    server.shutdown().await;
}
