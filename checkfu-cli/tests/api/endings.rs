//! How the program ends.

use checkfu_mock_server::MockServer;

use crate::support::{Running, checkfu, command, create, finish, run, steer};

#[tokio::test]
async fn a_refusal_tells_code_request_and_whether_to_retry() {
    let server = MockServer::builder().start().await.unwrap();
    let unknown = format!("sess_{}", "0".repeat(32));
    for arguments in [
        &["session", "retrieve", &unknown][..],
        &["session", "follow", &unknown],
        &["session", "follow", &unknown, "--until-boundary"],
        &["events", "list", "--session-id", &unknown],
    ] {
        let refused = run(&server, arguments).await;
        assert_eq!((refused.code, &*refused.stdout), (Some(1), ""), "{refused:?}");
        for part in ["404 resource.not_found", "req_", "retryable: no"] {
            assert!(refused.stderr.contains(part), "{part}: {refused:?}");
        }
    }
}

#[tokio::test]
async fn a_cursor_ahead_of_the_log_is_an_error() {
    let server = MockServer::builder().start().await.unwrap();
    let session = create(&server).await;
    let ahead = run(
        &server,
        &["session", "follow", &session, "--until-boundary", "--after", "99"],
    )
    .await;
    assert_eq!(ahead.code, Some(1), "{ahead:?}");
    assert!(ahead.stderr.contains("ahead of the log"), "{ahead:?}");
}

#[tokio::test]
async fn a_server_that_is_not_there_is_a_failure_worth_retrying() {
    let server = MockServer::builder().start().await.unwrap();
    let (url, key) = (server.url().to_owned(), server.api_key().to_owned());
    server.shutdown().await;
    let failed = finish(checkfu(
        &url,
        &key,
        &["session", "follow", "sess_1", "--until-boundary"],
    ))
    .await;
    assert_eq!(failed.code, Some(1), "{failed:?}");
    assert!(failed.stderr.contains("retryable: yes"), "{failed:?}");
}

#[tokio::test]
async fn wrong_usage_ends_with_2() {
    let server = MockServer::builder().start().await.unwrap();
    for arguments in [
        &["session", "follow"][..],
        &["session", "follow", "", "--until-boundary"],
        &["session", "retrieve", ".."],
        &["session", "steer", "sess_1", "text"],
        &["session", "follow", "sess_1", "--after", "x"],
        &["events", "list", "--session-id", "sess_1", "--limit", "0"],
        &["session", "steer", "only one value", "--principal", "prin_1"],
    ] {
        let refused = run(&server, arguments).await;
        assert_eq!(
            (refused.code, &*refused.stdout),
            (Some(2), ""),
            "{arguments:?} {refused:?}"
        );
        assert!(!refused.stderr.is_empty());
    }
}

#[tokio::test]
async fn a_reader_that_goes_away_ends_it_quietly() {
    let server = MockServer::builder().start().await.unwrap();
    let session = create(&server).await;
    let mut follow = Running::start(command(&server, &["session", "follow", &session]));
    follow.line().await;
    steer(&server, &session, "Go.").await;
    let ended = follow.close_output().await;
    assert_eq!((ended.code, &*ended.stderr), (Some(141), ""), "{ended:?}");
}

#[tokio::test]
async fn an_interrupt_ends_it_with_130() {
    let server = MockServer::builder().start().await.unwrap();
    let session = create(&server).await;
    let mut follow = Running::start(command(&server, &["session", "follow", &session]));
    follow.line().await;
    follow.interrupt().await;
    let ended = follow.finish().await;
    assert_eq!((ended.code, &*ended.stderr), (Some(130), ""), "{ended:?}");

    // In the middle of a chat, while its standard input stays open.
    let arguments = ["session", "chat", &session, "--principal", server.principal_id()];
    let mut chat = command(&server, &arguments);
    chat.stdin(std::process::Stdio::piped());
    let mut chat = Running::start(chat);
    chat.say("Go.").await;
    chat.lines_to("Anything else?").await;
    run(&server, &["session", "follow", &session, "--until-boundary"])
        .await
        .lines();
    chat.interrupt().await;
    let ended = chat.finish().await;
    assert_eq!(
        (ended.code, &*ended.stdout, &*ended.stderr),
        (Some(130), "", ""),
        "{ended:?}"
    );
}
