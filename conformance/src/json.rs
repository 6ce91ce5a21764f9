//! JSON whose numbers may be larger than a float holds.

use std::{collections::HashSet, fmt};

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Error, Value};

/// A text of more values than this takes gigabytes to read, however short it is. The longest page of events has a tenth.
const MOST_VALUES: usize = 1_000_000;

/// Reads a JSON text of not too many values. A number that no float holds becomes 0: whoever judges numbers compares their text.
pub(crate) fn read(text: &[u8]) -> Result<Value, Error> {
    bounded(text)?;
    serde_json::from_slice(text)
        .or_else(|error| serde_json::from_slice(&without_huge_numbers(text)).map_err(|_| error))
}

/// Refuses a text of too many values.
pub(crate) fn bounded(text: &[u8]) -> Result<(), Error> {
    match values(text) > MOST_VALUES {
        true => Err(Error::custom(format!("it has more than {MOST_VALUES} values"))),
        false => Ok(()),
    }
}

/// How many values a text has at most: each but the first stands behind a comma, or behind what opens one.
fn values(text: &[u8]) -> usize {
    let (mut values, mut in_string, mut is_escaped) = (1, false, false);
    for byte in text {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if in_string => is_escaped = true,
            b'"' => in_string = !in_string,
            b',' | b'[' | b'{' if !in_string => values += 1,
            _ => {}
        }
    }
    values
}

/// A key that stands twice in one object of a JSON text, if one does. [`read`] takes the last one.
pub(crate) fn repeated_key(text: &[u8]) -> Option<String> {
    let mut repeated = None;
    let text = without_huge_numbers(text);
    let mut reader = serde_json::Deserializer::from_slice(&text);
    // A text that is none has no keys, which is for `read` to say.
    let _ = Keys(&mut repeated).deserialize(&mut reader);
    repeated
}

/// Goes through a text up to the first key that repeats another one of its object.
struct Keys<'k>(&'k mut Option<String>);

impl<'de> DeserializeSeed<'de> for Keys<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<(), D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Keys<'_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<(), A::Error> {
        let mut keys = HashSet::new();
        while let Some(key) = members.next_key::<String>()? {
            if keys.contains(&key) {
                *self.0 = Some(key);
                return Err(A::Error::custom("a key twice"));
            }
            keys.insert(key);
            members.next_value_seed(Keys(&mut *self.0))?;
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<(), A::Error> {
        while elements.next_element_seed(Keys(&mut *self.0))?.is_some() {}
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }
}

fn without_huge_numbers(text: &[u8]) -> Vec<u8> {
    let mut tame = Vec::with_capacity(text.len());
    let (mut rest, mut in_string) = (text, false);
    while let Some((&byte, behind)) = rest.split_first() {
        let starts_number = !in_string && (byte == b'-' || byte.is_ascii_digit());
        let length = match byte {
            b'\\' if in_string => rest.len().min(2),
            _ if starts_number => rest.iter().take_while(|byte| is_of_number(**byte)).count(),
            _ => 1,
        };
        in_string ^= byte == b'"';
        let (token, after) = rest.split_at_checked(length).unwrap_or((rest, behind));
        let number = std::str::from_utf8(token).ok().filter(|_| starts_number);
        match number.and_then(|number| number.parse::<f64>().ok()) {
            Some(value) if value.is_infinite() => tame.push(b'0'),
            _ => tame.extend_from_slice(token),
        }
        rest = after;
    }
    tame
}

fn is_of_number(byte: u8) -> bool {
    matches!(byte, b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9')
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_number_beyond_a_float_does_not_spoil_the_rest() {
        let text = br#"{"a":[1e400,-2E+999,3],"b":"1e400 \" 1e400","c":-1}"#;
        let expected = json!({"a": [0, 0, 3], "b": "1e400 \" 1e400", "c": -1});
        assert_eq!(read(text).unwrap(), expected);
    }

    #[test]
    fn what_is_no_json_stays_none() {
        for text in ["{\"a\":1e400", "1e400 2", "1e400e", "\"\\", "-"] {
            assert!(read(text.as_bytes()).is_err(), "{text}");
        }
    }

    #[test]
    fn a_text_of_too_many_values_is_refused_unread() {
        let many = |count: usize, value: &str| format!("[{value}{}]", format!(",{value}").repeat(count - 1));
        let longest = MOST_VALUES - 1;
        assert!(read(many(longest, "0").as_bytes()).is_ok());
        for text in [
            many(longest + 1, "0"),
            many(longest / 2 + 1, "{}"),
            "[".repeat(MOST_VALUES),
        ] {
            let error = read(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains("more than 1000000 values"), "{error}");
        }
        let text = format!(r#""\"{}""#, ",[{".repeat(MOST_VALUES));
        assert!(read(text.as_bytes()).is_ok(), "what stands in a string is none");
    }

    #[test]
    fn a_key_that_stands_twice_in_one_object_is_named() {
        for (text, key) in [
            (r#"{"a":1,"b":2,"a":1}"#, "a"),
            (r#"[1e400,{"x":{"c":null,"d":"c","\u0063":true}}]"#, "c"),
            (r#"{"e":{"f":1},"g":[{"f":-1.5}],"":0,"":0}"#, ""),
        ] {
            assert_eq!(repeated_key(text.as_bytes()).as_deref(), Some(key), "{text}");
        }
        for text in [r#"{"a":{"a":["a",{"a":1}]},"b":"a"}"#, r#"{"a":1,"b""#, "1 2"] {
            assert_eq!(repeated_key(text.as_bytes()), None, "{text}");
        }
    }
}
