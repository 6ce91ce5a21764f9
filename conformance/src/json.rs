//! JSON whose numbers may be larger than a float holds.

use serde_json::{Error, Value};

/// Reads a JSON text. A number that no float holds becomes 0: whoever judges numbers compares their text.
pub(crate) fn read(text: &[u8]) -> Result<Value, Error> {
    serde_json::from_slice(text)
        .or_else(|error| serde_json::from_slice(&without_huge_numbers(text)).map_err(|_| error))
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
}
