//! `model` spends no more than it may, and says what ended it.

use checkfu_conformance::prove::{Mutant, Relay};
use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use super::command::model;
use crate::{command::text, server::reference};

/// A spent budget ends the run, and what was created is ended all the same.
#[tokio::test]
async fn a_spent_budget_ends_the_run() {
    let server = reference().await;
    for (flag, limit, told) in [
        (
            "--budget-requests",
            "60",
            "the budget of 60 requests is spent (--budget-requests)",
        ),
        (
            "--budget-events",
            "4",
            "the budget of 4 events is spent (--budget-events)",
        ),
        (
            "--budget-requests",
            "1",
            "the budget of 1 requests is spent (--budget-requests)",
        ),
    ] {
        let flags = ["--seed", "3", "--histories", "50", "--jobs", "1", flag, limit];
        let output = model(&server, server.url(), &flags).output().await.unwrap();
        let shown = text(&output.stdout);
        assert_eq!(output.status.code(), Some(5), "{shown}{}", text(&output.stderr));
        assert!(shown.contains(told), "{shown}");
        assert!(shown.contains("PARTIAL for profile published"), "{shown}");
        assert!(!shown.contains("were not ended"), "{shown}");
    }
    server.shutdown().await;
}

/// The budget bounds what the server gets; only what ends Sessions is beyond it.
#[tokio::test]
async fn no_more_requests_are_sent_than_may_be() {
    let server = reference().await;
    let sent = Arc::new(AtomicUsize::new(0));
    let counting = {
        let sent = Arc::clone(&sent);
        Mutant::new("counts").request(move |_| {
            sent.fetch_add(1, Ordering::Relaxed);
        })
    };
    let relay = Relay::start(server.url(), counting).await.unwrap();
    let flags = ["--histories", "50", "--keep", "--budget-requests", "40"];
    let output = model(&server, relay.url(), &flags).output().await.unwrap();
    assert_eq!(output.status.code(), Some(5), "{}", text(&output.stdout));
    // A caller that leaves at once may have sent nothing yet.
    let sent = sent.load(Ordering::Relaxed);
    assert!((20..=40).contains(&sent), "{sent} requests");
    server.shutdown().await;
}

#[tokio::test]
async fn spent_time_ends_the_run() {
    let server = reference().await;
    let flags = [
        "--histories",
        "5000",
        "--run-timeout",
        "0.5",
        "--profile",
        "reference",
    ];
    let output = model(&server, server.url(), &flags).output().await.unwrap();
    let shown = text(&output.stdout);
    assert_eq!(output.status.code(), Some(5), "{shown}");
    assert!(shown.contains("(--run-timeout)"), "{shown}");
    server.shutdown().await;
}
