use crate::wire::{client::Fault, exchange::Exchange};

/// Why a check did not pass.
#[derive(Debug, Clone)]
pub(crate) enum Stop {
    /// The feature is refused as documented.
    NotApplicable(String),
    /// It could not be exercised here.
    Inconclusive(String),
    /// Its set-up failed; `by` is the check whose matter that is.
    Blocked {
        by: &'static str,
        why: String,
        contradiction: Option<Box<Contradiction>>,
    },
    /// A contradiction was witnessed.
    Fail(Box<Contradiction>),
    /// The suite's own fault, or no target.
    Error(String),
}

/// What was expected, what came, and the bytes that show it.
#[derive(Debug, Clone)]
pub(crate) struct Contradiction {
    pub(crate) expected: String,
    pub(crate) actual: String,
    pub(crate) wire: String,
}

impl Stop {
    /// A failure with the exchange that shows it.
    pub(crate) fn fail(expected: impl Into<String>, actual: impl Into<String>, evidence: &Exchange) -> Self {
        let (expected, actual) = (expected.into(), actual.into());
        let wire = evidence.excerpt(&format!("{actual} {expected}"));
        Self::fail_with(expected, actual, wire)
    }

    /// A failure with an excerpt made by the caller.
    pub(crate) fn fail_with(expected: impl Into<String>, actual: impl Into<String>, wire: String) -> Self {
        Self::Fail(Box::new(Contradiction {
            expected: expected.into(),
            actual: actual.into(),
            wire,
        }))
    }

    /// Why, in one line and without what shows it.
    pub(crate) fn told(self) -> String {
        match self {
            Self::Fail(contradiction) => contradiction.told(),
            Self::Error(why)
            | Self::Inconclusive(why)
            | Self::NotApplicable(why)
            | Self::Blocked { why, .. } => why,
        }
    }

    /// The same stop seen from a check that only needed this as its set-up.
    pub(crate) fn blocking(self, by: &'static str) -> Self {
        match self {
            Self::Fail(contradiction) => Self::Blocked {
                by,
                why: contradiction.told(),
                contradiction: Some(contradiction),
            },
            Self::NotApplicable(why) | Self::Inconclusive(why) => Self::Blocked {
                by,
                why,
                contradiction: None,
            },
            Self::Blocked { .. } | Self::Error(_) => self,
        }
    }
}

impl Contradiction {
    fn told(&self) -> String {
        format!("expected {}, got {}", self.expected, self.actual)
    }
}

impl From<Fault> for Stop {
    fn from(fault: Fault) -> Self {
        match fault {
            Fault::NoAnswer(what) | Fault::Cut(what) => {
                Self::fail_with("a complete HTTP answer", what, String::new())
            }
            Fault::Spent(why) => Self::Inconclusive(why),
            Fault::Unreachable(_) | Fault::Malformed(_) => Self::Error(fault.to_string()),
        }
    }
}
