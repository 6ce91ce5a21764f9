//! What started a Run, as a rule says it.

use std::time::Duration;

use super::log::{Log, RunOfLog};
use crate::scenario::model::{InputKind, Rule};
use crate::scenario::step::Step;

/// The longest part of an input that a rule asks for, in characters.
const MAX_CONTAINS: usize = 4000;

/// The kind of the input and its text.
pub(super) fn input(log: &Log, run: &RunOfLog) -> (InputKind, Option<String>) {
    let kind = match run.created.text("/trigger/kind") {
        Some("outcome") => InputKind::Outcome,
        Some("child_report") => InputKind::Report,
        _ => InputKind::Message,
    };
    let trigger = run
        .created
        .text("/trigger/event_id")
        .and_then(|id| log.with_id(id));
    let words = trigger.map(|trigger| trigger.words().chars().take(MAX_CONTAINS).collect::<String>());
    (kind, words.filter(|words| !words.is_empty()))
}

/// A rule of a child of which nothing is known.
pub(super) fn silent() -> Rule {
    Rule {
        input: InputKind::Message,
        contains: None,
        slow_start: 0,
        steps: vec![Step::Take(Duration::ZERO)],
    }
}
