//! The plain agent: a pure function from what a Run has done so far to its next step.
//!
//! It keeps nothing: what it does next follows from the number of its revision, of what it was asked and of how much it
//! has already said, so a Run that was cut off by a crash goes on exactly where its log ends.

use crate::core::assignment::Assignment;
use crate::core::id::{Entropy, EventId};
use crate::core::payload::{Block, Cost, Usage};
use crate::core::status::RunStatus;
use crate::core::step::{Action, Step};

/// The next step of a Run, or nothing if it has settled (A-TURN).
pub(crate) fn next_step(assignment: &Assignment, entropy: &mut dyn Entropy) -> Option<Step> {
    match assignment.status {
        RunStatus::Queued => Some(Step::Claim),
        RunStatus::Provisioning => Some(Step::Start),
        RunStatus::Running | RunStatus::Reconciling => Some(Step::Act {
            position: assignment.position,
            action: speak(assignment, entropy),
        }),
        RunStatus::Waiting | RunStatus::Completed | RunStatus::Failed | RunStatus::Canceled => None,
    }
}

fn speak(assignment: &Assignment, entropy: &mut dyn Entropy) -> Action {
    let replies = replies(assignment.revision, &assignment.input);
    match replies.get(assignment.position as usize) {
        Some(text) => Action::Say {
            event_id: EventId::fresh(entropy),
            content: vec![Block::text(text.clone())],
        },
        None => settle(&assignment.input, &replies),
    }
}

/// Revision 1 answers in two messages, revision 2 in three.
fn replies(revision: u32, input: &[Block]) -> Vec<String> {
    let quoted = quote(input);
    let mut replies = vec![
        "Hello, I am the plain agent.".to_owned(),
        format!("You wrote: {quoted}"),
    ];
    if revision >= 2 {
        replies.push(format!(
            "That is {} characters. Anything else?",
            quoted.chars().count()
        ));
    }
    replies
}

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

fn settle(input: &[Block], replies: &[String]) -> Action {
    let usage = Usage {
        input_tokens: tokens(&quote(input)),
        output_tokens: replies.iter().map(|reply| tokens(reply)).sum(),
        ..Usage::default()
    };
    let micros = usage.input_tokens * INPUT_PRICE + usage.output_tokens * OUTPUT_PRICE;
    let amount = format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
    Action::Complete {
        usage,
        cost: Cost {
            amount,
            currency: "USD".to_owned(),
        },
        stop_reason: "end_turn",
    }
}

/// Millionths of a dollar for each token.
const INPUT_PRICE: u64 = 3;
const OUTPUT_PRICE: u64 = 15;

fn tokens(text: &str) -> u64 {
    (text.chars().count() as u64).div_ceil(4)
}
