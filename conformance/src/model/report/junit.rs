use quick_junit::{
    NonSuccessKind, Property as Fact, Report as Document, SerializeError, TestCase, TestCaseStatus, TestSuite,
};

use super::document::{Case, ModelReport};
use crate::{
    model::{anomaly::Property, checker::Finding},
    verdict::Verdict,
};

impl ModelReport {
    /// The report as JUnit XML: a suite `histories` with a case a property, which has its verdict as a property, and
    /// a suite `run` with the case `conclusion`. What was not put to the test is skipped; a warning passes, with the
    /// contradictions as its output.
    ///
    /// # Errors
    /// What the XML writer reports.
    pub fn to_junit(&self) -> Result<String, SerializeError> {
        let mut document = Document::new(format!("{} {}", env!("CARGO_PKG_NAME"), self.profile));
        let mut suite = TestSuite::new("histories");
        suite.add_property(Fact::new("run", self.run_id.as_str()));
        suite.add_property(Fact::new("strict", self.strict.to_string()));
        suite.add_property(Fact::new("histories", self.histories.to_string()));
        for (name, value) in [
            ("url", self.url.clone()),
            ("seed", self.seed.map(|seed| seed.to_string())),
            ("cut", self.cut_short().map(str::to_owned)),
            ("reason", self.reason.clone()),
        ] {
            if let Some(value) = value {
                suite.add_property(Fact::new(name, value));
            }
        }
        suite.add_test_cases(Property::ALL.map(|property| self.test_case(property)));
        document.add_test_suite(suite);
        let conclusion = crate::report::of_run(self.conclusion(), self.reason.as_deref(), self.exit());
        document.add_test_suite(conclusion);
        document
            .to_string()
            .map(|document| crate::report::allowed(&document))
    }

    fn test_case(&self, property: Property) -> TestCase {
        let verdict = self.verdict(property);
        let told = self.told_of(property);
        let mut status = match verdict {
            Verdict::Pass | Verdict::Warn => TestCaseStatus::success(),
            Verdict::Fail => TestCaseStatus::non_success(NonSuccessKind::Failure),
            _ => TestCaseStatus::skipped(),
        };
        if !matches!(verdict, Verdict::Pass | Verdict::Warn) {
            status.set_message(match self.findings_of(property).next() {
                Some((_, first)) => format!("expected {}; actual: {}", first.expected, first.actual),
                None => self
                    .why_not(property)
                    .unwrap_or_else(|| verdict.word().to_owned()),
            });
            status.set_description(told.as_str());
        }
        let mut case = TestCase::new(property.to_string(), status);
        case.set_classname("histories");
        case.add_property(Fact::new("verdict", verdict.word()));
        case.add_property(Fact::new("decided", self.times(property).to_string()));
        if verdict == Verdict::Warn {
            case.set_system_out(told);
        }
        case
    }

    /// The findings of a property and the histories that they are in.
    pub(super) fn findings_of(&self, property: Property) -> impl Iterator<Item = (&Case, &Finding)> {
        let all = self
            .cases
            .iter()
            .flat_map(|case| case.findings.iter().map(move |finding| (case, finding)));
        all.filter(move |(_, finding)| finding.property == property)
    }

    fn told_of(&self, property: Property) -> String {
        let told = |(case, finding): (&Case, &Finding)| {
            format!(
                "{} in history {}: {}\n  requirements: {}\n  expected: {}\n  actual: {}\n",
                finding.anomaly,
                case.name,
                finding.subject,
                finding.requirements.join(" "),
                finding.expected,
                finding.actual
            )
        };
        self.findings_of(property).take(TOLD).map(told).collect()
    }
}

/// How many findings of a property are told in full.
const TOLD: usize = 20;
