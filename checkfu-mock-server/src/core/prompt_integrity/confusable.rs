//! UTS #39: which letters of other scripts look like a letter.

use std::collections::{BTreeMap, HashMap};
use std::sync::LazyLock;

use unicode_script::{Script, UnicodeScript};
use unicode_security::{GeneralSecurityProfile, skeleton};

use super::letter::{Role, role};

/// The letters of one script in a class of look-alikes. Only letters that UTS #39 allows in identifiers are in it, so
/// that no correction brings in a phonetic or historic letter.
#[derive(Debug)]
pub(super) struct Counterparts {
    pub(super) script: Script,
    /// Whether one of them is of the everyday alphabet.
    pub(super) everyday: bool,
    letters: Vec<char>,
}

/// The letters that look like this one, itself included, by script. Letters that are alike have the same class.
pub(super) fn class(letter: char) -> &'static [Counterparts] {
    CLASSES
        .of
        .get(&letter)
        .and_then(|&class| CLASSES.classes.get(class))
        .map_or(&[], Vec::as_slice)
}

/// The letter of a script that best stands for this one.
pub(super) fn counterpart(letter: char, script: Script) -> Option<char> {
    let group = class(letter).iter().find(|group| group.script == script)?;
    let other_case = |candidate: char| {
        candidate.is_uppercase() != letter.is_uppercase() || candidate.is_lowercase() != letter.is_lowercase()
    };
    let prototype = prototype(letter);
    group.letters.iter().copied().min_by_key(|&candidate| {
        let differs = !prototype.chars().eq([candidate]);
        (other_case(candidate), differs, candidate)
    })
}

/// The alphabets of which a text mostly consists, so that of two readings the likelier one wins.
pub(super) fn is_everyday(letter: char, script: Script) -> bool {
    match script {
        Script::Latin => letter.is_ascii(),
        Script::Greek => matches!(letter, 'Α'..='ω'),
        Script::Cyrillic => matches!(letter, 'А'..='я' | 'Ё' | 'ё' | 'і'),
        _ => true,
    }
}

fn prototype(letter: char) -> String {
    skeleton(letter.encode_utf8(&mut [0; 4])).collect()
}

/// All letters that words are judged by are below this.
const END_OF_ALPHABETS: u32 = 0x2_0000;

struct Classes {
    of: HashMap<char, usize>,
    classes: Vec<Vec<Counterparts>>,
}

static CLASSES: LazyLock<Classes> = LazyLock::new(|| {
    let mut by_prototype: HashMap<String, Vec<char>> = HashMap::new();
    let letters = (0..END_OF_ALPHABETS)
        .filter_map(char::from_u32)
        .filter(|&letter| matches!(role(letter), Role::Letter(_)));
    for letter in letters {
        by_prototype.entry(prototype(letter)).or_default().push(letter);
    }
    let mut of = HashMap::new();
    let mut classes = Vec::new();
    for members in by_prototype.into_values().filter(|members| members.len() > 1) {
        let mut groups: BTreeMap<&str, Counterparts> = BTreeMap::new();
        for &letter in &members {
            of.insert(letter, classes.len());
            if !letter.is_alphabetic() || letter.is_numeric() || !letter.identifier_allowed() {
                continue;
            }
            let script = letter.script();
            let group = groups.entry(script.short_name()).or_insert_with(|| Counterparts {
                script,
                everyday: false,
                letters: Vec::new(),
            });
            group.everyday |= is_everyday(letter, script);
            group.letters.push(letter);
        }
        classes.push(groups.into_values().collect());
    }
    Classes { of, classes }
});
