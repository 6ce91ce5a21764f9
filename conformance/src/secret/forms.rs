/// Shorter keys have no encoded form that could not be a part of any text.
const SHORTEST: usize = 8;

const STANDARD: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const SAFE: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// The ways to write a key that are looked for: as it is, in hexadecimal digits, and in base64 where it begins at the
/// first, second or third byte of a group. Every character of these may be escaped as in JSON or as in a URL.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Forms {
    forms: Vec<Form>,
    beginnings: Vec<bool>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Form {
    /// For each place what may stand there.
    characters: Vec<[char; 2]>,
    /// Whether the digit behind holds the last bits of the key.
    shares_next: bool,
}

impl Forms {
    pub(super) fn of(key: &str) -> Self {
        let plain = key.chars().map(|character| [character; 2]).collect();
        let mut forms = vec![Form {
            characters: plain,
            shares_next: false,
        }];
        if key.len() >= SHORTEST {
            forms.push(hexadecimal(key));
            forms.extend((0..3).map(|offset| base64(key, offset)));
        }
        let mut beginnings = vec![false; 256];
        let firsts = forms.iter().filter_map(|form| form.characters.first());
        for first in firsts.flatten().chain(&['\\', '%']) {
            if let Some(begins) = u8::try_from(*first)
                .ok()
                .and_then(|byte| beginnings.get_mut(usize::from(byte)))
            {
                *begins = true;
            }
        }
        Self { forms, beginnings }
    }

    /// Whether a form may begin with this byte.
    pub(super) fn may_begin_with(&self, byte: u8) -> bool {
        self.beginnings
            .get(usize::from(byte))
            .is_some_and(|begins| *begins)
    }

    /// How much of the start of this text is the key in one of its forms, if it is.
    pub(super) fn length_at(&self, text: &str) -> Option<usize> {
        self.forms.iter().find_map(|form| form.length_at(text))
    }
}

impl Form {
    fn length_at(&self, text: &str) -> Option<usize> {
        let mut length = 0;
        for wanted in &self.characters {
            let rest = text.get(length..)?;
            length += wanted.iter().find_map(|wanted| one(rest, *wanted))?;
        }
        if self.shares_next && text.as_bytes().get(length).is_some_and(is_digit) {
            length += 1;
        }
        Some(length)
    }
}

fn hexadecimal(key: &str) -> Form {
    let digit = |half: u8| {
        let digit = char::from_digit(half.into(), 16).unwrap_or_default();
        [digit, digit.to_ascii_uppercase()]
    };
    Form {
        characters: key
            .bytes()
            .flat_map(|byte| [digit(byte >> 4), digit(byte & 15)])
            .collect(),
        shares_next: false,
    }
}

/// The digits that the key alone decides where so many bytes of its group stand before it.
fn base64(key: &str, offset: usize) -> Form {
    let bits: Vec<u8> = key
        .bytes()
        .flat_map(|byte| (0..8).rev().map(move |bit| byte >> bit & 1))
        .collect();
    let skipped = (6 - offset * 8 % 6) % 6;
    let whole = bits.get(skipped..).unwrap_or_default().chunks_exact(6);
    let is_shared = !whole.remainder().is_empty();
    let digit = |bits: &[u8]| {
        let value = bits.iter().fold(0, |value, bit| value << 1 | usize::from(*bit));
        let of = |digits: &[u8; 64]| digits.get(value).map_or('=', |digit| char::from(*digit));
        [of(STANDARD), of(SAFE)]
    };
    Form {
        characters: whole.map(digit).collect(),
        shares_next: is_shared,
    }
}

fn is_digit(byte: &u8) -> bool {
    STANDARD.contains(byte) || SAFE.contains(byte)
}

/// The length of this character at the start of the text, escaped or not.
fn one(text: &str, wanted: char) -> Option<usize> {
    let literal = || text.starts_with(wanted).then(|| wanted.len_utf8());
    escaped(text, wanted)
        .or_else(|| percent(text, wanted))
        .or_else(literal)
}

/// The length of an escape of JSON of this character at the start of the text.
fn escaped(text: &str, wanted: char) -> Option<usize> {
    let rest = text.strip_prefix('\\')?;
    if let Some(digits) = rest.strip_prefix('u').and_then(|rest| rest.get(..4)) {
        let code = u32::from_str_radix(digits, 16).ok()?;
        return (char::from_u32(code) == Some(wanted)).then_some(6);
    }
    (matches!(wanted, '"' | '\\' | '/') && rest.starts_with(wanted)).then_some(2)
}

fn percent(text: &str, wanted: char) -> Option<usize> {
    let digits = text.strip_prefix('%')?.get(..2)?;
    let code = u32::from_str_radix(digits, 16).ok()?;
    (char::from_u32(code) == Some(wanted)).then_some(3)
}
