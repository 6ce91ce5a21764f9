mod forms;

use std::{fmt, sync::Arc};

use forms::Forms;

const MASK: &str = "[redacted]";

/// An API key. It is shown by nothing: `Debug` masks it, and every recorded byte passes through a mask first.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret {
    text: String,
    forms: Arc<Forms>,
}

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
        let forms = Arc::new(Forms::of(&text));
        Ok(Self { text, forms })
    }

    pub(crate) fn expose(&self) -> &str {
        &self.text
    }

    /// `text` without the key, in any of its [forms](Forms).
    pub(crate) fn redact(&self, text: &str) -> String {
        let mut kept = String::with_capacity(text.len());
        let mut done = 0;
        for (place, byte) in text.bytes().enumerate() {
            if place >= done
                && self.forms.may_begin_with(byte)
                && let Some(length) = self.forms.length_at(&text[place..])
            {
                kept.push_str(&text[done..place]);
                kept.push_str(MASK);
                done = place + length;
            }
        }
        kept.push_str(&text[done..]);
        kept
    }

    /// `bytes` without the key; what is not UTF-8 is left as it is.
    pub(crate) fn redact_bytes(&self, bytes: &[u8]) -> Vec<u8> {
        let mut kept = Vec::with_capacity(bytes.len());
        for chunk in bytes.utf8_chunks() {
            kept.extend_from_slice(self.redact(chunk.valid()).as_bytes());
            kept.extend_from_slice(chunk.invalid());
        }
        kept
    }
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

    /// Each form alone, in another text, and inside a longer one that was encoded as a whole.
    #[test]
    fn the_key_leaves_encoded_forms() {
        let key = Secret::new("ck_live_~0?>8zZ+/").unwrap();
        for text in [
            "ck%5Flive_~0?>8zZ+/",
            "%63%6b%5f%6C%69%76%65%5f%7e%30%3f%3e%38%7a%5A%2b%2F",
            "ck_live_%7E0%3F%3E8zZ%2B/",
            "636b5f6c6976655f7e303f3e387a5a2b2f",
            "636B5F6C6976655F7E303F3E387A5A2B2F",
        ] {
            assert_eq!(key.redact(&format!("a={text}&b")), "a=[redacted]&b", "{text}");
        }
        for before in ["", "k", "ke", "Bearer ", "user:"] {
            for after in ["", "!", "!!", "!!!"] {
                let whole = format!("{before}{}{after}", key.expose());
                for (is_safe, escape) in [(false, false), (true, false), (false, true)] {
                    let encoded = base64(whole.as_bytes(), is_safe);
                    let shown = if escape {
                        encoded.replace('/', "\\/")
                    } else {
                        encoded
                    };
                    let masked = key.redact(&shown);
                    let kept = masked.replace(MASK, "").len();
                    // What is left says nothing but what stands around the key.
                    let around = (before.len() + after.len()) * 4 / 3 + 4;
                    assert!(masked.contains(MASK) && kept <= around, "{shown}: {masked}");
                }
            }
        }
        let others = "636b5f6c 63-6b-5f ck%5Flive Y2tfbGl2ZV8 %zz%";
        assert_eq!(key.redact(others), others);
    }

    fn base64(bytes: &[u8], is_safe: bool) -> String {
        let digits = match is_safe {
            true => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_",
            false => b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
        };
        let mut text = String::new();
        for group in bytes.chunks(3) {
            let mut three = [0; 3];
            three[..group.len()].copy_from_slice(group);
            let number = u32::from_be_bytes([0, three[0], three[1], three[2]]);
            for place in 0..4 {
                match place <= group.len() {
                    true => text.push(digits[(number >> (18 - 6 * place)) as usize & 63].into()),
                    false => text.push('='),
                }
            }
        }
        text
    }

    #[test]
    fn a_key_that_no_header_carries_is_refused() {
        for text in ["", "a b", "a\nb", "schl\u{fc}ssel"] {
            assert_eq!(Secret::new(text), Err(InvalidSecret));
        }
    }
}
