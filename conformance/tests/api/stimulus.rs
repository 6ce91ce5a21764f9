//! What a run makes a server do is bounded by its class of stimulus.

use checkfu_conformance::prove::{Mutant, Relay};
use std::{
    collections::HashSet,
    sync::{Arc, Mutex},
    time::Duration,
};

use checkfu_conformance::{Conclusion, Limits, Plan, Report, Stimulus, Verdict, checks};
use checkfu_mock_server::MockServer;
use serde_json::Value;

use crate::server::{idle, judge, plan, reference, target};

/// What a relay saw go through, as "METHOD path".
type Seen = Arc<Mutex<Vec<String>>>;

/// With Sessions to read, every check of the class `read` passes, and nothing but `GET` reaches the server.
#[tokio::test]
async fn a_run_that_reads_sends_nothing_but_get() {
    let server = reference().await;
    let given = sessions_to_read(&server).await;
    let (relay, seen) = recorder(&server).await;
    let before = server_log(&server, &given).await;
    let report = read(&relay, &server, given.clone()).await;
    let judged = |class| report.checks.iter().filter(move |check| check.stimulus == class);
    for check in judged(Stimulus::Read) {
        let applies = check.id != "srv.capability.claimed-but-refused";
        let expected = if applies {
            Verdict::Pass
        } else {
            Verdict::NotApplicable
        };
        assert_eq!(check.verdict, expected, "{}: {report}", check.id);
    }
    assert!(judged(Stimulus::Read).count() >= 50);
    for check in judged(Stimulus::Create).chain(judged(Stimulus::Work)) {
        assert_eq!(check.verdict, Verdict::Inconclusive, "{}", check.id);
        let reason = check.reason.as_deref().unwrap();
        assert!(reason.contains("--stimulus read rules out"), "{reason}");
        assert!(
            reason.contains(&format!("--stimulus {}", check.stimulus)),
            "{reason}"
        );
        assert_eq!(check.duration_ms, 0, "{} was executed", check.id);
    }
    assert_eq!((report.conclusion, report.exit.code()), (Conclusion::Partial, 3));
    assert!(report.created.is_empty() && report.spent.events == 0);
    only_reads(&seen);
    let untouched = server_log(&server, &given).await == before;
    assert!(untouched, "the server keeps something else than before");
    server.shutdown().await;
}

#[tokio::test]
async fn without_a_session_to_read_the_reason_names_the_flag() {
    let server = reference().await;
    let (relay, seen) = recorder(&server).await;
    let report = read(&relay, &server, Vec::new()).await;
    assert_eq!(
        report.count(Verdict::Inconclusive),
        report.checks.len(),
        "{report}"
    );
    for check in report
        .checks
        .iter()
        .filter(|check| check.stimulus == Stimulus::Read)
    {
        let reason = check.reason.as_deref().unwrap();
        assert!(reason.contains("--session"), "{}: {reason}", check.id);
    }
    only_reads(&seen);
    server.shutdown().await;
}

/// A Session that does not fit is no fault of the server; what it lacks is said.
#[tokio::test]
async fn a_given_session_that_lacks_something_leaves_it_undecided() {
    let server = reference().await;
    let (relay, _) = recorder(&server).await;
    let fresh = created(&server, &["srv.session.birth"]).await.remove(0);
    let gone = "sess_00000000000000000000000000000000".to_owned();
    let report = read(&relay, &server, vec![gone, fresh]).await;
    for (id, parts) in [
        (
            "srv.list.after-is-exclusive",
            &["(status 404)", "not at rest", "session.status_pending"][..],
        ),
        ("srv.thread.views-agree", &["(status 404)", "has no children"]),
        ("srv.list.tokens-are-sealed", &["not at rest"]),
        ("srv.diff.no-common-history", &["not at rest"]),
        ("srv.thread.fenced-by-session", &["is the same", "(status 404)"]),
        ("srv.list.page-bounds", &["more than 1000 events"]),
    ] {
        let check = report.check(id).unwrap();
        assert_eq!(check.verdict, Verdict::Inconclusive, "{id}: {report}");
        for part in parts {
            assert!(
                check.reason.as_ref().unwrap().contains(part),
                "{id}: {:?}",
                check.reason
            );
        }
    }
    assert_eq!(report.count(Verdict::Fail), 0, "{report}");
    assert!(report.count(Verdict::Pass) > 5, "{report}");
    server.shutdown().await;
}

