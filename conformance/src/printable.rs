/// The text with its control characters spelled out, but for line feeds and tabs: a terminal obeys them, and what a server
/// sends must not move its cursor.
pub(crate) fn printable(text: &str) -> String {
    let mut kept = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '\n' | '\t' => kept.push(character),
            character if character.is_control() => kept.extend(character.escape_unicode()),
            character => kept.push(character),
        }
    }
    kept
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
}
