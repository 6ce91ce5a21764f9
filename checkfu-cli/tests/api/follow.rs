//! Following to a boundary, on the reference server.

use std::time::Duration;

use checkfu_mock_server::{ManualClock, MockServer};
use serde_json::Value;

use crate::support::{Running, command, create, log, run, steer};

/// CLI-3: the documented three commands: the follow prints the whole log, one event a line, and exits with 0 at the
/// settlement, which it names on standard error.
#[tokio::test]
async fn the_documented_commands_end_at_the_settlement() {
    let server = MockServer::builder().start().await.unwrap();
    let session = create(&server).await;
    steer(&server, &session, "Draft a release note.").await;
    let followed = run(&server, &["session", "follow", &session, "--until-boundary"]).await;
    let lines = followed.lines();

    let log = log(&server, &session).await;
    assert_eq!(lines.len(), log.len(), "{followed:#?}");
    for (line, event) in lines.iter().zip(&log) {
        let mut words = line.split_whitespace();
        assert_eq!(words.next().unwrap(), event["seq"].to_string());
        assert_eq!(words.next().unwrap(), event["type"]);
    }
    assert!(
        lines
            .iter()
            .any(|line| line.ends_with("You wrote: Draft a release note.")),
        "{lines:#?}"
    );
    assert_eq!(log.last().unwrap()["type"], "session.status_idle");
    let reason = format!("settled at seq {}: idle (end_turn)\n", log.last().unwrap()["seq"]);
    assert_eq!(followed.stderr, reason);
}

/// CLI-3, A-HEAD: a Session that is settled already is printed to its head, and from its head there is nothing to
/// print; neither hangs. With --json each line is the envelope as the server sent it.
#[tokio::test]
async fn a_settled_session_ends_at_its_head() {
    let server = MockServer::builder().start().await.unwrap();
    let session = create(&server).await;
    let seq = steer(&server, &session, "Go.").await;
    run(
        &server,
        &["session", "follow", &session, "--until-boundary", "--after", &seq],
    )
    .await
    .lines();

    let log = log(&server, &session).await;
    let again = run(
        &server,
        &["session", "follow", &session, "--until-boundary", "--json"],
    )
    .await;
    let printed: Vec<Value> = again
        .lines()
        .iter()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(printed, log);
    let head = log.last().unwrap()["seq"].to_string();
    let nothing = run(
        &server,
        &[
            "session",
            "follow",
            &session,
            "--until-boundary",
            "--after",
            &head,
        ],
    )
    .await;
    assert!(nothing.lines().is_empty(), "{nothing:?}");
    assert_eq!(
        nothing.stderr,
        format!("settled at seq {head}: idle (end_turn)\n")
    );
}

/// CLI-3: the settlement of an earlier turn does not end a follow while the next turn is at work, whether the follow
/// starts at the beginning of the log or after the input that it is about.
#[tokio::test]
async fn an_earlier_settlement_does_not_answer_for_the_present_turn() {
    let clock = ManualClock::starting_at("2026-08-31T00:00:00Z".parse().unwrap());
    let server = MockServer::builder().clock(clock.clone()).start().await.unwrap();
    let session = create(&server).await;
    let first = steer(&server, &session, "First.").await;
    let follow = ["session", "follow", &session, "--until-boundary"];
    let mut turn = Running::start(command(&server, &[&follow[..], &["--after", &first]].concat()));
    settle(&clock, &mut turn).await;
    assert_eq!(turn.finish().await.code, Some(0));

    let second = steer(&server, &session, "Second.").await;
    let mut whole = Running::start(command(&server, &follow));
    let mut after = Running::start(command(&server, &[&follow[..], &["--after", &second]].concat()));
    // Past the idle of the first turn, while the second stands still.
    let past = whole.lines_to("Second.").await;
    assert!(
        past.iter().any(|line| line.contains("session.status_idle")),
        "{past:#?}"
    );
    settle(&clock, &mut whole).await;
    let last = after.lines_to("session.status_idle").await.pop().unwrap();
    let head = log(&server, &session).await.pop().unwrap();
    assert!(
        last.trim_start().starts_with(&head["seq"].to_string()),
        "{last} is not {head}"
    );
    for running in [whole, after] {
        let ended = running.finish().await;
        assert_eq!((ended.code, &*ended.stdout), (Some(0), ""), "{ended:?}");
    }
}

/// Lets the server's time go on until the follow prints an idle.
async fn settle(clock: &ManualClock, running: &mut Running) {
    let time = async {
        loop {
            clock.advance(Duration::from_millis(5));
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        _ = running.lines_to("session.status_idle") => {}
        () = time => {}
    }
}
