//! Every check has a killer, and every killer kills by the contradiction it is meant to show.

use std::collections::HashSet;

use checkfu_conformance::{Report, Verdict, checks};
use futures::StreamExt;

use crate::{
    mutant::Mutant,
    mutants,
    relay::Relay,
    server::{impatient, judge, plan, reference},
};

/// How many broken servers are judged at a time.
const AT_A_TIME: usize = 6;

#[tokio::test]
async fn every_check_fails_on_every_broken_server_that_it_names() {
    let server = reference().await;
    let survivors: Vec<String> = futures::stream::iter(mutants::all(server.api_key(), server.principal_id()))
        .map(async |mutant| {
            let (name, kills) = (mutant.name, mutant.kills.clone());
            let plan = plan_for(&server, mutant).await;
            let report = judge(&plan).await;
            kills
                .into_iter()
                .filter_map(move |(check, expected)| survives(name, check, expected, &report))
                .collect()
        })
        .buffer_unordered(AT_A_TIME)
        .flat_map(|survivors: Vec<String>| futures::stream::iter(survivors))
        .collect()
        .await;
    assert!(
        survivors.is_empty(),
        "{} survivors:\n{}",
        survivors.len(),
        survivors.join("\n")
    );
    server.shutdown().await;
}

#[test]
fn checks_and_broken_servers_name_each_other() {
    let claimed: HashSet<(&str, &str)> = checks()
        .flat_map(|check| check.killed_by().iter().map(|mutant| (check.id(), *mutant)))
        .collect();
    let shown: HashSet<(&str, &str)> = mutants::all("key", "prin_1")
        .iter()
        .flat_map(|mutant| {
            mutant
                .kills
                .iter()
                .map(|(check, _)| (*check, mutant.name))
                .collect::<Vec<_>>()
        })
        .collect();
    let unshown: Vec<_> = claimed.difference(&shown).collect();
    let unclaimed: Vec<_> = shown.difference(&claimed).collect();
    assert!(
        unshown.is_empty() && unclaimed.is_empty(),
        "no such mutant: {unshown:?}; not claimed: {unclaimed:?}"
    );
    let killed: HashSet<_> = shown.iter().map(|(check, _)| *check).collect();
    for check in checks() {
        assert!(
            killed.contains(check.id()),
            "{} is never shown to fail",
            check.id()
        );
    }
}

async fn plan_for(server: &checkfu_mock_server::MockServer, mutant: Mutant) -> checkfu_conformance::Plan {
    let only: Vec<&str> = mutant.kills.iter().map(|(check, _)| *check).collect();
    let relay = Relay::start(server.url(), mutant).await;
    plan(&relay.url, server)
        .with_limits(impatient())
        .with_only(only)
        .unwrap()
}

fn survives(mutant: &str, id: &str, expected: &str, report: &Report) -> Option<String> {
    let check = report.check(id).unwrap();
    let caught = check.verdict == Verdict::Fail
        && check
            .failure
            .as_ref()
            .is_some_and(|failure| failure.expected.contains(expected));
    let found = check
        .failure
        .as_ref()
        .map_or("", |failure| failure.expected.as_str());
    let reason = check.reason.as_deref().unwrap_or_default();
    (!caught).then(|| {
        format!(
            "{mutant} / {id}: {:?}, expected {found:?} {reason}",
            check.verdict
        )
    })
}
