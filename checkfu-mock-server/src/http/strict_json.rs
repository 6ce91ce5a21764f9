//! Reads a body's JSON so that nothing of it is lost without a word: a member that stands there twice, and nesting that a
//! reader of the log could not follow, are refused.

use std::cell::RefCell;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::fields;
use crate::wire::error::ApiError;

/// How deep a body may be nested. Readers commonly stop at 128, and a list or a diff puts a few levels around an event.
pub(crate) const MAX_DEPTH: usize = 100;

/// The value of a body. A number beyond what 64 bits can hold is the closest one here; whoever keeps it reads the text.
pub(crate) fn read(text: &str) -> Result<Value, ApiError> {
    match read_numbers(text) {
        // Only a number out of range can be mended, and only in what is JSON otherwise.
        Err(error) if serde_json::from_str::<IgnoredAny>(text).is_ok() => {
            let mended = bound_numbers(text);
            if mended == text {
                return Err(error);
            }
            read_numbers(&mended)
        }
        read => read,
    }
}

fn read_numbers(text: &str) -> Result<Value, ApiError> {
    let refused = RefCell::new(None);
    let mut reader = serde_json::Deserializer::from_str(text);
    let strict = Strict {
        place: Place {
            outer: None,
            name: Name::Body,
            depth: 0,
        },
        refused: &refused,
    };
    strict
        .deserialize(&mut reader)
        .and_then(|value| reader.end().map(|()| value))
        .map_err(|error| match refused.take() {
            Some(refused) => refused,
            None => fields::invalid("", &format!("is not valid JSON: {error}")),
        })
}

/// Replaces each number beyond the largest of 64 bits by that.
fn bound_numbers(text: &str) -> String {
    let mut bounded = String::with_capacity(text.len());
    let mut rest = text;
    let mut inside = false;
    while let Some(first) = rest.chars().next() {
        let length = if inside {
            inside = first != '"';
            if first == '\\' {
                1 + rest[1..].chars().next().map_or(0, char::len_utf8)
            } else {
                first.len_utf8()
            }
        } else if first == '-' || first.is_ascii_digit() {
            let part_of_number =
                |byte: char| byte.is_ascii_digit() || matches!(byte, '-' | '+' | '.' | 'e' | 'E');
            let length = rest
                .find(|character| !part_of_number(character))
                .unwrap_or(rest.len());
            if let Ok(number) = rest[..length].parse::<f64>()
                && number.is_infinite()
            {
                bounded.push_str(&format!("{:e}", f64::MAX.copysign(number)));
                rest = &rest[length..];
                continue;
            }
            length
        } else {
            inside = first == '"';
            first.len_utf8()
        };
        bounded.push_str(&rest[..length]);
        rest = &rest[length..];
    }
    bounded
}

/// Where in the body a value stands.
#[derive(Clone, Copy)]
struct Place<'p> {
    outer: Option<&'p Place<'p>>,
    name: Name<'p>,
    depth: usize,
}

#[derive(Clone, Copy)]
enum Name<'p> {
    Body,
    Member(&'p str),
    Item(usize),
}

impl Place<'_> {
    fn inner<'p>(&'p self, name: Name<'p>) -> Place<'p> {
        Place {
            outer: Some(self),
            name,
            depth: self.depth + 1,
        }
    }

    fn path(&self) -> String {
        let mut path = self.outer.map_or_else(String::new, Place::path);
        match self.name {
            Name::Body => {}
            Name::Member(name) if path.is_empty() => path.push_str(name),
            Name::Member(name) => path.push_str(&format!(".{name}")),
            Name::Item(index) => path.push_str(&format!("[{index}]")),
        }
        path
    }
}

struct Strict<'p> {
    place: Place<'p>,
    refused: &'p RefCell<Option<ApiError>>,
}

impl Strict<'_> {
    fn refuse<E: serde::de::Error>(&self, place: &Place<'_>, problem: &str) -> E {
        self.refused
            .replace(Some(fields::invalid(&place.path(), problem)));
        E::custom(problem)
    }

    fn check_depth<E: serde::de::Error>(&self) -> Result<(), E> {
        if self.place.depth < MAX_DEPTH {
            return Ok(());
        }
        let mut top = &self.place;
        while let Some(outer) = top.outer.filter(|outer| outer.depth > 0) {
            top = outer;
        }
        Err(self.refuse(top, &format!("must not be nested more than {MAX_DEPTH} deep")))
    }
}

impl<'de> DeserializeSeed<'de> for Strict<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Strict<'_> {
    type Value = Value;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Value, A::Error> {
        self.check_depth()?;
        let mut read = Vec::new();
        while let Some(item) = items.next_element_seed(Strict {
            place: self.place.inner(Name::Item(read.len())),
            refused: self.refused,
        })? {
            read.push(item);
        }
        Ok(Value::Array(read))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Value, A::Error> {
        self.check_depth()?;
        let mut read = Map::new();
        while let Some(name) = members.next_key::<String>()? {
            let place = self.place.inner(Name::Member(&name));
            if read.contains_key(&name) {
                return Err(self.refuse(&place, "must not stand there twice"));
            }
            let value = members.next_value_seed(Strict {
                place,
                refused: self.refused,
            })?;
            read.insert(name, value);
        }
        Ok(Value::Object(read))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        let error = read(text).unwrap_err();
        format!("{error:?}")
    }

    #[test]
    fn a_member_that_stands_there_twice_is_named() {
        let error = refusal(r#"{"type":"x","payload":{"list":[0,{"a":1,"b":2,"\u0061":1e400}]}}"#);
        assert!(
            error.contains("payload.list[1].a must not stand there twice"),
            "{error}"
        );
    }

    #[test]
    fn nesting_is_bounded_before_a_reader_of_the_log_would_give_up() {
        let nested = |depth: usize| format!("{}1e400{}", "[".repeat(depth), "]".repeat(depth));
        assert!(read(&nested(MAX_DEPTH)).is_ok());
        assert!(refusal(&nested(MAX_DEPTH + 1)).contains("[0] must not be nested more than 100 deep"));
        assert!(refusal(&nested(100_000)).contains("100 deep"));
    }

    #[test]
    fn numbers_out_of_range_are_bounded_and_texts_are_left_alone() {
        let text = r#"{"a":[1e400,-1E+999,5],"b":"1e400 \" -1e400"}"#;
        let expected = serde_json::json!({"a": [f64::MAX, f64::MIN, 5], "b": "1e400 \" -1e400"});
        assert_eq!(read(text).unwrap(), expected);
        for broken in ["01e400", "1e400e", "[1e400", "-", "1e400 2", "{\"a\":1e400,}"] {
            assert!(refusal(broken).contains("is not valid JSON"), "{broken}");
        }
    }
}
