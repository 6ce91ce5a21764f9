//! The forms of a report: each says the same as the document, and nothing that a server sends breaks one.

use std::collections::{BTreeMap, BTreeSet};

use checkfu_conformance::prove::{Answer, Mutant, Relay};
use checkfu_conformance::{Profile, Report, Verdict};
use quick_junit::{NonSuccessKind, TestCaseStatus};

use crate::server::{impatient, judge, plan, reference};

/// What would end an element, an attribute, a fence, a table row or a CDATA section.
const HOSTILE: &str = "</pre><script>alert(1)</script>\" ' `````` ]]> | \u{1}\u{b} &amp;";

/// A run with each kind of verdict that a relay can bring about, in which the server's words are hostile.
async fn hostile_report(profile: Profile) -> Report {
    let server = reference().await;
    let mutant = Mutant::new("hostile-words")
        .frame(|_, _, mut frame| {
            if frame.kind() == "run.started" {
                frame.edit(|event| event["payload"]["words"] = HOSTILE.into());
            }
            vec![frame]
        })
        .instead(|call| {
            let page = || Answer::new(500, "text/html", HOSTILE);
            call.parameter("page").is_some().then(page)
        });
    let relay = Relay::start(server.url(), mutant).await.unwrap();
    let report = judge(
        &plan(relay.url(), &server)
            .with_limits(impatient())
            .with_profile(profile),
    )
    .await;
    server.shutdown().await;
    report
}

#[tokio::test]
async fn every_form_says_what_the_document_says_whatever_the_server_sends() {
    let published = hostile_report(Profile::Published).await;
    assert!(published.count(Verdict::NotSelected) > 0, "{published}");
    junit(&published);
    html(&published);
    markdown(&published);
    let report = hostile_report(Profile::Reference).await;
    assert!(
        report.count(Verdict::Fail) > 0 && report.count(Verdict::Pass) > 0,
        "{report}"
    );
    junit(&report);
    html(&report);
    markdown(&report);
    let badge: serde_json::Value = serde_json::from_str(&report.to_badge()).unwrap();
    assert_eq!(badge["schemaVersion"], 1);
    assert_eq!(badge["color"], "red");
    let numbers = format!(
        "nonconformant {}/{}",
        report.count(Verdict::Pass),
        report.checks.len() - report.count(Verdict::NotApplicable)
    );
    assert_eq!(badge["message"], numbers);
}

fn junit(report: &Report) {
    let xml = report.to_junit().unwrap();
    let read = quick_junit::Report::deserialize_from_str(&xml).unwrap();
    let (run, areas) = read.test_suites.split_last().unwrap();
    let names: BTreeSet<_> = areas.iter().map(|suite| suite.name.as_str()).collect();
    assert_eq!(names.len(), areas.len(), "each area is one suite");
    let conclusion = format!("{} (exit {})", report.conclusion.word(), report.exit.code());
    let TestCaseStatus::NonSuccess { kind, message, .. } = &run.test_cases[0].status else {
        panic!("{:?}", run.test_cases);
    };
    assert_eq!(*kind, NonSuccessKind::Failure);
    assert_eq!(message.as_ref().unwrap().as_str(), conclusion);
    let cases: BTreeMap<_, _> = areas
        .iter()
        .flat_map(|suite| &suite.test_cases)
        .map(|case| (case.name.as_str(), case))
        .collect();
    assert_eq!(cases.len(), report.checks.len());
    for check in &report.checks {
        let case = cases[check.id];
        let mut verdicts = case
            .properties
            .iter()
            .filter(|fact| fact.name.as_str() == "verdict");
        assert_eq!(verdicts.next().unwrap().value.as_str(), check.verdict.word());
        let told = match &case.status {
            TestCaseStatus::Success { .. } if check.verdict == Verdict::Warn => {
                (Verdict::Warn, String::new())
            }
            TestCaseStatus::Success { .. } => (Verdict::Pass, String::new()),
            TestCaseStatus::NonSuccess { kind, message, .. } => {
                let verdict = match kind {
                    NonSuccessKind::Failure => Verdict::Fail,
                    NonSuccessKind::Error => Verdict::Error,
                };
                (verdict, message.as_ref().unwrap().as_str().to_owned())
            }
            TestCaseStatus::Skipped { message, .. } => {
                assert!(
                    message
                        .as_ref()
                        .unwrap()
                        .as_str()
                        .starts_with(check.verdict.word())
                );
                (check.verdict, String::new())
            }
        };
        assert_eq!(told.0, check.verdict, "{}", check.id);
        if check.verdict == Verdict::Fail {
            assert!(told.1.starts_with("expected "), "{}", told.1);
        }
    }
}

fn html(report: &Report) {
    let page = report.to_html();
    assert!(page.contains("NONCONFORMANT"));
    for active in ["<script", "http-equiv", "<link", "src=", "@import", "url("] {
        assert!(!page.contains(active), "{active}");
    }
    let open = |element: &str| page.matches(&format!("<{element}")).count();
    for element in ["pre", "table", "section", "article", "ul", "dl", "details"] {
        let closed = page.matches(&format!("</{element}>")).count();
        assert_eq!(open(element), closed, "{element}");
    }
    for area in ["capability", "list"] {
        let rows = page
            .matches(&format!("<tr><th scope=\"row\">{area}</th>"))
            .count();
        assert_eq!(rows, 1, "{area} has one row");
    }
    for part in [
        "<section id=\"account\">",
        "<section id=\"capabilities\">",
        "<section id=\"proof\">",
        "Sessions were created",
        "demand that it fails",
    ] {
        assert!(page.contains(part), "{part}");
    }
    let contradictions =
        report.count(Verdict::Fail) + report.count(Verdict::Error) + report.count(Verdict::Warn);
    assert_eq!(open("article"), contradictions);
    for check in &report.checks {
        assert!(page.contains(check.id), "{}", check.id);
    }
    assert!(
        page.contains("&lt;script&gt;alert(1)"),
        "the server's words are shown as words"
    );
}

fn markdown(report: &Report) {
    let text = report.to_markdown();
    for check in &report.checks {
        assert!(text.contains(check.id), "{}", check.id);
    }
    for part in [
        "## Capabilities",
        "## What was allowed and spent",
        "## Proof of the checks",
    ] {
        assert!(text.contains(part), "{part}");
    }
    // Outside fences no markup of the server's is left, and every fence that opens is closed by as many ticks.
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        let ticks = &line[..line.len() - line.trim_start_matches('`').len()];
        match fence {
            Some(open) if line == open => fence = None,
            None if ticks.len() >= 3 => fence = Some(ticks),
            None => assert!(!line.contains("<script"), "{line}"),
            Some(_) => {}
        }
    }
    assert_eq!(fence, None);
}
