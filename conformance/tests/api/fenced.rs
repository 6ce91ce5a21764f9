//! A server that has capabilities switched off, and says so, is judged by the rest.

use std::net::{IpAddr, Ipv4Addr};

use checkfu_conformance::{Conclusion, Verdict};
use checkfu_mock_server::MockServer;

use crate::server::{judge, plan};

/// WIRE-5: what is refused as documented is neither a failure nor undecided.
#[tokio::test]
async fn what_is_switched_off_does_not_apply() {
    let off = [
        "threads",
        "forks",
        "diffs",
        "previews",
        "interrupts",
        "waits",
        "outcomes",
        "prompt_integrity",
    ];
    let server = MockServer::builder()
        .control(IpAddr::from(Ipv4Addr::LOCALHOST), 0)
        .without(off)
        .unwrap()
        .start()
        .await
        .unwrap();
    let report = judge(&plan(server.url(), &server)).await;
    for check in &report.checks {
        let fits = matches!(check.verdict, Verdict::Pass | Verdict::NotApplicable);
        assert!(fits, "{}: {report}", check.id);
    }
    for area in [
        "thread", "archive", "child", "fork", "diff", "prompt", "wait", "answer", "stale", "outcome",
        "approval",
    ] {
        let of_it = report
            .checks
            .iter()
            .filter(|check| check.id.split('.').nth(1) == Some(area));
        for check in of_it {
            assert_eq!(check.verdict, Verdict::NotApplicable, "{}", check.id);
        }
    }
    assert_eq!(report.conclusion, Conclusion::Conformant, "{report}");
    server.shutdown().await;
}
