//! The built-in agent. It is a pure function of its revision, of what it was asked and of how much it has already said,
//! so a Run that was cut off by a crash goes on exactly where its log ends.

use crate::core::command::Step;
use crate::core::payload::{Block, Cost, Usage};
use crate::core::status::RunStatus;

/// What a Runner knows about the Run it drives.
#[derive(Debug, Clone)]
pub(crate) struct Assignment {
    pub(crate) revision: u32,
    pub(crate) status: RunStatus,
    pub(crate) input: Vec<Block>,
    pub(crate) observations: u32,
}

/// The next step of a Run, or nothing if it has settled (A-TURN).
pub(crate) fn next_step(assignment: &Assignment) -> Option<Step> {
    match assignment.status {
        RunStatus::Queued => Some(Step::Claim),
        RunStatus::Provisioning => Some(Step::Start),
        RunStatus::Running => Some(speak(assignment)),
        RunStatus::Completed | RunStatus::Failed | RunStatus::Canceled => None,
    }
}

fn speak(assignment: &Assignment) -> Step {
    let replies = replies(assignment.revision, &assignment.input);
    let ordinal = assignment.observations;
    match replies.get(ordinal as usize) {
        Some(text) => Step::Say {
            ordinal,
            content: vec![Block::Text { text: text.clone() }],
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

fn settle(input: &[Block], replies: &[String]) -> Step {
    let usage = Usage {
        input_tokens: tokens(&quote(input)),
        output_tokens: replies.iter().map(|reply| tokens(reply)).sum(),
        ..Usage::default()
    };
    let micros = usage.input_tokens * INPUT_PRICE + usage.output_tokens * OUTPUT_PRICE;
    let amount = format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000);
    Step::Complete {
        usage,
        cost: Cost {
            amount,
            currency: "USD".to_owned(),
        },
    }
}

/// Millionths of a dollar for each token.
const INPUT_PRICE: u64 = 3;
const OUTPUT_PRICE: u64 = 15;

fn tokens(text: &str) -> u64 {
    (text.chars().count() as u64).div_ceil(4)
}
