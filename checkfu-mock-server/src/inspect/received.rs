//! What clients posted to a Session, compared with what a test expects.

use super::event::LoggedEvent;
use super::expected::Expected;
use super::mismatch::Mismatch;

/// The posted events of a Session in the order of acceptance. A repetition with the same idempotency key, or of a response
/// that was accepted already, is no second event.
///
/// ```
/// use checkfu_mock_server::{Expected, Inspected, Mismatch};
/// use serde_json::json;
///
/// fn refunded(session: &Inspected) -> Result<(), Mismatch> {
///     let received = session.received();
///     received.exactly([
///         Expected::message("Refund order 7."),
///         Expected::tool_result("toolu_refund", json!({"refunded": 12})),
///     ])?;
///     received.contains(Expected::event("user.message"))
/// }
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Received {
    session: String,
    events: Vec<LoggedEvent>,
}

impl Received {
    pub(super) fn new(session: &str, events: Vec<LoggedEvent>) -> Self {
        Self {
            session: session.to_owned(),
            events,
        }
    }

    /// The events.
    pub fn events(&self) -> &[LoggedEvent] {
        &self.events
    }

    /// That these were received, in this order, and nothing else. Give an empty array for "nothing".
    ///
    /// # Errors
    ///
    /// [`Mismatch`] tells the first difference and both lists.
    pub fn exactly(&self, expected: impl IntoIterator<Item = Expected>) -> Result<(), Mismatch> {
        let expected: Vec<Expected> = expected.into_iter().collect();
        let both = expected.iter().zip(&self.events).enumerate();
        let differs = both
            .filter_map(|(index, (expected, event))| Some((index + 1, expected.difference(event)?)))
            .map(|(number, difference)| format!("event {number} differs in {difference}"))
            .next();
        let problem = differs.or_else(|| {
            let (wanted, found) = (expected.len(), self.events.len());
            (wanted != found).then(|| {
                let first = wanted.min(found) + 1;
                let verb = if wanted > found {
                    "is missing"
                } else {
                    "was not expected"
                };
                format!("expected {wanted} events, received {found}: event {first} {verb}")
            })
        });
        self.judge(problem, &expected)
    }

    /// That these were received in this order, whatever came before, between and after them.
    ///
    /// # Errors
    ///
    /// [`Mismatch`] tells the first that is missing and both lists.
    pub fn in_order(&self, expected: impl IntoIterator<Item = Expected>) -> Result<(), Mismatch> {
        let expected: Vec<Expected> = expected.into_iter().collect();
        let mut rest = self.events.iter();
        let missing = expected
            .iter()
            .position(|wanted| !rest.any(|event| wanted.difference(event).is_none()));
        let problem = missing.map(|index| match index {
            0 => "event 1 was not received".to_owned(),
            _ => format!("event {} was not received after event {index}", index + 1),
        });
        self.judge(problem, &expected)
    }

    /// That this was received, at least once.
    ///
    /// # Errors
    ///
    /// [`Mismatch`] tells how the nearest one differs, and what was received.
    pub fn contains(&self, expected: Expected) -> Result<(), Mismatch> {
        let mut nearest = None;
        for event in &self.events {
            match expected.difference(event) {
                None => return Ok(()),
                Some(difference) if !difference.starts_with("type: ") => {
                    nearest = Some(format!(", seq {} differs in {difference}", event.seq));
                }
                Some(_) => {}
            }
        }
        let problem = format!("it was not received{}", nearest.unwrap_or_default());
        self.judge(Some(problem), &[expected])
    }

    fn judge(&self, problem: Option<String>, expected: &[Expected]) -> Result<(), Mismatch> {
        match problem {
            None => Ok(()),
            Some(problem) => Err(Mismatch::new(&self.session, problem, expected, &self.events)),
        }
    }
}
