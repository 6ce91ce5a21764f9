mod conclusion;

use std::time::Duration;

use chrono::DateTime;
use quick_junit::{
    NonSuccessKind, Property, Report as Document, SerializeError, TestCase, TestCaseStatus, TestSuite,
};

use crate::verdict::Verdict;

use super::{
    document::{CheckReport, Report},
    statement::{area, areas, statement},
    xml::allowed,
};
pub(crate) use conclusion::of_run;

impl Report {
    /// The report as JUnit XML: a suite an area, a case a check, with its verdict as a property. A last suite `run` has the
    /// case `conclusion`, which fails where the run does, and is an error where nothing was judged or not all of it.
    ///
    /// What was not decided or does not apply is skipped, with the reason as its message; a warning passes, with the
    /// contradiction as its output.
    ///
    /// # Errors
    /// What the XML writer reports.
    pub fn to_junit(&self) -> Result<String, SerializeError> {
        let mut document = Document::new(format!("{} {}", self.suite.name, self.profile));
        document.set_time(Duration::from_millis(self.duration_ms));
        let began = i64::try_from(self.started_at_ms)
            .ok()
            .and_then(DateTime::from_timestamp_millis);
        if let Some(began) = began {
            document.set_timestamp(began);
        }
        for name in areas(self) {
            let checks = || self.checks.iter().filter(|check| area(check) == name);
            let mut suite = TestSuite::new(name);
            suite.add_property(Property::new("url", self.url.as_str()));
            suite.add_property(Property::new("run", self.run_id.as_str()));
            suite.add_property(Property::new("strict", self.strict.to_string()));
            suite.add_property(Property::new("stimulus", self.stimulus.name()));
            for (name, value) in [("name", &self.name), ("contact", &self.contact)] {
                if let Some(value) = value {
                    suite.add_property(Property::new(name, value.as_str()));
                }
            }
            for row in &self.capabilities {
                let told = format!("{}: {}", row.result.word(), row.reason);
                suite.add_property(Property::new(format!("capability.{}", row.id), told));
            }
            suite.set_time(
                checks()
                    .map(|check| Duration::from_millis(check.duration_ms))
                    .sum(),
            );
            suite.add_test_cases(checks().map(case));
            document.add_test_suite(suite);
        }
        document.add_test_suite(of_run(self.conclusion, self.reason.as_deref(), self.exit));
        document.to_string().map(|document| allowed(&document))
    }
}

fn case(check: &CheckReport) -> TestCase {
    let mut case = TestCase::new(check.id, status(check));
    case.set_classname(area(check));
    case.set_time(Duration::from_millis(check.duration_ms));
    case.add_property(Property::new("verdict", check.verdict.word()));
    case.add_property(Property::new("level", check.level.to_string()));
    case.add_property(Property::new("stimulus", check.stimulus.name()));
    case.add_property(Property::new("requirements", check.requirements.join(" ")));
    let seen = check.witnesses.iter().map(|witness| {
        format!(
            "{} ({}, exchange {})\n",
            witness.text(),
            witness.call(),
            witness.exchange()
        )
    });
    let told = match check.verdict {
        Verdict::Warn => description(check),
        _ => seen.collect(),
    };
    if !told.is_empty() {
        case.set_system_out(told);
    }
    case
}

fn status(check: &CheckReport) -> TestCaseStatus {
    let mut status = match check.verdict {
        Verdict::Pass | Verdict::Warn => return TestCaseStatus::success(),
        Verdict::Fail | Verdict::StaleBaseline => TestCaseStatus::non_success(NonSuccessKind::Failure),
        Verdict::Error => TestCaseStatus::non_success(NonSuccessKind::Error),
        Verdict::NotSelected
        | Verdict::NotApplicable
        | Verdict::KnownFail
        | Verdict::Inconclusive
        | Verdict::Blocked => TestCaseStatus::skipped(),
    };
    let message = match (&check.reason, &check.failure) {
        (Some(reason), _) => format!("{}: {reason}", check.verdict.word()),
        (None, Some(failure)) => format!("expected {}; actual: {}", failure.expected, failure.actual),
        (None, None) => check.verdict.word().to_owned(),
    };
    status.set_message(message);
    status.set_description(description(check));
    status
}

fn description(check: &CheckReport) -> String {
    let mut text = format!("{}\n", check.title);
    for id in &check.requirements {
        text.push_str(&format!("{id}: {}\n", statement(id)));
    }
    if let Some(failure) = &check.failure {
        text.push_str(&format!(
            "expected:  {}\nactual:    {}\n{}\nreproduce: {}\n",
            failure.expected, failure.actual, failure.wire, failure.reproduce
        ));
    }
    text
}
