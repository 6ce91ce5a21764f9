use serde_json::Value;

const MARK: &str = "\"a number: ";

/// The text with the numbers that a [`Value`] cannot hold put into strings, so that a relay changes no digit of them.
pub(super) fn hide(text: &str) -> String {
    let (mut hidden, mut rest, mut in_string) = (String::new(), text, false);
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '\\' if in_string => rest.chars().take(2).map(char::len_utf8).sum(),
            '-' | '0'..='9' if !in_string => rest
                .find(|next: char| !next.is_ascii_alphanumeric() && !"+-.".contains(next))
                .unwrap_or(rest.len()),
            _ => first.len_utf8(),
        };
        let (token, after) = rest.split_at(length);
        let kept = in_string || length == 1 || survives(token);
        match kept {
            true => hidden.push_str(token),
            false => hidden.extend([MARK, token, "\""]),
        }
        in_string ^= first == '"';
        rest = after;
    }
    hidden
}

/// Whether a [`Value`] writes the number as it was.
fn survives(number: &str) -> bool {
    let written = serde_json::from_str(number).map(|value: Value| value.to_string());
    written.is_ok_and(|written| written == number)
}

/// The text with the hidden numbers as they were.
pub(super) fn show(text: &str) -> String {
    let mut parts = text.split(MARK);
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |shown, part| {
        let (number, after) = part.split_once('"').unwrap_or((part, ""));
        shown + number + after
    })
}

#[test]
fn what_is_hidden_comes_back_digit_by_digit() {
    let text = r#"{"a":[1e400,12345678901234567890123,-2,0.5],"b":"1e400 \" 7"}"#;
    let hidden = hide(text);
    assert!(serde_json::from_str::<Value>(&hidden).is_ok(), "{hidden}");
    assert_eq!(hidden.matches(MARK).count(), 2, "{hidden}");
    assert_eq!(show(&hidden), text);
}
