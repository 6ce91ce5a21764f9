use std::fmt;

const MASK: &str = "[redacted]";

/// An API key. It is shown by nothing: `Debug` masks it, and every recorded byte passes through a mask first.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

/// A text that cannot be an API key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the API key is empty or has characters other than visible ASCII")]
pub struct InvalidSecret;

impl Secret {
    /// Takes a key.
    ///
    /// # Errors
    /// [`InvalidSecret`] if it is empty or holds anything but visible ASCII, since no header could carry it.
    ///
    /// ```
    /// let key = checkfu_conformance::Secret::new("ck_live_0123456789").unwrap();
    /// assert!(!format!("{key:?}").contains("0123"));
    /// ```
    pub fn new(text: impl Into<String>) -> Result<Self, InvalidSecret> {
        let text = text.into();
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(InvalidSecret);
        }
        Ok(Self(text))
    }

    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// `text` without the key, plain or in any way that JSON may write it.
    pub(crate) fn redact(&self, text: &str) -> String {
        let mut kept = String::with_capacity(text.len());
        let mut done = 0;
        for place in self.beginnings(text) {
            if place >= done
                && let Some(length) = self.length_at(&text[place..])
            {
                kept.push_str(&text[done..place]);
                kept.push_str(MASK);
                done = place + length;
            }
        }
        kept.push_str(&text[done..]);
        kept
    }

    /// Where the key may begin, in order; bodies of megabytes are looked through.
    fn beginnings(&self, text: &str) -> impl Iterator<Item = usize> {
        let first = self.0.chars().next().unwrap_or('\\');
        let places = |wanted: char| text.match_indices(wanted).map(|(place, _)| place).peekable();
        let (mut plain, mut escaped) = (places(first), places('\\'));
        std::iter::from_fn(move || match (plain.peek(), escaped.peek()) {
            (Some(one), Some(other)) if other < one => escaped.next(),
            (Some(_), _) => plain.next(),
            (None, _) => escaped.next(),
        })
    }

    /// How much of the start of this text is the key, if it is; each character may be escaped.
    fn length_at(&self, text: &str) -> Option<usize> {
        let mut length = 0;
        for wanted in self.0.chars() {
            let rest = text.get(length..)?;
            let literal = || rest.starts_with(wanted).then(|| wanted.len_utf8());
            length += escaped(rest, wanted).or_else(literal)?;
        }
        Some(length)
    }

    /// `bytes` without the key; bytes that are not UTF-8 are left as they are.
    pub(crate) fn redact_bytes(&self, bytes: &[u8]) -> Vec<u8> {
        if let Ok(text) = std::str::from_utf8(bytes) {
            return self.redact(text).into_bytes();
        }
        let key = self.0.as_bytes();
        let mut kept = Vec::with_capacity(bytes.len());
        let mut rest = bytes;
        while let Some(&first) = rest.first() {
            if rest.starts_with(key) {
                kept.extend_from_slice(MASK.as_bytes());
                rest = &rest[key.len()..];
            } else {
                kept.push(first);
                rest = &rest[1..];
            }
        }
        kept
    }
}

/// The length of an escape of this character at the start of the text.
fn escaped(text: &str, wanted: char) -> Option<usize> {
    let rest = text.strip_prefix('\\')?;
    if let Some(digits) = rest.strip_prefix('u').and_then(|rest| rest.get(..4)) {
        let code = u32::from_str_radix(digits, 16).ok()?;
        return (char::from_u32(code) == Some(wanted)).then_some(6);
    }
    (matches!(wanted, '"' | '\\' | '/') && rest.starts_with(wanted)).then_some(2)
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Secret({MASK})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_key_leaves_text_json_and_broken_utf8() {
        let key = Secret::new("k\"ey\\1").unwrap();
        assert_eq!(key.redact("a k\"ey\\1 b"), "a [redacted] b");
        assert_eq!(key.redact(r#"{"k":"k\"ey\\1"}"#), r#"{"k":"[redacted]"}"#);
        let spelled = r#"{"k":"\u006B\"\u0065y\u005c1","l":"k"}"#;
        assert_eq!(key.redact(spelled), r#"{"k":"[redacted]","l":"k"}"#);
        let plain = Secret::new("ck_0/1").unwrap();
        assert_eq!(plain.redact(r"ck_0\/1 ck_0/1 ck_0"), "[redacted] [redacted] ck_0");
        assert_eq!(key.redact_bytes(b"\xffk\"ey\\1\xfe"), b"\xff[redacted]\xfe");
    }

    #[test]
    fn a_key_that_no_header_carries_is_refused() {
        for text in ["", "a b", "a\nb", "schl\u{fc}ssel"] {
            assert_eq!(Secret::new(text), Err(InvalidSecret));
        }
    }
}
