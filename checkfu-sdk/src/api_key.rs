use std::fmt;
use std::sync::Arc;

use http::HeaderValue;
use serde_json::Value;

const REMOVED: &str = "[key removed]";

/// How much of a text is looked at for an excerpt of it.
const EXCERPT_BYTES: usize = 4 * 1024;

/// This much of a key, at the end of a text that broke off, is hidden like a whole one.
const TELLING: usize = 8;

/// An API key. Its `Debug` and the header made from it show nothing of it.
///
/// ```
/// use checkfu_sdk::ApiKey;
///
/// let key = ApiKey::from("secret");
/// assert_eq!(format!("{key:?}"), "ApiKey");
/// ```
#[derive(Clone)]
pub struct ApiKey(Arc<str>);

impl ApiKey {
    /// The `Authorization` header, marked sensitive; `None` if the key has bytes that no header may carry.
    pub(crate) fn header(&self) -> Option<HeaderValue> {
        if self.0.trim().is_empty() || self.0.trim() != &*self.0 {
            return None;
        }
        let mut value = HeaderValue::from_str(&format!("Bearer {}", self.0)).ok()?;
        value.set_sensitive(true);
        Some(value)
    }

    /// `text` without the key, for a server that repeats it: as it is, and as JSON or a URL may write it.
    pub(crate) fn redact(&self, text: &str) -> String {
        if self.0.bytes().all(|byte| byte == b'\\') {
            return text.replace(&*self.0, REMOVED);
        }
        let mut redacted = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(first) = rest.chars().next() {
            let length = match spelled(&self.0, rest) {
                Some(length) => {
                    redacted.push_str(REMOVED);
                    length
                }
                None => {
                    redacted.push(first);
                    first.len_utf8()
                }
            };
            rest = &rest[length..];
        }
        redacted
    }

    /// The first `characters` of a text of any length, without the key.
    pub(crate) fn excerpt(&self, text: &str, characters: usize) -> String {
        let text = self.redact(&text[..text.floor_char_boundary(EXCERPT_BYTES)]);
        match text.char_indices().nth(characters) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    }

    /// `value` without the key in any of its texts and names.
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

/// The length of `key` where `text` begins with it, each character as it is or escaped. Backslashes count on neither
/// side, so that any number of layers of escapes is seen through.
fn spelled(key: &str, text: &str) -> Option<usize> {
    let text = text.as_bytes();
    let (mut at, mut matched) = (0, 0);
    for byte in key.bytes().filter(|byte| *byte != b'\\') {
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

impl From<&str> for ApiKey {
    fn from(key: &str) -> Self {
        Self(key.into())
    }
}

impl From<String> for ApiKey {
    fn from(key: String) -> Self {
        Self(key.into())
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("ApiKey")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// WIRE-1: the key travels as a bearer token, marked so that nothing prints or indexes it.
    #[test]
    fn the_header_is_marked_sensitive() {
        let header = ApiKey::from("secret").header().unwrap();
        assert_eq!(header, "Bearer secret");
        assert!(header.is_sensitive() && !format!("{header:?}").contains("secret"));
    }

    fn redacted(key: &str, text: &str) -> String {
        ApiKey::from(key).redact(text)
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
}
