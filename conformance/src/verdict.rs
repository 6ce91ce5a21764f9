use serde::Serialize;

/// What became of one check. The order is that of the roll-up: the greater one wins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The profile or the selection leaves it out; it was not executed.
    NotSelected,
    /// The server refuses the feature as documented, so there is nothing to judge.
    NotApplicable,
    /// At least one witness, no contradiction.
    Pass,
    /// A contradiction that the baseline lists.
    KnownFail,
    /// A contradiction of a derived statement in a run that is not strict.
    Warn,
    /// Not enough stimulus, budget or time to exercise it here.
    Inconclusive,
    /// Its set-up failed; the check whose matter that is is named.
    Blocked,
    /// A contradiction was witnessed.
    Fail,
    /// The baseline lists it and it did not fail, or the entry expired: the entry has to go.
    StaleBaseline,
    /// The suite's own fault, or a target that cannot be reached. Never charged to the server.
    Error,
}

impl Verdict {
    /// All verdicts, lowest first.
    pub const ALL: [Self; 10] = [
        Self::NotSelected,
        Self::NotApplicable,
        Self::Pass,
        Self::KnownFail,
        Self::Warn,
        Self::Inconclusive,
        Self::Blocked,
        Self::Fail,
        Self::StaleBaseline,
        Self::Error,
    ];

    /// The word used in tables.
    pub fn word(self) -> &'static str {
        match self {
            Self::NotSelected => "not selected",
            Self::NotApplicable => "n/a",
            Self::Pass => "pass",
            Self::KnownFail => "known-fail",
            Self::Warn => "warn",
            Self::Inconclusive => "inconclusive",
            Self::Blocked => "blocked",
            Self::Fail => "FAIL",
            Self::StaleBaseline => "STALE",
            Self::Error => "ERROR",
        }
    }
}

/// What the run as a whole says about the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Conclusion {
    /// Every selected check passed, warned or did not apply, and at least one passed.
    Conformant,
    /// Nothing failed, but a selected check could not be decided.
    Partial,
    /// At least one check failed, be it known or not.
    Nonconformant,
    /// Nothing failed, but the baseline lists what did not fail, or an entry that expired: it has to go first.
    StaleBaseline,
    /// The suite has no judgement: the target was not reached, the suite itself erred, or nothing was executed.
    NotJudged,
}

impl Conclusion {
    /// The roll-up of a run.
    pub fn of(verdicts: impl IntoIterator<Item = Verdict>) -> Self {
        let verdicts: Vec<_> = verdicts
            .into_iter()
            .filter(|verdict| *verdict != Verdict::NotSelected)
            .collect();
        let failed = verdicts
            .iter()
            .any(|verdict| matches!(verdict, Verdict::Fail | Verdict::KnownFail));
        match verdicts.iter().max() {
            None | Some(Verdict::Error | Verdict::NotSelected) => Self::NotJudged,
            Some(_) if failed => Self::Nonconformant,
            Some(Verdict::StaleBaseline) => Self::StaleBaseline,
            Some(Verdict::Blocked | Verdict::Inconclusive) => Self::Partial,
            Some(_) => {
                if verdicts.contains(&Verdict::Pass) {
                    Self::Conformant
                } else {
                    Self::Partial
                }
            }
        }
    }

    /// The word printed under the table.
    pub fn word(self) -> &'static str {
        match self {
            Self::Conformant => "CONFORMANT",
            Self::Partial => "PARTIAL",
            Self::Nonconformant => "NONCONFORMANT",
            Self::StaleBaseline => "STALE BASELINE",
            Self::NotJudged => "NOT JUDGED",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_roll_up_takes_the_greatest() {
        use Verdict::*;
        assert!(Verdict::ALL.is_sorted());
        let cases: [(&[Verdict], Conclusion); 14] = [
            (&[], Conclusion::NotJudged),
            (&[NotSelected], Conclusion::NotJudged),
            (&[NotApplicable], Conclusion::Partial),
            (&[Warn], Conclusion::Partial),
            (&[Pass, Warn, NotApplicable, NotSelected], Conclusion::Conformant),
            (&[Pass, Inconclusive], Conclusion::Partial),
            (&[Pass, Blocked], Conclusion::Partial),
            (&[Pass, Blocked, Fail], Conclusion::Nonconformant),
            (&[Pass, Fail, Error], Conclusion::NotJudged),
            (&[Pass, KnownFail], Conclusion::Nonconformant),
            (&[Pass, KnownFail, Inconclusive], Conclusion::Nonconformant),
            (&[Pass, StaleBaseline, Inconclusive], Conclusion::StaleBaseline),
            (&[Pass, Fail, StaleBaseline], Conclusion::Nonconformant),
            (&[Pass, KnownFail, Error], Conclusion::NotJudged),
        ];
        for (verdicts, expected) in cases {
            assert_eq!(Conclusion::of(verdicts.iter().copied()), expected, "{verdicts:?}");
        }
    }
}
