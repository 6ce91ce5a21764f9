//! Look-alike letters, word by word.
//!
//! A word with letters of one script is never at fault, whatever it looks like: it may be a word of that language. In a
//! word of several scripts one is the main script: the one in which most letters would be everyday ones. A run of other
//! letters is at fault if each of them has a counterpart in the main script. At the edge of a word it must be an
//! everyday counterpart, and the run must not be written in the other direction, as Hebrew prefixes are.
//!
//! That leaves alone a Latin name with the ending of another language, which imitates nothing. Nor are the Greek symbols
//! of formulas at fault.

use std::cmp::Reverse;
use std::collections::HashMap;

use unicode_bidi::{BidiClass, bidi_class};
use unicode_script::Script;

use super::confusable::{class, counterpart, is_everyday};
use super::letter::{Role, role};

/// A word with look-alikes.
#[derive(Debug)]
pub(super) struct Suspicious {
    pub(super) start: usize,
    /// The character after the word's last one.
    pub(super) end: usize,
    /// Where the letters at fault stand, and what each becomes.
    pub(super) counterparts: Vec<(usize, char)>,
}

#[derive(Debug, Clone, Copy)]
struct Letter {
    at: usize,
    character: char,
    script: Script,
}

/// The words at fault, in reading order.
pub(super) fn suspicious(text: &[char]) -> Vec<Suspicious> {
    let mut found = Vec::new();
    let mut letters = Vec::new();
    for (at, &character) in text.iter().enumerate() {
        match role(character) {
            Role::Letter(script) => letters.push(Letter {
                at,
                character,
                script,
            }),
            Role::Neutral => {}
            Role::Break => {
                found.extend(judge(&letters, text));
                letters.clear();
            }
        }
    }
    found.extend(judge(&letters, text));
    found
}

fn judge(letters: &[Letter], text: &[char]) -> Option<Suspicious> {
    let letters = trimmed(letters);
    let first = letters.first()?;
    if letters.iter().all(|letter| letter.script == first.script) || is_formula(letters) {
        return None;
    }
    let main = main_script(letters)?;
    let runs = letters.chunk_by(|one, next| (one.script == main) == (next.script == main));
    let mut counterparts = Vec::new();
    let mut before = 0;
    for run in runs {
        let at_an_edge = before == 0 || before + run.len() == letters.len();
        before += run.len();
        if run.iter().any(|letter| letter.script == main) {
            continue;
        }
        if at_an_edge && runs_the_other_way(run, letters, main) {
            continue;
        }
        let replaced: Option<Vec<_>> = run
            .iter()
            .map(|letter| {
                let counterpart = counterpart(letter.character, main)?;
                let passes = !at_an_edge || is_everyday(counterpart, main);
                passes.then_some((letter.at, counterpart))
            })
            .collect();
        counterparts.extend(replaced.unwrap_or_default());
    }
    let last = letters.last()?.at + 1;
    let accents = text[last..].iter();
    let accents = accents.take_while(|character| is_accent(**character)).count();
    (!counterparts.is_empty()).then_some(Suspicious {
        start: first.at,
        end: last + accents,
        counterparts,
    })
}

fn is_accent(character: char) -> bool {
    role(character) == Role::Neutral
        && !character.is_numeric()
        && !character.is_alphabetic()
        && bidi_class(character) == BidiClass::NSM
}

/// Without the digits at either edge, which in every language may stand right beside a word of another.
fn trimmed(letters: &[Letter]) -> &[Letter] {
    let is_digit = |letter: &Letter| letter.character.is_numeric();
    let start = letters.iter().take_while(|letter| is_digit(letter)).count();
    let letters = &letters[start..];
    let end = letters.iter().rev().take_while(|letter| is_digit(letter)).count();
    &letters[..letters.len() - end]
}

#[derive(Default)]
struct Tally {
    first: usize,
    own: usize,
    /// Letters of other scripts that have an everyday counterpart in this one.
    everyday: usize,
}

/// The script in which most letters are everyday ones after a correction; then the one with most letters; then Latin.
/// A correction takes letters from the others and gives them to the main script, so that it stays the main one.
fn main_script(letters: &[Letter]) -> Option<Script> {
    let mut tallies: HashMap<Script, Tally> = HashMap::new();
    for letter in letters {
        let tally = tallies.entry(letter.script).or_insert_with(|| Tally {
            first: letter.at,
            ..Tally::default()
        });
        tally.own += 1;
    }
    for letter in letters {
        for group in class(letter.character) {
            if group.everyday
                && group.script != letter.script
                && let Some(tally) = tallies.get_mut(&group.script)
            {
                tally.everyday += 1;
            }
        }
    }
    let strange = |tally: &Tally| letters.len() - tally.own - tally.everyday;
    let tallies = tallies.into_iter();
    let main = tallies.min_by_key(|(script, tally)| {
        let not_latin = *script != Script::Latin;
        (strange(tally), Reverse(tally.own), not_latin, tally.first)
    })?;
    Some(main.0)
}

fn runs_the_other_way(run: &[Letter], letters: &[Letter], main: Script) -> bool {
    let leftwards = |letter: &Letter| {
        let class = bidi_class(letter.character);
        matches!(class, BidiClass::R | BidiClass::AL | BidiClass::AN)
    };
    let main = letters.iter().find(|letter| letter.script == main);
    main.is_some_and(|main| run.iter().all(|letter| leftwards(letter) != leftwards(main)))
}

/// Greek letters before or after Latin ones, as in "αx", "sinβ", "ρgh", "hν", "ΔT" and "TNFα": no more of them than of
/// the Latin ones, beside so few letters that these are symbols too, or, if they are small, beside capitals.
fn is_formula(letters: &[Letter]) -> bool {
    let is_greek = |letter: &Letter| letter.script == Script::Greek;
    let before = letters.iter().take_while(|letter| is_greek(letter)).count();
    let after = letters.iter().rev().take_while(|letter| is_greek(letter)).count();
    let Some(latin) = letters.get(before..letters.len() - after) else {
        return false;
    };
    if latin.iter().any(|letter| letter.script != Script::Latin) || before + after > latin.len() {
        return false;
    }
    let capitals = latin.iter().all(|letter| letter.character.is_uppercase());
    letters.iter().filter(|letter| is_greek(letter)).all(|letter| {
        let greek = letter.character;
        let room = room_for_latin(greek);
        latin.len() <= room || (room > 0 && capitals && greek.is_lowercase())
    })
}

/// Beside how many Latin letters a Greek letter may be a symbol: the more it looks like a Latin one, the fewer.
fn room_for_latin(greek: char) -> usize {
    match greek {
        'ο' | 'ι' | 'υ' => 0,
        'ν' => 1,
        'ρ' => 2,
        _ if greek.is_lowercase() => 3,
        _ => usize::from(counterpart(greek, Script::Latin).is_none()),
    }
}
