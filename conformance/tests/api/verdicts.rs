//! What a run says when it cannot judge, or must stop.

use std::time::Duration;

use checkfu_conformance::prove::{Answer, Mutant, Relay};
use checkfu_conformance::{
    Conclusion, ExitStatus, Limits, Plan, Profile, Target, Verdict, checks, explain, run,
};
use tokio::{net::TcpListener, sync::Notify};

use checkfu_mock_server::MockServer;

use crate::server::{fits_schema, idle, impatient, judge, plan, reference};

#[tokio::test]
async fn a_target_that_is_not_there_is_not_judged() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    drop(listener);
    let plan = Plan::new(Target::new(&url, "ck_test_0123456789", "prin_1").unwrap());
    let report = judge(&plan).await;
    assert_eq!(
        (report.conclusion, report.exit.code()),
        (Conclusion::NotJudged, 4)
    );
    assert!(
        report.checks.is_empty() && report.reason.as_ref().unwrap().contains("no connection"),
        "{report}"
    );
    let junit = report.to_junit().unwrap();
    let junit = quick_junit::Report::deserialize_from_str(&junit).unwrap();
    assert_eq!((junit.errors, junit.failures), (1, 0), "{junit:?}");
}

#[tokio::test]
async fn a_run_without_a_check_is_not_judged() {
    let server = reference().await;
    let published = plan(server.url(), &server).with_profile(Profile::Published);
    let report = judge(&published.with_only(["srv.version.*"]).unwrap()).await;
    assert!(
        report.reason.as_ref().unwrap().contains("the profile leaves out"),
        "{report}"
    );
    assert_eq!(
        (report.conclusion, report.exit.code()),
        (Conclusion::NotJudged, 4)
    );
    assert!(
        report
            .checks
            .iter()
            .all(|check| check.verdict == Verdict::NotSelected)
    );
    let bare = MockServer::builder().start().await.unwrap();
    let only = plan(bare.url(), &bare)
        .with_only(["srv.restart.keeps-the-session"])
        .unwrap();
    let report = judge(&only).await;
    assert!(report.reason.as_ref().unwrap().contains("--control"), "{report}");
    bare.shutdown().await;
    server.shutdown().await;
}

#[tokio::test]
async fn a_broken_derived_promise_warns_unless_the_run_is_strict() {
    let server = reference().await;
    let nameless = || {
        Mutant::new("nameless").answer(|_, answer| {
            if answer.status == 403 {
                answer.status = 404;
            }
        })
    };
    let relay = Relay::start(server.url(), nameless()).await.unwrap();
    let plan = plan(relay.url(), &server).with_profile(Profile::Published);
    let plan = plan.with_only(["srv.capability.*"]).unwrap();
    let lenient = judge(&plan).await;
    assert_eq!(
        lenient.check("srv.capability.refusal-names-it").unwrap().verdict,
        Verdict::Warn,
        "{lenient}"
    );
    assert_eq!(
        (lenient.conclusion, lenient.exit.code()),
        (Conclusion::Conformant, 0),
        "{lenient}"
    );
    // A warning alone is no failure and no conformance.
    let alone = plan
        .clone()
        .with_only(["srv.capability.refusal-names-it"])
        .unwrap();
    let alone = judge(&alone).await;
    assert_eq!(
        (alone.conclusion, alone.exit.code()),
        (Conclusion::Partial, 3),
        "{alone}"
    );
    assert!(
        alone.reason.as_ref().unwrap().contains("nothing passed"),
        "{alone}"
    );
    let strict = judge(&plan.with_strict(true)).await;
    assert_eq!(
        (strict.conclusion, strict.exit.code()),
        (Conclusion::Nonconformant, 1),
        "{strict}"
    );
    server.shutdown().await;
}

#[tokio::test]
async fn a_turn_that_needs_longer_is_inconclusive_not_failed() {
    let server = idle().await;
    let limits = Limits {
        turn: Duration::from_millis(200),
        ..Limits::default()
    };
    let plan = plan(server.url(), &server)
        .with_limits(limits)
        .with_only(["srv.turn.*"])
        .unwrap();
    let report = judge(&plan).await;
    assert_eq!(
        report.check("srv.turn.settles").unwrap().verdict,
        Verdict::Inconclusive,
        "{report}"
    );
    assert_eq!(
        report.check("srv.turn.order").unwrap().verdict,
        Verdict::Blocked,
        "{report}"
    );
    assert_eq!(
        (report.conclusion, report.exit.code()),
        (Conclusion::Partial, 3),
        "{report}"
    );
}

#[tokio::test]
async fn spent_time_and_an_interruption_leave_the_rest_inconclusive() {
    let server = reference().await;
    let limits = Limits {
        run: Some(Duration::ZERO),
        ..Limits::default()
    };
    let spent = judge(&plan(server.url(), &server).with_limits(limits)).await;
    assert_eq!(spent.exit, ExitStatus::Exhausted, "{spent}");
    assert_eq!(spent.count(Verdict::Inconclusive), checks().count());

    let stop = Notify::new();
    let interrupted = run(&plan(server.url(), &server), stop.notified(), |_| {
        stop.notify_one()
    })
    .await;
    fits_schema(&interrupted.to_json().unwrap());
    assert_eq!(interrupted.exit.code(), 130, "{interrupted}");
    assert!(
        interrupted.count(Verdict::Inconclusive) > 0 && interrupted.count(Verdict::Pass) <= 1,
        "{interrupted}"
    );
    server.shutdown().await;
}

#[test]
fn explain_knows_checks_and_requirements() {
    let check = explain("srv.resume.every-cut").unwrap();
    assert!(
        check.contains("STR-2") && check.contains("resume-is-inclusive"),
        "{check}"
    );
    let requirement = explain("STR-2").unwrap();
    assert!(requirement.contains("srv.resume.every-cut"), "{requirement}");
    assert!(explain("FOL-1").unwrap().contains("no check yet"));
    assert_eq!(explain("STR-999"), None);
}

/// Where Sessions cannot be had, everything else is the matter of the check of creations.
#[tokio::test]
async fn a_set_up_that_fails_blocks_and_names_its_check() {
    let server = reference().await;
    let empty = Mutant::new("empty").instead(|_| Some(Answer::new(200, "application/json", "{}")));
    let relay = Relay::start(server.url(), empty).await.unwrap();
    let report = judge(&plan(relay.url(), &server).with_limits(impatient())).await;
    assert_eq!(report.conclusion, Conclusion::Nonconformant, "{report}");
    for check in report
        .checks
        .iter()
        .filter(|check| check.id != "srv.session.create")
    {
        assert_eq!(check.verdict, Verdict::Blocked, "{}: {report}", check.id);
        assert!(
            check.reason.as_ref().unwrap().contains("srv.session.create"),
            "{}",
            check.id
        );
    }
    server.shutdown().await;
}
