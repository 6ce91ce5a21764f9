/// The text with the characters spelled out that a terminal, a page or an editor obeys instead of showing: controls, but
/// for line feeds and tabs, and what turns, hides or breaks a line. What a server sends must not look like ours.
pub(crate) fn printable(text: &str) -> String {
    spelled(text, |character| character == '\n')
}

/// The same for a text that has to stay in its line.
pub(crate) fn one_line(text: &str) -> String {
    spelled(text, |_| false)
}

fn spelled(text: &str, keeps: impl Fn(char) -> bool) -> String {
    let mut kept = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            character if character == '\t' || keeps(character) => kept.push(character),
            '\n' => kept.push_str("\\n"),
            character if character.is_control() || is_obeyed(character) => {
                kept.extend(character.escape_unicode());
            }
            character => kept.push(character),
        }
    }
    kept
}

/// Whether it has no shape of its own, and changes how others are shown; or is no character at all.
fn is_obeyed(character: char) -> bool {
    matches!(
        character,
        '\u{61c}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'
            | '\u{2066}'..='\u{2069}'
            | '\u{feff}'
            | '\u{fffe}'
            | '\u{ffff}'
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_has_nothing_to_obey() {
        assert_eq!(
            printable("a\u{1b}[2J\r\u{9b}8m\tb\n\u{e9}"),
            "a\\u{1b}[2J\\u{d}\\u{9b}8m\tb\n\u{e9}"
        );
    }

    #[test]
    fn what_turns_hides_or_breaks_a_line_is_spelled_out() {
        let controls = ('\u{200b}'..='\u{200f}')
            .chain('\u{2028}'..='\u{202e}')
            .chain('\u{2066}'..='\u{2069}')
            .chain(['\u{feff}', '\u{fffe}', '\u{ffff}']);
        for control in controls {
            let spelled: String = control.escape_unicode().collect();
            assert_eq!(printable(&format!("a{control}b")), format!("a{spelled}b"));
            assert_eq!(one_line(&format!("a{control}b")), format!("a{spelled}b"));
        }
        assert_eq!(one_line("a\nPASS b\tc\u{1f980}"), "a\\nPASS b\tc\u{1f980}");
    }
}
