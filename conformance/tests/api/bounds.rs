//! What a run keeps, waits for and says of what it saw, whatever the server sends.

use std::{
    sync::{Arc, Mutex},
    time::Duration,
};

use checkfu_conformance::{
    Budget, ExitStatus, Limits, Verdict,
    prove::{Mutant, Relay},
};

use crate::server::{idle, judge, plan, reference};

const MEBIBYTE: u64 = 1 << 20;

/// Answers are kept as evidence, and a server that sends without end takes no more memory than was allowed.
#[tokio::test]
async fn kept_answers_are_bounded() {
    let server = reference().await;
    let padded = Mutant::new("padded").answer(|_, answer| {
        answer.body.extend(vec![b' '; 1 << 20]);
    });
    let relay = Relay::start(server.url(), padded).await.unwrap();
    let budget = Budget {
        kept: Some(3 * MEBIBYTE),
        ..Budget::default()
    };
    let plan = plan(relay.url(), &server)
        .with_budget(budget)
        .with_only(["srv.list.*"])
        .unwrap();
    let report = judge(&plan).await;
    assert_eq!(report.exit, ExitStatus::Exhausted, "{report}");
    assert!(
        report.cut.as_ref().unwrap().contains("--budget-mebibytes"),
        "{report}"
    );
    assert_eq!(report.budget.kept, budget.kept);
    let most = 4 * MEBIBYTE + u64::try_from(report.created.len()).unwrap() * 2 * MEBIBYTE;
    assert!((3 * MEBIBYTE..most).contains(&report.spent.kept), "{report}");
    assert_eq!(report.count(Verdict::Fail), 0, "{report}");
    server.shutdown().await;
}

/// The time of a run ends a check too that waits for longer.
#[tokio::test]
async fn the_time_of_a_run_ends_a_check_that_waits() {
    let server = idle().await;
    let limits = Limits {
        turn: Duration::from_secs(30),
        run: Some(Duration::from_secs(1)),
        ..Limits::default()
    };
    let plan = plan(server.url(), &server)
        .with_limits(limits)
        .with_only(["srv.turn.settles"])
        .unwrap();
    let report = judge(&plan).await;
    let check = report.check("srv.turn.settles").unwrap();
    assert_eq!(check.verdict, Verdict::Inconclusive, "{report}");
    assert!(
        check.reason.as_ref().unwrap().contains("--run-timeout"),
        "{report}"
    );
    assert_eq!(report.exit, ExitStatus::Exhausted, "{report}");
    server.shutdown().await;
}

/// Without the header a server might send any content coding; with it one that does is told so.
#[tokio::test]
async fn no_content_coding_is_asked_for_and_none_is_taken() {
    let server = reference().await;
    let asked = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&asked);
    let coded = Mutant::new("coded")
        .request(move |call| {
            let header = call.header("accept-encoding").map(str::to_owned);
            seen.lock().unwrap().push(header);
        })
        .answer(|call, answer| {
            if call.is_list() {
                answer.headers.insert("content-encoding", "gzip".parse().unwrap());
            }
        });
    let relay = Relay::start(server.url(), coded).await.unwrap();
    let plan = plan(relay.url(), &server)
        .with_only(["srv.turn.settles"])
        .unwrap();
    let report = judge(&plan).await;
    let check = report.check("srv.turn.settles").unwrap();
    assert_eq!(check.verdict, Verdict::Fail, "{report}");
    assert!(report.to_string().contains("content-encoding: gzip"), "{report}");
    let asked = asked.lock().unwrap().clone();
    assert!(
        asked.iter().all(|header| header.as_deref() == Some("identity")),
        "{asked:?}"
    );
    server.shutdown().await;
}

/// A witness says what was asked, since no report holds the exchanges.
#[tokio::test]
async fn a_witness_names_its_call() {
    let server = reference().await;
    let plan = plan(server.url(), &server)
        .with_only(["srv.stream.equals-list", "srv.auth.*"])
        .unwrap();
    let report = judge(&plan).await;
    let calls: Vec<_> = report
        .checks
        .iter()
        .flat_map(|check| check.witnesses.iter().map(|witness| witness.call()))
        .collect();
    assert!(
        calls.iter().any(|call| call.ends_with("/events/stream 200")),
        "{calls:?}"
    );
    assert!(calls.iter().any(|call| call.ends_with(" 401")), "{calls:?}");
    assert!(calls.iter().all(|call| call.contains(" /v1/")), "{calls:?}");
    server.shutdown().await;
}
