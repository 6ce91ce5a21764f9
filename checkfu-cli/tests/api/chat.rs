//! Chatting, on the reference server.

use checkfu_mock_server::MockServer;

use crate::support::{command, create, feed, log, run};

/// CLI-4: each line of standard input becomes a message of the Principal, the Agent's answers to it are printed before
/// the next line is sent, and the end of the input ends the chat.
#[tokio::test]
async fn each_line_is_sent_and_answered_until_the_input_ends() {
    let server = MockServer::builder().start().await.unwrap();
    let session = create(&server).await;
    let arguments = ["session", "chat", &session, "--principal", server.principal_id()];
    let chat = feed(command(&server, &arguments), "Grüezi\n\n  \nAgain".as_bytes()).await;
    assert_eq!(
        chat.lines(),
        [
            "Hello, I am the plain agent.",
            "You wrote: Grüezi",
            "That is 6 characters. Anything else?",
            "Hello, I am the plain agent.",
            "You wrote: Again",
            "That is 5 characters. Anything else?",
        ]
    );

    let log = log(&server, &session).await;
    let kinds = ["user.message", "session.status_idle"];
    let turns: Vec<&str> = log
        .iter()
        .filter_map(|event| event["type"].as_str().filter(|kind| kinds.contains(kind)))
        .collect();
    assert_eq!(turns, [kinds, kinds].concat());
    let messages: Vec<_> = log
        .iter()
        .filter(|event| event["type"] == "user.message")
        .collect();
    assert!(
        messages
            .iter()
            .all(|event| event["payload"]["authored_by"] == server.principal_id())
    );
    assert!(
        messages
            .iter()
            .all(|event| event["payload"]["caused_by"]["kind"] == "cli")
    );
}

#[tokio::test]
async fn input_that_is_no_text_is_refused_and_nothing_is_sent() {
    let server = MockServer::builder().start().await.unwrap();
    let session = create(&server).await;
    let arguments = ["session", "chat", &session, "--principal", server.principal_id()];
    let chat = feed(command(&server, &arguments), b"\xff\xfe\n").await;
    assert_eq!(chat.code, Some(2), "{chat:?}");
    assert!(chat.stderr.contains("standard input"), "{chat:?}");
    let listed = run(&server, &["events", "list", "--session-id", &session]).await;
    assert_eq!(listed.types(), ["session.status_pending"]);
}
