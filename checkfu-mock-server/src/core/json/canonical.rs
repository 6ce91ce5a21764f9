//! One text for all spellings of a JSON value.

use std::collections::BTreeMap;

use serde_json::Value;
use serde_json::value::RawValue;

/// The canonical text of valid JSON.
pub(super) fn of(text: &str) -> String {
    let mut canonical = String::with_capacity(text.len());
    write(text, &mut canonical);
    canonical
}

/// Each level is taken apart by the library's reader; what that would not read is taken as it stands.
fn write(text: &str, canonical: &mut String) {
    match text.as_bytes().first() {
        Some(b'{') => match serde_json::from_str::<BTreeMap<String, &RawValue>>(text) {
            Ok(members) => {
                canonical.push('{');
                for (name, value) in members {
                    canonical.push_str(&Value::from(name).to_string());
                    canonical.push(':');
                    write(value.get(), canonical);
                    canonical.push(',');
                }
                canonical.push('}');
            }
            Err(_) => canonical.push_str(text),
        },
        Some(b'[') => match serde_json::from_str::<Vec<&RawValue>>(text) {
            Ok(items) => {
                canonical.push('[');
                for item in items {
                    write(item.get(), canonical);
                    canonical.push(',');
                }
                canonical.push(']');
            }
            Err(_) => canonical.push_str(text),
        },
        Some(b'"') => match serde_json::from_str::<String>(text) {
            Ok(string) => canonical.push_str(&Value::from(string).to_string()),
            Err(_) => canonical.push_str(text),
        },
        Some(b'-' | b'0'..=b'9') => canonical.push_str(&number(text)),
        _ => canonical.push_str(text),
    }
}

/// The significant digits and the power of ten of the last one: `1.50` and `15e-1` are `15e-1`.
fn number(text: &str) -> String {
    let (sign, rest) = match text.strip_prefix('-') {
        Some(rest) => ("-", rest),
        None => ("", text),
    };
    let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = format!("{whole}{fraction}");
    let significant = digits.trim_end_matches('0');
    let dropped = digits.len() - significant.len();
    let significant = significant.trim_start_matches('0');
    if significant.is_empty() {
        return "0".to_owned();
    }
    let shift = i128::try_from(dropped).unwrap_or(0) - i128::try_from(fraction.len()).unwrap_or(0);
    match exponent.parse::<i128>() {
        Ok(exponent) if exponent.unsigned_abs() < u128::from(u64::MAX) => {
            format!("{sign}{significant}e{}", exponent + shift)
        }
        // An exponent that long is compared as it is written.
        _ => format!("{sign}{mantissa}e{exponent}"),
    }
}

#[cfg(test)]
mod tests {
    use super::of;

    /// A-GEN: a repeated answer is the same however it is spelled, and another one is another.
    #[test]
    fn spellings_of_one_value_are_the_same_and_others_are_not() {
        let same = [
            ("1", "1.0"),
            ("1", "10e-1"),
            ("-0", "0.000"),
            ("0e5", "0"),
            ("1E400", "10e+399"),
            ("1200", "1.2e3"),
            (r#"{"a":1,"b":[2.0]}"#, r#"{"b":[2],"a":1}"#),
            (r#""é""#, r#""\u00e9""#),
            (r#"{"\u0061":null}"#, r#"{"a":null}"#),
        ];
        for (one, other) in same {
            assert_eq!(of(one), of(other), "{one} {other}");
        }
        let different = [
            ("1e400", "1e401"),
            ("12345678901234567890123", "12345678901234567890124"),
            ("0.1", "0.10000000000000001"),
            ("1", "-1"),
            ("1", "\"1\""),
            ("[1,2]", "[2,1]"),
            ("[[],1]", "[[1]]"),
            ("null", "[]"),
            (
                "1e99999999999999999999999999999999999999",
                "1e99999999999999999999999999999999999998",
            ),
        ];
        for (one, other) in different {
            assert_ne!(of(one), of(other), "{one} {other}");
        }
    }
}
