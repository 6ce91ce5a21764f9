//! What the client must not repeat, and how it is taken out of a server's texts.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;

use crate::api_key::ApiKey;

const KEY_REMOVED: &str = "[key removed]";
const HEADER_REMOVED: &str = "[header removed]";

/// How many keys are remembered: a server has no reason to repeat one that was replaced this often.
const KEYS: usize = 8;

/// A header's value is hidden from this many bytes on: a shorter one is no secret, and may be part of any word.
const HEADER_BYTES: usize = 8;

/// How much of a text is looked at for an excerpt of it.
const EXCERPT_BYTES: usize = 4 * 1024;

/// This much of a secret, at the end of a text that broke off, is hidden like a whole one.
const TELLING: usize = 8;

/// The secrets of one client: the values of its own headers, and the keys that it sent last. A clone sees the keys that
/// are sent later, too.
#[derive(Clone)]
pub(crate) struct Redaction(Arc<Secrets>);

struct Secrets {
    headers: Vec<String>,
    keys: Mutex<VecDeque<ApiKey>>,
}

impl Redaction {
    pub(crate) fn new<'v>(header_values: impl IntoIterator<Item = &'v str>) -> Self {
        let parts = header_values.into_iter().flat_map(str::split_whitespace);
        let headers = parts.filter(|part| part.len() >= HEADER_BYTES);
        Self(Arc::new(Secrets {
            headers: headers.map(str::to_owned).collect(),
            keys: Mutex::default(),
        }))
    }

    /// Hides this key from now on, and the last few before it.
    pub(crate) fn hide(&self, key: &ApiKey) {
        let mut keys = self.keys();
        if keys.contains(key) {
            return;
        }
        if keys.len() >= KEYS {
            keys.pop_front();
        }
        keys.push_back(key.clone());
    }

    fn keys(&self) -> MutexGuard<'_, VecDeque<ApiKey>> {
        self.0.keys.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// `text` without any secret, for a server that repeats one: as it is, and as JSON or a URL may write it.
    pub(crate) fn redact(&self, text: &str) -> String {
        let keys: Vec<_> = self.keys().iter().cloned().collect();
        let secrets: Vec<_> = keys
            .iter()
            .map(|key| (key.secret(), KEY_REMOVED))
            .chain(
                self.0
                    .headers
                    .iter()
                    .map(|value| (value.as_str(), HEADER_REMOVED)),
            )
            .collect();
        redact(&secrets, text)
    }

    /// The first `characters` of a text of any length, without any secret.
    pub(crate) fn excerpt(&self, text: &str, characters: usize) -> String {
        let text = self.redact(&text[..text.floor_char_boundary(EXCERPT_BYTES)]);
        match text.char_indices().nth(characters) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    }

    /// `value` without any secret in any of its texts and names.
    pub(crate) fn redact_value(&self, value: Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.redact(&text)),
            Value::Array(items) => items.into_iter().map(|item| self.redact_value(item)).collect(),
            Value::Object(members) => {
                let members = members.into_iter();
                members
                    .map(|(name, value)| (self.redact(&name), self.redact_value(value)))
                    .collect()
            }
            other => other,
        }
    }
}

impl fmt::Debug for Redaction {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Redaction")
    }
}

