//! `list` and `explain` without a server, and the table of what a check needs against runs without it.

use std::{
    collections::BTreeSet,
    net::{IpAddr, Ipv4Addr},
    time::Duration,
};

use checkfu_conformance::{Verdict, checks, prove::kills};
use checkfu_mock_server::MockServer;
use futures::future::join_all;
use serde_json::Value;

use crate::{
    command::{command, text},
    server::{judge, plan},
};

async fn shown(arguments: &[&str]) -> String {
    let output = command(arguments).output().await.unwrap();
    assert_eq!(
        output.status.code(),
        Some(0),
        "{arguments:?}: {}",
        text(&output.stderr)
    );
    text(&output.stdout)
}

async fn listed(arguments: &[&str]) -> Vec<Value> {
    serde_json::from_str(&shown(&[&["list", "--json"], arguments].concat()).await).unwrap()
}

fn names(rows: &[Value], member: &str) -> Vec<String> {
    rows.iter()
        .map(|row| row[member].as_str().unwrap().to_owned())
        .collect()
}

#[tokio::test]
async fn the_list_shows_what_fits_and_refuses_what_nothing_fits() {
    let all = names(&listed(&[]).await, "id");
    let expected: Vec<_> = checks().map(|check| check.id().to_owned()).collect();
    assert_eq!(all, expected);
    for (pattern, part) in [
        ("srv.resume", "srv.resume."),
        ("srv.resume.*", "srv.resume."),
        ("*.every-*", ".every-"),
        ("srv.list.largest-page", "srv.list.largest-page"),
    ] {
        let expected: Vec<_> = all.iter().filter(|id| id.contains(part)).cloned().collect();
        assert_eq!(names(&listed(&[pattern]).await, "id"), expected, "{pattern}");
        let table = shown(&["list", pattern]).await;
        for id in &all {
            let is_wanted = expected.contains(id);
            assert_eq!(table.contains(&format!(" {id} ")), is_wanted, "{pattern}: {id}");
        }
    }
    for arguments in [
        &["srv.res"][..],
        &["srv.resume", "srv.nothing"],
        &["--mutants", "nobody"],
    ] {
        let output = command(&[&["list"], arguments].concat()).output().await.unwrap();
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        let told = text(&output.stderr);
        assert!(told.contains(arguments[arguments.len() - 1]), "{told}");
    }
}

#[tokio::test]
async fn the_broken_servers_are_listed_with_what_has_to_catch_them() {
    let rows = listed(&["--mutants"]).await;
    let pairs = rows.iter().flat_map(|row| {
        let kills = row["kills"].as_array().unwrap().iter();
        kills.map(|kill| {
            (
                row["name"].clone(),
                kill["check"].clone(),
                kill["expected"].clone(),
            )
        })
    });
    let mut pairs: Vec<_> = pairs
        .map(|(mutant, check, expected)| {
            [mutant, check, expected].map(|text| text.as_str().unwrap().to_owned())
        })
        .collect();
    pairs.sort();
    let mut expected: Vec<_> = kills()
        .iter()
        .map(|kill| [kill.mutant, kill.check, kill.expected].map(str::to_owned))
        .collect();
    expected.sort();
    assert_eq!(pairs, expected);
    let one = checks()
        .find(|check| check.id() == "srv.list.largest-page")
        .unwrap();
    assert_eq!(
        names(&listed(&["--mutants", one.id()]).await, "name"),
        one.killed_by()
    );
    let table = shown(&["list", "--mutants", "largest-page-of-1001"]).await;
    assert_eq!(
        table,
        "largest-page-of-1001\n    srv.list.largest-page expects \"at most 1000 events\"\n"
    );
}

#[tokio::test]
async fn what_is_explained_names_capability_class_and_killers() {
    for (id, parts) in [
        (
            "srv.list.largest-page",
            &[
                "stimulus read",
                "needs interrupts; it does not apply without",
                "shown to fail on: largest-page-of-1001, server:no_page_cap",
            ][..],
        ),
        (
            "srv.fork.of-a-fork",
            &["stimulus work", "needs forks; it does not apply without"],
        ),
        ("forks", &["needed by srv.fork.of-a-fork\n"]),
        ("srv.auth.wrong-key-refused", &["needs no capability"]),
        ("skills", &["no check needs it"]),
        (
            "LST-1",
            &[
                "proven by srv.list.largest-page (documented)",
                "less firmly checked by srv.list.page-bounds (assumed)",
            ],
        ),
    ] {
        let told = shown(&["explain", id]).await;
        for part in parts {
            assert!(told.contains(part), "{id}: {part:?} is missing in {told}");
        }
    }
    assert!(
        !shown(&["explain", "forks"])
            .await
            .contains("srv.list.largest-page")
    );
}

/// On a server without a capability exactly those checks cannot pass that the table has for it. One is tried unless
/// `CHECKFU_CONFORMANCE_WITHOUT` is `each`.
#[tokio::test]
async fn the_table_of_needs_is_what_servers_without_a_capability_show() {
    // It waits for a claim, and there is none.
    const ALWAYS: &str = "srv.capability.claimed-but-refused";
    let needed = BTreeSet::from_iter(checks().flat_map(|check| check.needs()));
    assert!(needed.len() > 7, "{needed:?}");
    let tried = match std::env::var("CHECKFU_CONFORMANCE_WITHOUT").as_deref() {
        Ok("each") => Vec::from_iter(needed),
        Ok(other) => panic!("CHECKFU_CONFORMANCE_WITHOUT is {other:?}, not \"each\""),
        Err(_) => vec!["interrupts"],
    };
    let differences = join_all(tried.into_iter().map(|capability| async move {
        let server = MockServer::builder()
            .step_delay(Duration::from_millis(1))
            .control(IpAddr::from(Ipv4Addr::LOCALHOST), 0)
            .without([capability])
            .unwrap()
            .start()
            .await
            .unwrap();
        let report = judge(&plan(server.url(), &server)).await;
        let judged = report.checks.iter().find(|check| {
            let harmless = [Verdict::Pass, Verdict::NotApplicable, Verdict::NotSelected];
            !harmless.contains(&check.verdict)
        });
        assert!(judged.is_none(), "{capability}: {judged:?}");
        let found = checks().filter(|check| {
            let verdict = report.check(check.id()).unwrap().verdict;
            verdict != Verdict::Pass && check.id() != ALWAYS
        });
        let found = BTreeSet::from_iter(found.map(|check| check.id()));
        let needing = checks().filter(|check| check.needs().contains(&capability));
        let tabled = BTreeSet::from_iter(needing.map(|check| check.id()));
        server.shutdown().await;
        assert!(!tabled.is_empty(), "nothing needs {capability}");
        let only = Vec::from_iter(found.symmetric_difference(&tabled).copied());
        (capability, only)
    }))
    .await;
    let differing = Vec::from_iter(differences.into_iter().filter(|(_, only)| !only.is_empty()));
    assert!(
        differing.is_empty(),
        "the table or the run alone has {differing:?}"
    );
}
