use super::passage::normalised;

/// Abbreviations whose last stop ends no sentence.
const ABBREVIATIONS: [&str; 4] = ["e.g.", "i.e.", "cf.", "vs."];

/// What may stand between the mark that ends a sentence and the space behind it.
const CLOSERS: &[char] = &['*', '_', '`', '"', '\'', '”', '’', ')', ']'];

/// Divides running text into its sentences.
pub(crate) fn sentences(text: &str) -> Vec<String> {
    let text = normalised(text);
    let mut sentences = Vec::new();
    let mut start = 0;
    let mut in_code = false;
    for (at, letter) in text.char_indices() {
        if letter == '`' {
            // A span that nothing closes is no span.
            in_code = !in_code && text[at + 1..].contains('`');
        }
        if in_code || !ends_sentence(letter) {
            continue;
        }
        let behind = &text[at + letter.len_utf8()..];
        let closed = behind.trim_start_matches(CLOSERS);
        let end = text.len() - closed.len();
        if closed.starts_with(' ') && !goes_on(&text[start..=at]) {
            sentences.push(text[start..end].to_owned());
            start = end + 1;
        }
    }
    if start < text.len() {
        sentences.push(text[start..].to_owned());
    }
    sentences
}

/// Whether the text ends as a sentence does, with a colon before what it introduces counted too.
pub(crate) fn is_ended(text: &str) -> bool {
    text.trim_end()
        .trim_end_matches(CLOSERS)
        .ends_with(|letter| ends_sentence(letter) || matches!(letter, ':' | ';' | ','))
}

fn ends_sentence(letter: char) -> bool {
    matches!(letter, '.' | '!' | '?')
}

fn goes_on(until_the_mark: &str) -> bool {
    let word = until_the_mark.rsplit([' ', '(']).next().unwrap_or_default();
    word.ends_with("..") || ABBREVIATIONS.contains(&word.to_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_ends_at_a_mark_before_a_space() {
        for (text, expected) in [
            (
                "One is here. two, in small letters. Three?",
                &["One is here.", "two, in small letters.", "Three?"][..],
            ),
            (
                "A clause; another: a third. Next",
                &["A clause; another: a third.", "Next"],
            ),
            (
                "Version 1.2 of a.b/c?d=e stays.",
                &["Version 1.2 of a.b/c?d=e stays."],
            ),
            ("", &[]),
        ] {
            assert_eq!(sentences(text), expected, "{text}");
        }
    }

    #[test]
    fn what_closes_behind_the_mark_belongs_to_the_sentence() {
        for (text, expected) in [
            ("**A lead-in.** The rest.", &["**A lead-in.**", "The rest."][..]),
            (
                "It says “done.” Then (not before.) it ends.",
                &["It says “done.”", "Then (not before.)", "it ends."],
            ),
            ("**`a_b`.** An idle one.", &["**`a_b`.**", "An idle one."]),
        ] {
            assert_eq!(sentences(text), expected, "{text}");
        }
    }

    #[test]
    fn code_abbreviations_and_ellipses_end_nothing() {
        for text in [
            "Lock it with `SELECT ... FOR. UPDATE` in the adapter.",
            "Some (e.g. these) and i.e. those and more... or less.",
        ] {
            assert_eq!(sentences(text), [text]);
        }
        assert_eq!(
            sentences("A ` that nothing closes. Two."),
            ["A ` that nothing closes.", "Two."]
        );
    }

    #[test]
    fn nothing_is_lost() {
        let text = "A «b». C “d.”  E `f. g` h! (I? j.) k… l. ```m. n`` o. é. ü";
        let parts = sentences(text);
        assert!(parts.len() > 4, "{parts:?}");
        assert_eq!(parts.join(" "), normalised(text));
    }
}
