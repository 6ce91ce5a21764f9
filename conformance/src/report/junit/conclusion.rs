use quick_junit::{NonSuccessKind, TestCase, TestCaseStatus, TestSuite};

use crate::{report::exit::ExitStatus, verdict::Conclusion};

/// A suite of one case: how the run ended, so that a reader of JUnit alone does not take a run that judged nothing for a
/// good one.
pub(crate) fn of_run(conclusion: Conclusion, reason: Option<&str>, exit: ExitStatus) -> TestSuite {
    let mut status = match exit {
        ExitStatus::Conformant | ExitStatus::KnownFailures => TestCaseStatus::success(),
        ExitStatus::Failed => TestCaseStatus::non_success(NonSuccessKind::Failure),
        ExitStatus::Partial => TestCaseStatus::skipped(),
        ExitStatus::Usage | ExitStatus::NotJudged | ExitStatus::Exhausted | ExitStatus::Interrupted => {
            TestCaseStatus::non_success(NonSuccessKind::Error)
        }
    };
    if exit.code() != 0 {
        let reason = reason.map_or_else(String::new, |reason| format!(": {reason}"));
        status.set_message(format!("{}{reason} (exit {})", conclusion.word(), exit.code()));
    }
    let mut case = TestCase::new("conclusion", status);
    case.set_classname("run");
    let mut suite = TestSuite::new("run");
    suite.add_test_case(case);
    suite
}
