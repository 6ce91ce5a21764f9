//! A correct server conforms, directly and behind a relay that changes nothing.

use checkfu_conformance::{Conclusion, Verdict, checks};

use crate::{
    mutant::Mutant,
    relay::Relay,
    server::{judge, plan, reference},
};

#[tokio::test]
async fn the_reference_server_is_conformant_and_every_check_has_witnesses() {
    let server = reference().await;
    let report = judge(&plan(server.url(), &server)).await;
    assert_eq!(report.conclusion, Conclusion::Conformant, "{report}");
    assert_eq!(report.exit.code(), 0);
    assert_eq!(report.checks.len(), checks().count());
    for check in &report.checks {
        assert_eq!(check.verdict, Verdict::Pass, "{}: {report}", check.id);
        assert!(!check.witnesses.is_empty(), "{}", check.id);
    }
    server.shutdown().await;
}

#[tokio::test]
async fn a_relay_that_changes_nothing_changes_no_verdict() {
    let server = reference().await;
    let relay = Relay::start(server.url(), Mutant::new("nothing")).await;
    let report = judge(&plan(&relay.url, &server)).await;
    assert_eq!(report.count(Verdict::Pass), checks().count(), "{report}");
    server.shutdown().await;
}
