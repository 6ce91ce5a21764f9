//! A correct server conforms.

use std::{
    net::{IpAddr, Ipv4Addr},
    time::Duration,
};

use checkfu_conformance::{Claim, Conclusion, Limits, Plan, Profile, Verdict, checks};
use checkfu_mock_server::MockServer;

use crate::server::{claiming, judge, reference, target};

#[tokio::test]
async fn the_reference_server_is_conformant_and_every_check_has_witnesses() {
    let server = reference().await;
    let report = judge(&claiming(server.url(), &server)).await;
    assert_eq!(report.conclusion, Conclusion::Conformant, "{report}");
    assert_eq!(report.exit.code(), 0);
    assert_eq!(report.checks.len(), checks().count());
    for check in &report.checks {
        assert_eq!(check.verdict, Verdict::Pass, "{}: {report}", check.id);
        assert!(!check.witnesses.is_empty(), "{}", check.id);
    }
    server.shutdown().await;
}

/// What is unpleasant and allowed — busy answers, lost ones, short pages, streams that break, deliver twice and are laid
/// out in every way — leaves a correct server correct.
#[tokio::test]
async fn the_hostile_reference_server_is_conformant() {
    let seeds = std::env::var("CHECKFU_CONFORMANCE_HOSTILE_SEEDS").unwrap_or_else(|_| "1".to_owned());
    for seed in seeds.split(',') {
        println!("hostile with seed {seed}");
        let server = MockServer::builder()
            .control(IpAddr::from(Ipv4Addr::LOCALHOST), 0)
            .hostile(true)
            .seed(seed.trim().parse().unwrap())
            .start()
            .await
            .unwrap();
        let target = target(server.url(), &server).with_disturbance(true);
        // Everything arrives in pieces, which takes its time where other tests are at work too.
        let limits = Limits {
            answer: Duration::from_secs(60),
            turn: Duration::from_secs(180),
            ..Limits::default()
        };
        let plan = Plan::new(target)
            .with_profile(Profile::Reference)
            .with_limits(limits);
        let report = judge(&plan.with_claim("threads", Claim::On).unwrap()).await;
        assert_eq!(report.conclusion, Conclusion::Conformant, "seed {seed}: {report}");
        let disturbed = [
            "srv.list.page-bounds",
            "srv.stream.delivers-once",
            "srv.stream.full-buffers",
            "srv.stream.head-and-fields",
            "srv.stream.stall-is-alone",
        ];
        for check in &report.checks {
            let expected = match disturbed.contains(&check.id) {
                true => Verdict::NotApplicable,
                false => Verdict::Pass,
            };
            assert_eq!(check.verdict, expected, "{} with seed {seed}", check.id);
        }
        server.shutdown().await;
    }
}
