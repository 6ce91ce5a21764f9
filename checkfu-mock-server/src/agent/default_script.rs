//! What an Agent does with an input that no rule fits.

use std::time::Duration;

use crate::core::payload::OutcomeResult;
use crate::scenario::model::{InputKind, Rule};
use crate::scenario::step::{Round, Say, Step};
use crate::scenario::template::Template;

/// It names the rules there are; an Outcome fails.
pub(crate) fn steps(rules: &[Rule], input: InputKind) -> Vec<Step> {
    let mut steps = vec![Step::Say(Say {
        text: Template::literal(hint(rules, input)),
        deltas: 1,
        every: Duration::ZERO,
    })];
    if input == InputKind::Outcome {
        steps.push(Step::Grade(vec![Round {
            steps: Vec::new(),
            takes: Duration::ZERO,
            result: OutcomeResult::Failed,
            explanation: Some("no rule of the scenario fits this outcome".to_owned()),
        }]));
    }
    steps
}

fn hint(rules: &[Rule], input: InputKind) -> String {
    let known: Vec<String> = rules
        .iter()
        .map(|rule| match &rule.contains {
            Some(part) => format!("{} with {part:?}", rule.input.as_str()),
            None => format!("any {}", rule.input.as_str()),
        })
        .collect();
    let known = if known.is_empty() {
        "nothing".to_owned()
    } else {
        known.join(", ")
    };
    format!("No rule of mine fits this {}. I know: {known}.", input.as_str())
}
