use serde_json::Value;

/// What is shown on either side of a difference.
const AROUND: usize = 24;

/// Text that suffers where a server does more than keep it: white space at its ends and in its middle, line ends of every
/// kind, what other notations escape, letters beyond ASCII that have other spellings, and such as no 16 bits hold.
pub(crate) const DELICATE: &str = concat!(
    "  two spaces, a\ttab,\na line,\r\nanother,\n\n\nthree;  \"quotes\", 'more', `these`, back\\slash, \\n, \\u0041, ",
    "<b>&amp;</b>, %20, ${name}, {{name}}, a\u{a0}fixed space, e\u{301} and \u{e9}, \u{fb01}, x\u{b2}, ",
    "\u{6f22}\u{5b57}, \u{ff21}, \u{2028}\u{1f980}\u{1f469}\u{200d}\u{1f4bb}\u{20bb7}.  \n",
);

/// A text of about so many bytes, of which no piece is like another.
pub(crate) fn long(bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + AROUND);
    let mut line = 0;
    while text.len() < bytes {
        line += 1;
        text.push_str(&format!("line {line} of many, \u{e9}\u{6f22}\u{1f980}\n"));
    }
    text
}

/// Where what was kept differs from what was sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Difference {
    /// The member or item, as a pointer.
    pub(crate) at: String,
    pub(crate) sent: String,
    pub(crate) kept: String,
}

/// The first member or item of what was sent that is not kept as it was; a server may add members of its own.
pub(crate) fn difference(sent: &Value, kept: Option<&Value>) -> Option<Difference> {
    differs("", sent, kept)
}

fn differs(at: &str, sent: &Value, kept: Option<&Value>) -> Option<Difference> {
    let other = |sent: String, kept: String| {
        let at = at.to_owned();
        Some(Difference { at, sent, kept })
    };
    match (sent, kept) {
        (Value::Object(members), Some(Value::Object(found))) => members
            .iter()
            .find_map(|(name, value)| differs(&format!("{at}/{name}"), value, found.get(name))),
        (Value::Array(items), Some(Value::Array(found))) => {
            let differing = items
                .iter()
                .enumerate()
                .find_map(|(place, item)| differs(&format!("{at}/{place}"), item, found.get(place)));
            let count = |items: &[Value]| format!("{} items", items.len());
            differing.or_else(|| match items.len() == found.len() {
                true => None,
                false => other(count(items), count(found)),
            })
        }
        (Value::String(text), Some(Value::String(found))) if text != found => {
            let shared = text.chars().zip(found.chars());
            let shared = shared.take_while(|(one, another)| one == another).count();
            other(around(text, shared), around(found, shared))
        }
        (_, Some(found)) if sent == found => None,
        (_, found) => other(shown(sent), found.map_or("no such member".to_owned(), shown)),
    }
}

/// The characters about this place, as JSON writes them.
fn around(text: &str, place: usize) -> String {
    let from = place.saturating_sub(AROUND);
    let piece: String = text.chars().skip(from).take(2 * AROUND).collect();
    format!(
        "{} from character {from} of {}",
        Value::from(piece),
        text.chars().count()
    )
}

fn shown(value: &Value) -> String {
    match value {
        Value::String(text) => around(text, 0),
        other => other.to_string().chars().take(8 * AROUND).collect(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_is_kept_may_say_more_but_nothing_else() {
        let sent = json!({"content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]});
        let more = json!({"content": [{"text": "a", "type": "text", "x": 1}, {"type": "text", "text": "b"}], "y": 2});
        assert_eq!(difference(&sent, Some(&more)), None);
        let at = |kept: Value| difference(&sent, Some(&kept)).map(|difference| difference.at);
        let first = json!({"type": "text", "text": "a"});
        for (kept, place) in [
            (json!({}), "/content"),
            (json!({"content": [first]}), "/content/1"),
            (
                json!({"content": [first, {"type": "text", "text": "b "}]}),
                "/content/1/text",
            ),
            (
                json!({"content": [first, {"type": "text", "text": "b"}, first]}),
                "/content",
            ),
            (json!({"content": "ab"}), "/content"),
        ] {
            assert_eq!(at(kept.clone()).as_deref(), Some(place), "{kept}");
        }
        assert_eq!(
            difference(&sent, None).map(|difference| difference.at),
            Some(String::new())
        );
    }

    #[test]
    fn a_difference_deep_in_a_long_text_is_shown_where_it_is() {
        let text = long(4_000);
        assert!(text.len() >= 4_000);
        let cut: String = text.chars().take(1_000).collect();
        let found = difference(&json!(text), Some(&json!(cut))).unwrap();
        assert!(found.kept.contains("from character 976 of 1000"), "{found:?}");
        assert!(found.sent.len() < 200, "{found:?}");
    }
}
