//! What was received beside what was expected.

use std::fmt;

use super::event::LoggedEvent;
use super::expected::Expected;

/// A Session received something else than a test expected. `Debug` says what `Display` says, so that a test that unwraps it
/// can be read: what differs first, then both lists.
///
/// ```
/// use checkfu_mock_server::{Expected, Inspected};
///
/// fn problem(session: &Inspected) -> Option<String> {
///     let mismatch = session.received().exactly([Expected::interrupt()]).err()?;
///     Some(mismatch.problem().to_owned())
/// }
/// ```
#[derive(Clone, PartialEq)]
pub struct Mismatch {
    session: String,
    problem: String,
    expected: Vec<String>,
    received: Vec<String>,
}

impl Mismatch {
    pub(super) fn new(
        session: &str,
        problem: String,
        expected: &[Expected],
        received: &[LoggedEvent],
    ) -> Self {
        Self {
            session: session.to_owned(),
            problem,
            expected: expected.iter().map(ToString::to_string).collect(),
            received: received
                .iter()
                .map(|event| format!("{} {} (seq {})", event.event_type, event.payload, event.seq))
                .collect(),
        }
    }

    /// The Session.
    pub fn session(&self) -> &str {
        &self.session
    }

    /// The first difference, in words.
    pub fn problem(&self) -> &str {
        &self.problem
    }
}

impl std::error::Error for Mismatch {}

impl fmt::Display for Mismatch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}: {}", self.session, self.problem)?;
        for (title, lines) in [("expected", &self.expected), ("received", &self.received)] {
            write!(formatter, "\n{title}:")?;
            if lines.is_empty() {
                formatter.write_str(" nothing")?;
            }
            for (index, line) in lines.iter().enumerate() {
                write!(formatter, "\n  {}. {line}", index + 1)?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Mismatch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, formatter)
    }
}
