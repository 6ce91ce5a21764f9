//! What a Run costs: a function of the script and of what was said, never of time.

use crate::core::payload::{Cost, Usage};
use crate::scenario::step::Spend;

/// Adds up what a Run spends.
#[derive(Debug, Clone, Default)]
pub(super) struct Bill {
    said: u64,
    spent: Option<(Usage, u64)>,
}

/// Millionths of a dollar for each token.
const INPUT_PRICE: u64 = 3;
const OUTPUT_PRICE: u64 = 15;

impl Bill {
    /// The Agent wrote this.
    pub(super) fn say(&mut self, text: &str) {
        self.said = self.said.saturating_add(tokens(text));
    }

    /// The script says what it costs.
    pub(super) fn spend(&mut self, spend: &Spend) {
        let usage = Usage {
            input_tokens: spend.input_tokens,
            output_tokens: spend.output_tokens,
            cache_read_input_tokens: spend.cache_read_input_tokens,
            cache_creation_input_tokens: spend.cache_creation_input_tokens,
        };
        let micros = spend.cost_micros.unwrap_or_else(|| price(usage));
        let (sum, cost) = self.spent.unwrap_or_default();
        self.spent = Some((sum.plus(usage), cost.saturating_add(micros)));
    }

    /// What the script said, else a token for every four characters begun of the input and of the messages.
    pub(super) fn total(&self, input: &str) -> (Usage, Cost) {
        let (usage, micros) = self.spent.unwrap_or_else(|| {
            let usage = Usage {
                input_tokens: tokens(input),
                output_tokens: self.said,
                ..Usage::default()
            };
            (usage, price(usage))
        });
        let cost = Cost {
            amount: format!("{}.{:06}", micros / 1_000_000, micros % 1_000_000),
            currency: "USD".to_owned(),
        };
        (usage, cost)
    }
}

/// Tokens that come from a cache are free.
fn price(usage: Usage) -> u64 {
    let input = usage
        .input_tokens
        .saturating_add(usage.cache_creation_input_tokens);
    input
        .saturating_mul(INPUT_PRICE)
        .saturating_add(usage.output_tokens.saturating_mul(OUTPUT_PRICE))
}

fn tokens(text: &str) -> u64 {
    (text.chars().count() as u64).div_ceil(4)
}
