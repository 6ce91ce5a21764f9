//! What a character is to the word it stands in.

use unicode_script::{Script, UnicodeScript};
use unicode_security::skeleton;

/// The role of a character in a word.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Role {
    /// A letter, vowel sign or digit of one script, by which the word is judged.
    Letter(Script),
    /// Part of the word, but of no script of its own: a digit, an accent, or something that is not even visible and so
    /// cannot part two words for a reader.
    Neutral,
    /// The end of a word.
    Break,
}

/// The role of a character.
///
/// East Asian letters end a word: they are written beside others without a space, and nothing in another script passes
/// for one of them.
pub(super) fn role(character: char) -> Role {
    if character.is_ascii() {
        return match character {
            'a'..='z' | 'A'..='Z' => Role::Letter(Script::Latin),
            '0'..='9' => Role::Neutral,
            _ => Role::Break,
        };
    }
    let of_a_word = character.is_alphabetic() || character.is_numeric();
    match character.script() {
        Script::Inherited => Role::Neutral,
        Script::Common if of_a_word => Role::Neutral,
        Script::Common | Script::Unknown => invisible_or_break(character),
        Script::Han | Script::Hiragana | Script::Katakana | Script::Bopomofo | Script::Hangul => {
            invisible_or_break(character)
        }
        script if of_a_word => Role::Letter(script),
        _ => invisible_or_break(character),
    }
}

/// UTS #39 leaves default-ignorable characters out of a skeleton.
fn invisible_or_break(character: char) -> Role {
    let ignorable = skeleton(character.encode_utf8(&mut [0; 4])).next().is_none();
    if ignorable { Role::Neutral } else { Role::Break }
}
