//! What the quickstart prints. A reader that goes away does not stop the work: the database is its result.

use std::{
    fmt::Display,
    io::{self, Write},
};

/// The longest text on a line, in characters.
const WIDTH: usize = 64;

/// Prints one line.
pub(crate) fn say(line: impl Display) {
    let _ = writeln!(io::stdout().lock(), "{line}");
}

/// `text` on one line, cut, and without characters that would steer a terminal or reorder the line.
pub(crate) fn one_line(text: &str) -> String {
    let line: String = text
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .chars()
        .map(|character| if steers(character) { '\u{fffd}' } else { character })
        .collect();
    match line.char_indices().nth(WIDTH) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

fn steers(character: char) -> bool {
    let bidirectional = matches!(character, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    character.is_control() || bidirectional
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_to_one_line_between_characters() {
        assert_eq!(one_line("two\n words"), "two words");
        assert_eq!(one_line(&"é".repeat(65)), format!("{}…", "é".repeat(64)));
    }

    #[test]
    fn a_text_cannot_steer_the_terminal() {
        assert_eq!(one_line("\x1b[31mred\u{202e}"), "\u{fffd}[31mred\u{fffd}");
    }
}
