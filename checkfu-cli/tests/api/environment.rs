//! What the environment says.

use checkfu_mock_server::MockServer;

use crate::support::{command, create, finish, log, run};

/// CLI-6: with the key, the base URL and the default ids in the environment no flag is needed, and steer takes its one
/// value as the text.
#[tokio::test]
async fn ids_come_from_the_environment() {
    let server = MockServer::builder().start().await.unwrap();
    let mut command = command(&server, &["session", "create"]);
    command
        .env("CHECKFU_AGENT_DEPLOYMENT_ID", server.deployment_id())
        .env("CHECKFU_PRINCIPAL_ID", server.principal_id());
    let session = finish(command).await.line().to_owned();

    for arguments in [
        &["session", "steer", "Draft a release note."][..],
        &["session", "follow", "--until-boundary"],
        &["session", "chat"],
        &["session", "retrieve"],
        &["events", "list"],
    ] {
        let mut command = crate::support::command(&server, arguments);
        command
            .env("CHECKFU_PRINCIPAL_ID", server.principal_id())
            .env("CHECKFU_SESSION_ID", &session);
        let finished = finish(command).await;
        assert_eq!(finished.code, Some(0), "{arguments:?} {finished:?}");
    }
    let log = log(&server, &session).await;
    let message = log.iter().find(|event| event["type"] == "user.message").unwrap();
    assert_eq!(message["payload"]["content"][0]["text"], "Draft a release note.");
    assert_eq!(message["payload"]["authored_by"], server.principal_id());
}

/// CLI-6: what stands on the command line wins over the environment.
#[tokio::test]
async fn the_command_line_wins() {
    let server = MockServer::builder().start().await.unwrap();
    let session = create(&server).await;
    let mut command = command(
        &server,
        &[
            "session",
            "steer",
            &session,
            "Go.",
            "--principal",
            server.principal_id(),
        ],
    );
    command
        .env("CHECKFU_PRINCIPAL_ID", "prin_of_nobody")
        .env("CHECKFU_SESSION_ID", "sess_of_nobody");
    finish(command).await.line();
}

/// CLI-6: the workspace of the environment is the one that the call acts in; an empty variable names none.
#[tokio::test]
async fn the_workspace_comes_from_the_environment() {
    let server = MockServer::builder().start().await.unwrap();
    let session = create(&server).await;
    for (workspace, code) in [(server.workspace_id(), 0), ("", 0), ("wksp_another", 1)] {
        let mut command = command(&server, &["session", "retrieve", &session]);
        command.env("CHECKFU_WORKSPACE_ID", workspace);
        let read = finish(command).await;
        assert_eq!(read.code, Some(code), "{workspace} {read:?}");
    }
}

/// CLI-6: the key comes from the environment alone: without it nothing is sent, there is no flag for it, and a refusal
/// does not repeat it.
#[tokio::test]
async fn the_key_comes_from_the_environment_and_is_never_printed() {
    let server = MockServer::builder().start().await.unwrap();
    let mut keyless = command(&server, &["session", "list"]);
    keyless.env_remove("CHECKFU_API_KEY");
    let keyless = finish(keyless).await;
    assert_eq!(keyless.code, Some(2), "{keyless:?}");
    assert!(keyless.stderr.contains("CHECKFU_API_KEY"), "{keyless:?}");

    let flag = run(&server, &["session", "list", "--api-key", server.api_key()]).await;
    assert_eq!(flag.code, Some(2), "{flag:?}");

    let mut wrong = command(&server, &["session", "list"]);
    wrong.env("CHECKFU_API_KEY", "cfk_of_nobody_at_all");
    let wrong = finish(wrong).await;
    assert_eq!(wrong.code, Some(1), "{wrong:?}");
    assert!(wrong.stderr.contains("auth.invalid_key"), "{wrong:?}");
    let help = run(&server, &["session", "create", "--help"]).await;
    for text in [&wrong.stdout, &wrong.stderr, &help.stdout, &help.stderr] {
        assert!(
            !text.contains("cfk_of_nobody_at_all") && !text.contains(server.api_key()),
            "{text}"
        );
    }
}