/// Takes each secret out and puts its word in. Where two begin at one place, the longer match counts.
fn redact(secrets: &[(&str, &str)], text: &str) -> String {
    let only_backslashes = |secret: &str| secret.bytes().all(|byte| byte == b'\\');
    let mut redacted = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let found = secrets.iter().filter_map(|(secret, removed)| {
            let length = match only_backslashes(secret) {
                true => rest.starts_with(secret).then_some(secret.len()),
                false => spelled(secret, rest),
            };
            length.map(|length| (length, *removed))
        });
        let length = match found.max_by_key(|(length, _)| *length) {
            Some((length, removed)) if length > 0 => {
                redacted.push_str(removed);
                length
            }
            _ => {
                redacted.push(first);
                first.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    redacted
}

/// The length of `secret` where `text` begins with it, each character as it is or escaped. Backslashes count on neither
/// side, so that any number of layers of escapes is seen through.
fn spelled(secret: &str, text: &str) -> Option<usize> {
    let text = text.as_bytes();
    let (mut at, mut matched) = (0, 0);
    for byte in secret.bytes().filter(|byte| *byte != b'\\') {
        match character(byte, &text[at..]) {
            Some(length) => (at, matched) = (at + length, matched + 1),
            None if matched >= TELLING && text[at..].iter().all(|byte| *byte == b'\\') => {
                return Some(text.len());
            }
            None => return None,
        }
    }
    Some(at)
}

/// The length of `byte` at the beginning of `text`: plain, behind backslashes, as `\uXXXX`, or as `%XX`.
fn character(byte: u8, text: &[u8]) -> Option<usize> {
    let mut at = text.iter().take_while(|byte| **byte == b'\\').count();
    let escape = |from: usize, digits: usize| {
        let digits = std::str::from_utf8(text.get(from..from + digits)?).ok()?;
        u32::from_str_radix(digits, 16).ok()
    };
    // An escaped backslash within the key counts no more than a plain one.
    while at > 0 && text.get(at) == Some(&b'u') && escape(at + 1, 4) == Some(u32::from(b'\\')) {
        at += 5 + text[at + 5..].iter().take_while(|byte| **byte == b'\\').count();
    }
    match text.get(at)? {
        b'u' if at > 0 && escape(at + 1, 4) == Some(u32::from(byte)) => Some(at + 5),
        b'%' if escape(at + 1, 2) == Some(u32::from(byte)) => Some(at + 3),
        found if *found == byte => Some(at + 1),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redacted(key: &str, text: &str) -> String {
        let redaction = Redaction::new([]);
        redaction.hide(&key.into());
        redaction.redact(text)
    }

    /// A key is found in every spelling, backslashes and letters of escapes in the key itself included, and nothing
    /// else is touched.
    #[test]
    fn every_spelling_is_found() {
        for (key, text) in [
            ("a/b\"c", r#"a\/b\"c"#),
            ("a/b\"c", r#"\u0061\u002fb\u0022c"#),
            ("a/b\"c", "a%2fb%22c"),
            ("a\\b", "a\\b"),
            ("a\\b", r"a\\b"),
            ("a\\b", r"a\u005cb"),
            ("u0063%41", "u0063%41"),
            ("key", "key"),
            ("\\\\", "\\\\"),
        ] {
            assert_eq!(
                redacted(key, &format!("é{text}é")),
                "é[key removed]é",
                "{key} in {text}"
            );
        }
        for text in [
            "",
            "é",
            "a/",
            "\\",
            "%",
            "%2",
            "\\u00",
            "a%2fb%2",
            "u0061/b\"",
            "a/b'c",
        ] {
            assert_eq!(redacted("a/b\"c", text), text);
        }
        assert_eq!(redacted("aab", "aaab aab"), "a[key removed] [key removed]");
        assert_eq!(redacted("long-enough-key", "a long-enoug"), "a [key removed]");
        assert_eq!(redacted("long-enough-key", "a long-en"), "a long-en");
    }

    /// The keys sent last are hidden, the longest that fits, and the values of headers that are long enough.
    #[test]
    fn several_secrets_are_found() {
        let redaction = Redaction::new(["short", "Basic dXNlcjpwYXNz"]);
        let clone = redaction.clone();
        for key in ["first-key", "first-key-and-more", "third-key"] {
            redaction.hide(&key.into());
        }
        let text = "short first-key first-key-and-more third-key dXNlcjpwYXNz Basic";
        assert_eq!(
            clone.redact(text),
            "short [key removed] [key removed] [key removed] [header removed] Basic"
        );
        for number in 0..KEYS {
            redaction.hide(&format!("later-key-{number}").as_str().into());
        }
        assert_eq!(
            redaction.redact("third-key later-key-0"),
            "third-key [key removed]"
        );
        assert!(!format!("{redaction:?}").contains("later"));
    }
}
