//! The Agent of a scenario: a pure function of the script, of the input and of what its Run's log holds. So a Run that was
//! cut off goes on exactly where its log ends, and the finished log is the same as if it had not been.

pub(crate) mod default_script;
pub(crate) mod next;
mod price;
mod walk;

use crate::core::assignment::Assignment;
use crate::core::id::{Entropy, RunId};
use crate::core::payload::{Block, TriggerKind};
use crate::core::status::RunStatus;
use crate::core::step::{Action, Step};
use crate::scenario::model::{InputKind, Rule, Scenario};
use crate::scenario::template::Words;
use next::{Next, Planned};
use walk::Walk;

/// The next step of a Run (A-TURN, A-PARK). Identifiers of tool calls follow from the Run's; others, which nothing later
/// refers to, come from `entropy`.
pub(crate) fn next(
    scenario: &Scenario,
    run: &RunId,
    assignment: &Assignment,
    entropy: &mut dyn Entropy,
) -> Next {
    let words = Words {
        input: quote(&assignment.input),
        ..Words::default()
    };
    let rules = rules(scenario, assignment);
    let rule = rules
        .iter()
        .find(|rule| fits(rule, assignment.trigger, &words.input));
    match assignment.status {
        RunStatus::Queued => Planned::at_once(Step::Claim),
        RunStatus::Provisioning => match rule {
            Some(rule) if assignment.startup_timeouts < rule.slow_start => Next::NeverReady,
            _ => Planned::at_once(Step::Start),
        },
        RunStatus::Running | RunStatus::Waiting | RunStatus::Reconciling => {
            let default;
            let steps = match rule {
                Some(rule) => &rule.steps,
                None => {
                    default = default_script::steps(rules, kind(assignment.trigger));
                    &default
                }
            };
            let next = Walk::new(run, assignment, words, entropy).play(steps);
            if assignment.status == RunStatus::Waiting && !next.grades() {
                return Next::Nothing;
            }
            next
        }
        RunStatus::Completed | RunStatus::Failed | RunStatus::Canceled => Next::Nothing,
    }
}

/// The rules of the Agent that the Run belongs to.
fn rules<'a>(scenario: &'a Scenario, assignment: &Assignment) -> &'a [Rule] {
    match &assignment.child {
        None => &scenario.rules,
        Some(name) => scenario.roster.get(name).map_or(&[], |child| &child.rules),
    }
}

fn fits(rule: &Rule, trigger: TriggerKind, input: &str) -> bool {
    rule.input == kind(trigger)
        && rule
            .contains
            .as_ref()
            .is_none_or(|part| input.contains(part.as_str()))
}

fn kind(trigger: TriggerKind) -> InputKind {
    match trigger {
        TriggerKind::Message => InputKind::Message,
        TriggerKind::Outcome => InputKind::Outcome,
        TriggerKind::ChildReport => InputKind::Report,
    }
}

/// The input as an Agent reads it.
fn quote(input: &[Block]) -> String {
    let texts: Vec<&str> = input
        .iter()
        .map(|block| match block {
            Block::Text { text } => text.as_str(),
            Block::Image { .. } => "[image]",
            Block::Document { .. } => "[document]",
        })
        .collect();
    texts.join(" ")
}

impl Next {
    /// Whether a grader's verdict is next, the only step of a parked Run (A-OUT).
    fn grades(&self) -> bool {
        let Self::Step(planned) = self else {
            return false;
        };
        matches!(
            &planned.step,
            Step::Act {
                action: Action::Grade { .. },
                ..
            }
        )
    }
}

#[cfg(test)]
mod tests;
