//! JSON that somebody wrote and gets back as it was written (EVT-1, "any JSON"): no number loses a digit.

mod canonical;

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::RawValue;

/// One JSON value as text without white space, so that it is one line on every wire. Two are equal where their texts
/// are; [`Json::canonical`] is the same for every spelling.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Json(Arc<str>);

impl Json {
    /// The value that stands here.
    pub(crate) fn of(raw: &RawValue) -> Self {
        Self(compact(raw.get()).into())
    }

    /// What it says to a reader of prose: a string as such, everything else as JSON.
    pub(crate) fn spoken(&self) -> String {
        serde_json::from_str(&self.0).unwrap_or_else(|_| self.0.as_ref().to_owned())
    }

    /// One text for all spellings of a value: members sorted, strings unescaped where they can be, numbers by their
    /// value.
    pub(crate) fn canonical(&self) -> String {
        canonical::of(&self.0)
    }
}

impl From<Value> for Json {
    fn from(value: Value) -> Self {
        Self(value.to_string().into())
    }
}

impl fmt::Display for Json {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl fmt::Debug for Json {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Serialize for Json {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let raw: &RawValue = serde_json::from_str(&self.0).map_err(serde::ser::Error::custom)?;
        raw.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Box::<RawValue>::deserialize(deserializer).map(|raw| Self::of(&raw))
    }
}

/// Valid JSON without the white space between its tokens.
fn compact(text: &str) -> String {
    let mut inside = false;
    let mut escaped = false;
    text.chars()
        .filter(|&character| {
            if inside {
                inside = escaped || character != '"';
                escaped = !escaped && character == '\\';
                return true;
            }
            inside = character == '"';
            !matches!(character, ' ' | '\t' | '\n' | '\r')
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json {
        serde_json::from_str(text).unwrap()
    }

    /// EVT-1: any JSON is kept, whatever the reader of a number could hold.
    #[test]
    fn a_value_keeps_every_digit_and_the_order_of_its_members() {
        for text in [
            "1e400",
            "-0.0",
            "123456789012345678901234567890.5",
            r#"{"b":[1.10,true,null],"a":"x \" : y"}"#,
            r#""back\\""#,
        ] {
            let spread = text.replace(',', " ,\n").replace(r#":["#, " :\t[");
            assert_eq!(serde_json::to_string(&json(&spread)).unwrap(), text);
        }
    }

    #[test]
    fn a_string_is_spoken_without_its_quotes() {
        assert_eq!(json(r#""a\"b""#).spoken(), "a\"b");
        assert_eq!(json("[ 1e400 ]").spoken(), "[1e400]");
    }
}
