//! Creating, steering, listing and reading Sessions.

use checkfu_mock_server::MockServer;
use serde_json::Value;

use crate::support::{create, log, run, steer};

/// CLI-1: the id of the new Session stands alone on standard output, and its deployment, Principal, title and pinned
/// revision are those that were given.
#[tokio::test]
async fn create_prints_the_id_of_a_session_that_is_as_asked() {
    let server = MockServer::builder().start().await.unwrap();
    let (deployment, principal) = (server.deployment_id(), server.principal_id());
    let mut arguments = vec![
        "session",
        "create",
        "--agent-deployment",
        deployment,
        "--principal",
        principal,
    ];
    arguments.extend(["--title", "Release note", "--revision", "1"]);
    let created = run(&server, &arguments).await;
    let id = created.line();
    assert!(
        id.starts_with("sess_") && created.stdout == format!("{id}\n"),
        "{created:?}"
    );
    assert_eq!(created.stderr, "");

    let read = run(&server, &["session", "retrieve", id, "--json"]).await;
    let session: Value = serde_json::from_str(read.line()).unwrap();
    assert_eq!(session["id"], id);
    assert_eq!(session["agent_deployment_id"], deployment);
    assert_eq!(session["principal_id"], principal);
    assert_eq!(session["title"], "Release note");
    assert_eq!(session["agent_deployment_revision_number"], 1);
}

/// CLI-2: steer appends the text as a message of the Principal and prints the place where it was accepted; with --json
/// the envelope. The log says that it came from the command line.
#[tokio::test]
async fn steer_appends_the_text_of_the_principal_and_prints_its_place() {
    let server = MockServer::builder().start().await.unwrap();
    let session = create(&server).await;
    let first: u64 = steer(&server, &session, "Draft a\nrelease note.")
        .await
        .parse()
        .unwrap();
    let principal = server.principal_id();
    let arguments = [
        "session",
        "steer",
        &session,
        "Again.",
        "--principal",
        principal,
        "--json",
    ];
    let second: Value = serde_json::from_str(run(&server, &arguments).await.line()).unwrap();

    let log = log(&server, &session).await;
    let at = |seq: u64| log.iter().find(|event| event["seq"] == seq).unwrap();
    assert_eq!(at(first)["type"], "user.message");
    let payload = &at(first)["payload"];
    assert_eq!(payload["content"][0]["text"], "Draft a\nrelease note.");
    assert_eq!(payload["authored_by"], principal);
    assert_eq!(payload["caused_by"]["kind"], "cli");
    assert_eq!(at(second["seq"].as_u64().unwrap()), &second);
    assert_eq!(second["payload"]["content"][0]["text"], "Again.");
}

#[tokio::test]
async fn list_and_retrieve_print_sessions_for_people_and_as_json() {
    let server = MockServer::builder().start().await.unwrap();
    let (idle, pending) = (create(&server).await, create(&server).await);
    let seq = steer(&server, &idle, "Go.").await;
    run(
        &server,
        &["session", "follow", &idle, "--until-boundary", "--after", &seq],
    )
    .await
    .lines();

    let all = run(&server, &["session", "list"]).await;
    let ids: Vec<&str> = all
        .lines()
        .iter()
        .map(|line| line.split_whitespace().next().unwrap())
        .collect();
    assert!(
        ids.len() == 2 && ids.contains(&&*idle) && ids.contains(&&*pending),
        "{all:?}"
    );
    let some = run(&server, &["session", "list", "--status", "idle", "--json"]).await;
    let session: Value = serde_json::from_str(some.line()).unwrap();
    assert_eq!(
        (&session["id"], &session["status"]),
        (&idle.as_str().into(), &"idle".into())
    );

    let read = run(&server, &["session", "retrieve", &idle]).await;
    let members: Vec<Vec<&str>> = read
        .lines()
        .iter()
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert!(members.contains(&vec!["id", &idle]), "{read:?}");
    assert!(members.contains(&vec!["stop_reason", "end_turn"]), "{read:?}");
}
