//! Random histories: a correct server shows nothing in them, and each property finds the servers that break it.

mod broken;
mod budget;
mod command;
mod files;
mod given;

use checkfu_conformance::prove::{Mutant, Relay};
use std::{collections::BTreeSet, time::Duration};

use checkfu_conformance::{
    Conclusion, Limits, Plan, Verdict,
    model::{ModelReport, Property, Random, fresh_seed, run},
};
use futures::StreamExt;

use crate::server::{impatient, plan, reference};

/// How many histories, unless the environment says another number.
const HISTORIES: u64 = 200;
/// In so many histories a broken server has to be found.
const UNTIL_FOUND: u64 = 8;
/// How many broken servers are judged at a time.
const AT_A_TIME: usize = 3;

/// Proves SES-5, SES-6, STR-1, STR-2, LST-1, LST-2, LST-3, FRK-2, RUN-3, PRV-2, A-IDEM: for whatever several callers do.
#[tokio::test(flavor = "multi_thread")]
async fn random_histories_of_the_reference_server_show_nothing() {
    let histories = match std::env::var("CHECKFU_CONFORMANCE_HISTORIES") {
        Ok(number) => number.parse().unwrap(),
        Err(_) => HISTORIES,
    };
    let seed = fresh_seed().unwrap();
    println!("seed {seed}");
    let server = reference().await;
    let report = play(&plan(server.url(), &server), seed, histories).await;
    assert_eq!(report.conclusion(), Conclusion::Conformant, "{report}");
    assert_eq!(report.exit().code(), 0);
    assert_eq!(report.histories as u64, histories);
    for property in Property::ALL {
        assert_eq!(report.verdict(property), Verdict::Pass, "{property}: {report}");
    }
    server.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_relay_that_changes_nothing_shows_nothing() {
    let seed = fresh_seed().unwrap();
    println!("seed {seed}");
    let server = reference().await;
    let relay = Relay::start(server.url(), Mutant::new("nothing")).await.unwrap();
    let report = play(&plan(relay.url(), &server), seed, 10).await;
    assert!(report.cases.is_empty(), "{report}");
    server.shutdown().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_property_finds_the_servers_that_break_it() {
    let server = reference().await;
    let broken = broken::servers();
    let properties: BTreeSet<Property> = broken
        .iter()
        .map(|(anomaly, _)| broken::property(anomaly))
        .collect();
    assert_eq!(properties, BTreeSet::from(Property::ALL));
    // Some never bring a Session to rest, and every look for it lasts that long then.
    let limits = Limits {
        turn: Duration::from_millis(700),
        ..impatient()
    };
    let survivors: Vec<String> = futures::stream::iter(broken)
        .map(async |(anomaly, mutant)| {
            let name = mutant.name();
            let relay = Relay::start(server.url(), mutant).await.unwrap();
            let plan = plan(relay.url(), &server).with_limits(limits);
            let mut shown = BTreeSet::new();
            for number in 0..UNTIL_FOUND {
                let report = one(&plan, number).await;
                let found = report.cases.iter().flat_map(|case| &case.findings);
                shown.extend(found.map(|finding| finding.anomaly));
                if shown.contains(anomaly) {
                    return None;
                }
            }
            Some(format!("{name} shows {shown:?}, not {anomaly}"))
        })
        .buffer_unordered(AT_A_TIME)
        .filter_map(std::future::ready)
        .collect()
        .await;
    assert!(survivors.is_empty(), "{}", survivors.join("\n"));
    server.shutdown().await;
}

async fn play(plan: &Plan, seed: u64, histories: u64) -> ModelReport {
    let random = Random {
        seed,
        histories,
        only: None,
        jobs: 4,
    };
    run(plan, random, std::future::pending(), |_| {}).await
}

/// One history of the run with seed 1.
async fn one(plan: &Plan, number: u64) -> ModelReport {
    let random = Random {
        seed: 1,
        histories: 1,
        only: Some(number),
        jobs: 1,
    };
    run(plan, random, std::future::pending(), |_| {}).await
}
