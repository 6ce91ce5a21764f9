use serde_json::Value;

use super::number;

/// The same JSON with the members of every object in the reverse order; `None` if it is none.
pub(crate) fn reversed(text: &str) -> Option<String> {
    let value = serde_json::from_str(&number::hide(text)).ok()?;
    let mut written = String::new();
    write(&value, &mut written);
    Some(number::show(&written))
}

fn write(value: &Value, text: &mut String) {
    match value {
        Value::Object(members) => {
            let mut members: Vec<_> = members.iter().collect();
            members.reverse();
            list(text, ['{', '}'], members, |text, (name, member)| {
                text.push_str(&Value::from(name.as_str()).to_string());
                text.push(':');
                write(member, text);
            });
        }
        Value::Array(items) => list(text, ['[', ']'], items.iter().collect(), |text, item| {
            write(item, text);
        }),
        plain => text.push_str(&plain.to_string()),
    }
}

fn list<T>(text: &mut String, [open, close]: [char; 2], parts: Vec<T>, part: impl Fn(&mut String, T)) {
    text.push(open);
    for (position, item) in parts.into_iter().enumerate() {
        if position > 0 {
            text.push(',');
        }
        part(text, item);
    }
    text.push(close);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_reversed_at_every_depth_and_nothing_else_changes() {
        let text = r#"{"a":[1e400,{"b":"\n","c":null}],"d":12345678901234567890123}"#;
        let expected = r#"{"d":12345678901234567890123,"a":[1e400,{"c":null,"b":"\n"}]}"#;
        assert_eq!(reversed(text).as_deref(), Some(expected));
        assert_eq!(reversed("no JSON"), None);
    }
}