/// Agents of this server never do anything: what needs their work cannot pass, and nothing else needs it.
#[tokio::test]
async fn checks_that_create_need_no_work_of_an_agent_and_those_that_work_do() {
    let server = idle().await;
    let limits = Limits {
        answer: Duration::from_secs(3),
        turn: Duration::from_millis(300),
        ..Limits::default()
    };
    let plan = plan(server.url(), &server).with_limits(limits);
    let create = judge(&plan.clone().with_stimulus(Stimulus::Create)).await;
    for check in &create.checks {
        match check.stimulus {
            Stimulus::Create => assert_eq!(check.verdict, Verdict::Pass, "{}: {create}", check.id),
            Stimulus::Work => {
                assert_eq!(check.verdict, Verdict::Inconclusive, "{}", check.id);
                assert!(check.reason.as_ref().unwrap().contains("--stimulus work"));
            }
            Stimulus::Control => assert_eq!(check.verdict, Verdict::NotSelected, "{}", check.id),
            Stimulus::Read => assert!(
                matches!(
                    check.verdict,
                    Verdict::Pass | Verdict::Inconclusive | Verdict::NotApplicable
                ),
                "{}: {create}",
                check.id
            ),
        }
    }
    let work = judge(&plan).await;
    for check in work
        .checks
        .iter()
        .filter(|check| check.stimulus == Stimulus::Work)
    {
        assert_ne!(check.verdict, Verdict::Pass, "{}", check.id);
    }
}

async fn read(relay: &Relay, server: &MockServer, given: Vec<String>) -> Report {
    let target = target(relay.url(), server).with_sessions(given).unwrap();
    let plan = Plan::new(target)
        .with_profile(checkfu_conformance::Profile::Reference)
        .with_stimulus(Stimulus::Read);
    judge(&plan).await
}

/// A Session with two settled turns, one with children and one longer than a page.
async fn sessions_to_read(server: &MockServer) -> Vec<String> {
    let only = [
        "srv.stream.equals-list",
        "srv.thread.views-agree",
        "srv.list.page-bounds",
    ];
    created(server, &only).await
}

/// The Sessions that these checks create, left as they are.
async fn created(server: &MockServer, only: &[&str]) -> Vec<String> {
    let plan = plan(server.url(), server).with_keep(true);
    let report = judge(&plan.with_only(only.iter().copied()).unwrap()).await;
    assert_eq!(report.count(Verdict::Pass), only.len(), "{report}");
    report.created.into_iter().map(|session| session.id).collect()
}

/// A relay that changes nothing and writes down what goes through.
async fn recorder(server: &MockServer) -> (Relay, Seen) {
    let seen = Seen::default();
    let record = Arc::clone(&seen);
    let mutant = Mutant::new("records").request(move |call| {
        let line = format!("{} {}", call.method, call.path);
        record.lock().unwrap().push(line);
    });
    (Relay::start(server.url(), mutant).await.unwrap(), seen)
}

fn only_reads(seen: &Seen) {
    let seen = seen.lock().unwrap();
    assert!(!seen.is_empty());
    let others: HashSet<_> = seen.iter().filter(|line| !line.starts_with("GET ")).collect();
    assert!(others.is_empty(), "{others:?}");
}

/// The list of Sessions and the events of these.
async fn server_log(server: &MockServer, sessions: &[String]) -> Vec<Value> {
    let http = reqwest::Client::new();
    let paths = sessions
        .iter()
        .map(|id| format!("/v1/sessions/{id}/events?limit=1000"));
    let mut bodies = Vec::new();
    for path in paths.chain(["/v1/sessions?limit=1000".to_owned()]) {
        let request = http
            .get(format!("{}{path}", server.url()))
            .bearer_auth(server.api_key());
        let body: Value = serde_json::from_str(&request.send().await.unwrap().text().await.unwrap()).unwrap();
        bodies.push(body["data"].clone());
    }
    bodies
}

#[test]
fn every_class_has_checks() {
    for class in Stimulus::ALL {
        assert!(checks().any(|check| check.stimulus() == class), "{class}");
    }
}
