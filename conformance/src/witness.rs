use serde::Serialize;

use crate::{stop::Stop, wire::exchange::Exchange};

/// One thing that was seen on the wire and that speaks for the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Witness {
    /// What was seen.
    text: String,
    /// The exchange that shows it, by its place in the run's transcript.
    exchange: usize,
    /// What was asked in it, and the status that came.
    call: String,
}

impl Witness {
    /// What was seen.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The exchange that shows it, by its place in the run's transcript, from 1.
    pub fn exchange(&self) -> usize {
        self.exchange
    }

    /// What was asked in that exchange, and the status that came, such as `GET /v1/capabilities 200`.
    pub fn call(&self) -> &str {
        &self.call
    }

    pub(crate) fn masked(self, mask: impl Fn(&str) -> String) -> Self {
        Self {
            text: mask(&self.text),
            call: mask(&self.call),
            ..self
        }
    }
}

/// The proof that a check passed: at least one [`Witness`].
///
/// Nothing outside the suite can make one, and inside it only a [`Book`] with a witness in it gives one out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Pass(Vec<Witness>);

impl Pass {
    pub(crate) fn into_witnesses(self) -> Vec<Witness> {
        self.0
    }
}

/// The witnesses of one check.
#[derive(Debug, Default)]
pub(crate) struct Book(Vec<Witness>);

impl Book {
    /// Records that `evidence`, an answer of the server, shows `text`.
    pub(crate) fn saw(&mut self, text: impl Into<String>, evidence: &Exchange) {
        self.0.push(Witness {
            text: text.into(),
            exchange: evidence.number(),
            call: evidence.call(),
        });
    }

    /// Turns the witnesses into a pass; without any, the check itself is at fault.
    pub(crate) fn pass(&mut self) -> Result<Pass, Stop> {
        if self.0.is_empty() {
            return Err(Stop::Error("the check ended without a witness".to_owned()));
        }
        Ok(Pass(std::mem::take(&mut self.0)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_book_gives_no_pass() {
        assert!(matches!(Book::default().pass(), Err(Stop::Error(_))));
    }
}
