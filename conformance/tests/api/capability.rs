//! What a server offers: the operator's word, the server's own and what requests for it show.

use checkfu_conformance::prove::{Answer, Mutant, Relay};
use checkfu_conformance::{Claim, Offer, Probe, Report, Stimulus, Verdict};
use checkfu_mock_server::MockServer;

use crate::server::{judge, plan, reference};

/// Checks that need no more than a set-up, and the survey of capabilities.
const SOME: [&str; 4] = [
    "srv.capability.claimed-but-refused",
    "srv.capability.advertised-is-offered",
    "srv.capability.refusal-is-stable",
    "srv.thread.list",
];

async fn with(url: &str, server: &MockServer, claims: &[(&str, Claim)]) -> Report {
    let plan = claims.iter().fold(plan(url, server), |plan, (id, claim)| {
        plan.with_claim(id, *claim).unwrap()
    });
    judge(&plan.with_only(SOME).unwrap()).await
}

fn row(report: &Report, id: &str) -> (Claim, Option<bool>, Probe, Offer) {
    let row = report.capabilities.iter().find(|row| row.id == id).unwrap();
    (row.claim, row.advertised, row.probe, row.result)
}

/// WIRE-5, A-CAP: the table says of each capability what was claimed, listed and seen.
#[tokio::test]
async fn the_table_tells_claim_advertisement_and_probe_apart() {
    let server = MockServer::builder()
        .without(["forks"])
        .unwrap()
        .start()
        .await
        .unwrap();
    let report = with(
        server.url(),
        &server,
        &[
            ("threads", Claim::On),
            ("diffs", Claim::Off),
            ("watches", Claim::Off),
        ],
    )
    .await;
    assert_eq!(report.count(Verdict::Pass), SOME.len(), "{report}");
    for (id, expected) in [
        ("threads", (Claim::On, Some(true), Probe::Works, Offer::On)),
        ("interrupts", (Claim::Auto, Some(true), Probe::Works, Offer::On)),
        ("diffs", (Claim::Off, Some(true), Probe::Works, Offer::Undeclared)),
        ("watches", (Claim::Off, Some(false), Probe::Refused, Offer::Off)),
        ("forks", (Claim::Auto, Some(false), Probe::Refused, Offer::Off)),
        (
            "prompt_integrity",
            (Claim::Auto, Some(true), Probe::NotProbed, Offer::On),
        ),
    ] {
        assert_eq!(row(&report, id), expected, "{id}");
    }
    server.shutdown().await;
}

/// What is claimed on and refused fails one check, and blocks those that need it.
#[tokio::test]
async fn a_claim_that_does_not_hold_fails_one_check_and_blocks_the_others() {
    let server = MockServer::builder()
        .without(["threads"])
        .unwrap()
        .start()
        .await
        .unwrap();
    let report = with(server.url(), &server, &[("threads", Claim::On)]).await;
    let verdict = |id| report.check(id).unwrap().verdict;
    assert_eq!(
        verdict("srv.capability.claimed-but-refused"),
        Verdict::Fail,
        "{report}"
    );
    let blocked = report.check("srv.thread.list").unwrap();
    assert_eq!(blocked.verdict, Verdict::Blocked, "{report}");
    assert!(
        blocked
            .reason
            .as_ref()
            .unwrap()
            .contains("srv.capability.claimed-but-refused")
    );
    assert_eq!(row(&report, "threads").3, Offer::Contradicted);
    let unclaimed = with(server.url(), &server, &[]).await;
    let verdict = |id| unclaimed.check(id).unwrap().verdict;
    assert_eq!(verdict("srv.thread.list"), Verdict::NotApplicable, "{unclaimed}");
    assert_eq!(
        verdict("srv.capability.claimed-but-refused"),
        Verdict::NotApplicable
    );
    server.shutdown().await;
}

#[tokio::test]
async fn what_is_claimed_off_does_not_apply() {
    let server = reference().await;
    let report = with(server.url(), &server, &[("threads", Claim::Off)]).await;
    let check = report.check("srv.thread.list").unwrap();
    assert_eq!(check.verdict, Verdict::NotApplicable, "{report}");
    assert!(
        check
            .reason
            .as_ref()
            .unwrap()
            .contains("--capability threads=off")
    );
    // What only posts finds out nothing by itself.
    let off = plan(server.url(), &server)
        .with_claim("interrupts", Claim::Off)
        .unwrap();
    let report = judge(&off.with_only(["srv.interrupt.*"]).unwrap()).await;
    let executed = report
        .checks
        .iter()
        .find(|check| check.verdict != Verdict::NotApplicable);
    assert!(executed.is_none(), "{executed:?}");
    server.shutdown().await;
}

/// Where the server lists nothing, a refusal as of a disabled capability counts; a fault or a page never does.
#[tokio::test]
async fn only_the_documented_refusal_makes_an_unlisted_capability_absent() {
    let server = MockServer::builder()
        .without(["threads"])
        .unwrap()
        .start()
        .await
        .unwrap();
    let unlisted = || {
        Mutant::new("lists-nothing").instead(|call| {
            (call.path == "/v1/capabilities").then(|| Answer::new(404, "application/json", "{}"))
        })
    };
    let relay = Relay::start(server.url(), unlisted()).await.unwrap();
    let report = with(relay.url(), &server, &[]).await;
    assert_eq!(
        report.check("srv.thread.list").unwrap().verdict,
        Verdict::NotApplicable,
        "{report}"
    );
    assert_eq!(
        row(&report, "threads"),
        (Claim::Auto, None, Probe::Refused, Offer::Off)
    );
    let faults: [fn() -> Answer; 4] = [
        || Answer::new(500, "application/json", "{}"),
        || Answer::new(503, "text/html", "<html>"),
        || Answer::new(403, "text/html", "<html>"),
        || Answer::new(404, "application/json", "{}"),
    ];
    for fault in faults {
        let mutant = unlisted().answer(move |call, answer| {
            if call.path.contains("/threads") {
                *answer = fault();
            }
        });
        let relay = Relay::start(server.url(), mutant).await.unwrap();
        let report = with(relay.url(), &server, &[]).await;
        let check = report.check("srv.thread.list").unwrap();
        assert_eq!(check.verdict, Verdict::Fail, "{report}");
        assert_eq!(row(&report, "threads").3, Offer::Unknown);
    }
    server.shutdown().await;
}

#[tokio::test]
async fn a_run_that_does_not_ask_says_so() {
    let server = reference().await;
    let plan = plan(server.url(), &server).with_stimulus(Stimulus::Read);
    let report = judge(&plan.with_only(["srv.capability.*"]).unwrap()).await;
    assert_eq!(row(&report, "forks").2, Probe::NotProbed);
    assert!(
        checkfu_conformance::Plan::new(crate::server::target(server.url(), &server))
            .with_claim("fork", Claim::On)
            .unwrap_err()
            .to_string()
            .contains("forks")
    );
    server.shutdown().await;
}
