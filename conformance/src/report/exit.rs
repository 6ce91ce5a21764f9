use serde::Serialize;

use crate::verdict::{Conclusion, Verdict};

/// How a run ends, as an exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ExitStatus {
    /// 0: every selected check passed; warnings are listed.
    Conformant,
    /// 0: nothing failed but what the baseline lists. The statement says NONCONFORMANT.
    KnownFailures,
    /// 1: at least one check failed, or the baseline lists what did not.
    Failed,
    /// 2: the command line or the configuration is wrong, such as an id that the server does not know, and nothing
    /// was judged; or a report could not be written.
    Usage,
    /// 3: nothing failed, but a selected check was inconclusive or blocked.
    Partial,
    /// 4: the target was not reached, the suite itself erred, or no check was executed.
    NotJudged,
    /// 5: the time or a budget of the run was spent.
    Exhausted,
    /// 130: interrupted; the report holds what was judged until then.
    Interrupted,
}

/// What ended a run before its last check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    TimeSpent,
    BudgetSpent,
    Interrupted,
}

impl ExitStatus {
    /// The number for the shell.
    pub fn code(self) -> u8 {
        match self {
            Self::Conformant | Self::KnownFailures => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Partial => 3,
            Self::NotJudged => 4,
            Self::Exhausted => 5,
            Self::Interrupted => 130,
        }
    }

    pub(crate) fn of(verdicts: &[Verdict], cut: Option<Cut>) -> Self {
        let any = |verdict| verdicts.contains(&verdict);
        let conclusion = Conclusion::of(verdicts.iter().copied());
        match (cut, conclusion) {
            (Some(Cut::Interrupted), _) => Self::Interrupted,
            (_, Conclusion::NotJudged) => Self::NotJudged,
            _ if any(Verdict::Fail) || any(Verdict::StaleBaseline) => Self::Failed,
            (Some(Cut::TimeSpent | Cut::BudgetSpent), _) => Self::Exhausted,
            _ if any(Verdict::Inconclusive) || any(Verdict::Blocked) => Self::Partial,
            (None, Conclusion::Nonconformant) => Self::KnownFailures,
            (None, Conclusion::Partial) => Self::Partial,
            (None, Conclusion::Conformant) => Self::Conformant,
            (None, Conclusion::StaleBaseline) => Self::Failed,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whatever the verdicts, the last line does not say one thing and the exit status another.
    #[test]
    fn the_word_of_a_run_and_its_exit_status_agree() {
        for first in Verdict::ALL {
            for second in Verdict::ALL {
                for third in Verdict::ALL {
                    let verdicts = [first, second, third];
                    let exits: &[u8] = match Conclusion::of(verdicts) {
                        Conclusion::Conformant => &[0],
                        Conclusion::Partial => &[3],
                        // Known failures alone exit 0, and 3 beside what is undecided.
                        Conclusion::Nonconformant => &[0, 1, 3],
                        Conclusion::StaleBaseline => &[1],
                        Conclusion::NotJudged => &[4],
                    };
                    let exit = ExitStatus::of(&verdicts, None).code();
                    assert!(exits.contains(&exit), "{verdicts:?}: exit {exit}");
                }
            }
        }
    }

    #[test]
    fn a_failure_outweighs_spent_time_and_an_interruption_outweighs_all() {
        use Verdict::*;
        let of = |verdicts: &[Verdict], cut| ExitStatus::of(verdicts, cut).code();
        for (verdicts, cut, code) in [
            (&[Pass][..], None, 0),
            (&[Pass, Fail], Some(Cut::TimeSpent), 1),
            (&[Pass, Blocked], None, 3),
            (&[NotApplicable], None, 3),
            (&[], None, 4),
            (&[Pass, Error, Fail], None, 4),
            (&[Pass], Some(Cut::TimeSpent), 5),
            (&[Pass, Inconclusive], Some(Cut::BudgetSpent), 5),
            (&[Pass, Fail], Some(Cut::Interrupted), 130),
            (&[Pass, KnownFail], None, 0),
            (&[Pass, KnownFail, Inconclusive], None, 3),
            (&[Pass, KnownFail, Inconclusive], Some(Cut::BudgetSpent), 5),
            (&[Pass, KnownFail, Fail], None, 1),
            (&[Pass, KnownFail, StaleBaseline], None, 1),
            (&[Pass, StaleBaseline], Some(Cut::TimeSpent), 1),
            (&[Pass, StaleBaseline, Inconclusive], None, 1),
        ] {
            assert_eq!(of(verdicts, cut), code, "{verdicts:?} {cut:?}");
        }
        assert_eq!(
            ExitStatus::of(&[Pass, KnownFail], None),
            ExitStatus::KnownFailures
        );
    }
}
