//! What the judge answers when a value does not fit.

use std::fmt;

/// One place where a value breaks the contract.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Violation {
    /// JSON pointer into the judged value; empty for the value itself.
    pub pointer: String,
    /// What is wrong there, at most 300 characters.
    pub reason: String,
}

impl Violation {
    pub(crate) fn new(pointer: impl Into<String>, reason: impl Into<String>) -> Self {
        const LONGEST: usize = 300;
        let mut reason: String = reason.into();
        if let Some((cut, _)) = reason.char_indices().nth(LONGEST) {
            reason.truncate(cut);
            reason.push('…');
        }
        Self {
            pointer: pointer.into(),
            reason,
        }
    }
}

impl fmt::Display for Violation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let place = if self.pointer.is_empty() {
            "(root)"
        } else {
            &self.pointer
        };
        write!(formatter, "{place}: {}", self.reason)
    }
}

/// Every violation found in one value, at least one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Violations {
    subject: String,
    found: Vec<Violation>,
}

impl Violations {
    /// `None` if nothing was found.
    pub(crate) fn collect(subject: &str, found: Vec<Violation>) -> Option<Self> {
        (!found.is_empty()).then(|| Self {
            subject: subject.to_owned(),
            found,
        })
    }

    pub(crate) fn single(subject: &str, reason: impl Into<String>) -> Self {
        Self {
            subject: subject.to_owned(),
            found: vec![Violation::new("", reason)],
        }
    }

    /// What the value was judged as: a schema name, or a method, path and status.
    #[must_use]
    pub fn subject(&self) -> &str {
        &self.subject
    }

    /// The violations, in the order the judge met them.
    pub fn iter(&self) -> impl Iterator<Item = &Violation> {
        self.found.iter()
    }
}

impl fmt::Display for Violations {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "not a valid {}", self.subject)?;
        for violation in &self.found {
            write!(formatter, "\n  {violation}")?;
        }
        Ok(())
    }
}

impl std::error::Error for Violations {}
