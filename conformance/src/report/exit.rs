use serde::Serialize;

use crate::verdict::Conclusion;

/// How a run ends, as an exit status.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ExitStatus {
    /// 0: every selected check passed; warnings are listed.
    Conformant,
    /// 1: at least one check failed.
    Failed,
    /// 2: the command line or the configuration is wrong; nothing was run.
    Usage,
    /// 3: nothing failed, but a selected check was inconclusive or blocked.
    Partial,
    /// 4: the target was not reached, the suite itself erred, or no check was executed.
    NotJudged,
    /// 5: the time of the run was spent.
    Exhausted,
    /// 130: interrupted; the report holds what was judged until then.
    Interrupted,
}

/// What ended a run before its last check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cut {
    TimeSpent,
    Interrupted,
}

impl ExitStatus {
    /// The number for the shell.
    pub fn code(self) -> u8 {
        match self {
            Self::Conformant => 0,
            Self::Failed => 1,
            Self::Usage => 2,
            Self::Partial => 3,
            Self::NotJudged => 4,
            Self::Exhausted => 5,
            Self::Interrupted => 130,
        }
    }

    pub(crate) fn of(conclusion: Conclusion, cut: Option<Cut>) -> Self {
        match (cut, conclusion) {
            (Some(Cut::Interrupted), _) => Self::Interrupted,
            (_, Conclusion::NotJudged) => Self::NotJudged,
            (_, Conclusion::Nonconformant) => Self::Failed,
            (Some(Cut::TimeSpent), _) => Self::Exhausted,
            (None, Conclusion::Partial) => Self::Partial,
            (None, Conclusion::Conformant) => Self::Conformant,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failure_outweighs_spent_time_and_an_interruption_outweighs_all() {
        let of = |conclusion, cut| ExitStatus::of(conclusion, cut).code();
        assert_eq!(of(Conclusion::Conformant, None), 0);
        assert_eq!(of(Conclusion::Nonconformant, Some(Cut::TimeSpent)), 1);
        assert_eq!(of(Conclusion::Partial, None), 3);
        assert_eq!(of(Conclusion::NotJudged, None), 4);
        assert_eq!(of(Conclusion::Conformant, Some(Cut::TimeSpent)), 5);
        assert_eq!(of(Conclusion::Nonconformant, Some(Cut::Interrupted)), 130);
    }
}
