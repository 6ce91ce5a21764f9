//! Listing and streaming events.

use checkfu_mock_server::MockServer;

use crate::support::{Running, command, create, log, run, steer};

#[tokio::test]
async fn list_takes_a_place_and_a_limit() {
    let server = MockServer::builder().start().await.unwrap();
    let session = create(&server).await;
    let seq = steer(&server, &session, "Go.").await;
    run(
        &server,
        &["session", "follow", &session, "--until-boundary", "--after", &seq],
    )
    .await
    .lines();

    let list = ["events", "list", "--session-id", &session];
    let all = run(&server, &list).await;
    let some = run(&server, &[&list[..], &["--after", "2", "--limit", "3"]].concat()).await;
    assert_eq!(some.lines(), all.lines()[2..5]);
    let none = run(&server, &[&list[..], &["--after", "9999"]].concat()).await;
    assert!(none.lines().is_empty(), "{none:?}");
}

#[tokio::test]
async fn stream_goes_on_over_boundaries() {
    let server = MockServer::builder().start().await.unwrap();
    let session = create(&server).await;
    let first = steer(&server, &session, "First.").await;
    let arguments = [
        "events",
        "stream",
        "--session-id",
        &session,
        "--from",
        &first,
        "--json",
    ];
    let mut stream = Running::start(command(&server, &arguments));
    let mut lines = stream.lines_to("\"session.status_idle\"").await;
    steer(&server, &session, "Second.").await;
    lines.extend(stream.lines_to("\"session.status_idle\"").await);
    let printed: Vec<serde_json::Value> = lines
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let first: usize = first.parse().unwrap();
    assert_eq!(printed, log(&server, &session).await[first..]);
}
