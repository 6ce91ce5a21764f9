//! What an Agent wants to happen next.

use std::time::Duration;

use crate::core::id::EventId;
use crate::core::step::Step;

/// What is next for a Run.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Next {
    /// Nothing by itself: it waits for somebody, or has settled.
    Nothing,
    /// This start-up never gets ready; its allowance will run out (DLN-1).
    NeverReady,
    Step(Box<Planned>),
}

/// A step that happens after a while.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Planned {
    /// What passes before it, or before its preview begins.
    pub(crate) after: Duration,
    pub(crate) preview: Option<Preview>,
    pub(crate) step: Step,
}

/// How an observation shows itself before it commits (PRV-2): its start, then every `every` a piece, and `every` after the
/// last piece the event itself.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Preview {
    pub(crate) event_id: EventId,
    /// `agent.message` or `agent.thinking`.
    pub(crate) event_type: &'static str,
    /// Together they are the text of the event's only block; a thought has none.
    pub(crate) pieces: Vec<String>,
    pub(crate) every: Duration,
}

impl Planned {
    /// A step that nothing comes before.
    pub(crate) fn at_once(step: Step) -> Next {
        Next::Step(Box::new(Self {
            after: Duration::ZERO,
            preview: None,
            step,
        }))
    }
}

/// Cuts a text into so many pieces of nearly the same length; fewer if it has fewer characters.
pub(crate) fn pieces(text: &str, count: u32) -> Vec<String> {
    let characters: Vec<char> = text.chars().collect();
    let size = characters.len().div_ceil(count.max(1) as usize).max(1);
    characters
        .chunks(size)
        .map(|piece| piece.iter().collect())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_together_are_the_text() {
        for text in ["", "é", "Hello, world", "日本語のテキスト"] {
            for count in [1, 2, 3, 7, 1000] {
                let pieces = pieces(text, count);
                assert_eq!(pieces.concat(), text);
                assert!(pieces.len() <= count as usize);
                assert!(pieces.iter().all(|piece| !piece.is_empty()));
            }
        }
        assert_eq!(pieces("abcdef", 3), ["ab", "cd", "ef"]);
    }
}
